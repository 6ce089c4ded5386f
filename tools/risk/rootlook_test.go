package risk

import "testing"

// What sudo runs is a look of root's if it would be one without sudo, and so is all else.
func TestLooksAsRoot(t *testing.T) {
	for _, c := range []struct{ command, inside string }{
		{"sudo -n cat /var/log/syslog", "sudo -n >cat /var/log/syslog"},
		{"sudo ls -l /root", "sudo >ls -l /root"},
		{"sudo --non-interactive journalctl -u ssh | tail -n 5", "sudo --non-interactive >journalctl -u ssh | tail -n 5"},
		{"df -h; sudo -n lsblk && sudo findmnt 2>/dev/null", "df -h; sudo -n >lsblk && sudo >findmnt 2>/dev/null"},
		{"echo $(sudo -n du -sh /root | sort)", "echo $(sudo -n >du -sh /root | sort)"},
		{"sudo -n sh -c 'ls /root | wc -l'", "sudo -n >sh -c 'ls /root | wc -l'"},
		{"sudo -n /usr/bin/dmesg", "sudo -n >/usr/bin/dmesg"},
		{"for d in /root /srv; do sudo du -s $d; done", "for d in /root /srv; do sudo >du -s $d; done"},
		{"sudo -n sudo -n ls", ""}, // the second one cannot run in a cage
		{"ls /root", ""},
		{"sudo -n rm -rf /root", ""},
		{"sudo -n cat /etc/shadow", ""},
		{"sudo -n ls; touch x", ""},
		{"sudo -n ./check", ""},
		{"sudo -u postgres ls", ""},
		{"sudo -E ls", ""},
		{"sudo PATH=/tmp ls", ""},
		{"A=b sudo ls", ""},
		{"sudo -n tee x", ""},
		{"sudo -i", ""},
		{"sudo -l", ""},
		{"su''do ls", ""},
		{"sh -c 'sudo ls'", ""},
		{"sudo ls && sh -c 'sudo ls'", ""},
		{"doas ls", ""},
		{"sudo $x", ""},
		{"sudo() { rm -rf /; }; sudo ls", ""},
		{"sudo -n cat x | ssh h cat", ""},
		{"sudo -n ls > /tmp/x", ""},
		{"sudo -n atq", ""}, // it says less in a cage
		{"sudo -n lvs", ""}, // it does not begin in one
	} {
		l, ok := LookAsRoot(c.command, Bash)
		if ok != (c.inside != "") {
			t.Errorf("%q: %v", c.command, ok)
		}
		if got := l.Inside(">"); ok && got != c.inside {
			t.Errorf("%q: %q, want %q", c.command, got, c.inside)
		}
	}
	if l, ok := LookAsRoot("sudo -n docker ps", POSIX); !ok || l.Needs != NeedUnix {
		t.Errorf("needs %v, %v", l.Needs, ok)
	}
	if _, ok := LookAsRoot("sudo -n ls", Fish); ok {
		t.Error("the text of another shell is taken apart")
	}
}
