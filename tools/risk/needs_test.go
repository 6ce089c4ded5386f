package risk

import "testing"

// TestNeeds shows which doors a cage has to leave open.
func TestNeeds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, want string }{
		{"ls -l /etc", ""},
		{"df -h | sort", ""},
		{"docker ps", "U"},
		{"docker exec web lsof -i", "U"},
		{"kubectl exec web -- lsof -n", "I"},
		{"ssh web-1 iptables -L", "UI"},
		{"systemctl status nginx", "U"},
		{"iptables -L -n", "A"},
		{"ss -tln", ""},
		{"ss -tlnp", "P"},
		{"ss -tlnp | grep 22; less /etc/passwd", "TP"},
		{"lsof -nP -iTCP", "P"},
		{"readlink /proc/1234/exe", "P"},
		{"ls -l /proc/$(pgrep -o sshd)/fd", "P"},
		{"ls -l /proc/self/fd", ""},
		{"cat /proc/1234/status /proc/meminfo", ""},
		{"curl -s http://localhost:8080/health", "I"},
		{"redis-cli ping", "UI"},
		{"sudo iptables -L", "AF"},
		{"sudo -n lsof", "PF"},
		{"atq", "F"},
		{"timeout 5 netstat -tlnp", "IP"},
		{"cat < /dev/tcp/localhost/80", "I"},
	} {
		v := Command(c.command, Bash)
		if got := v.Needs.String(); got != c.want {
			t.Errorf("%q needs %q, want %q", c.command, got, c.want)
		}
	}
	if _, err := ParseNeeds("UX"); err == nil {
		t.Error("a letter that is no need was read")
	}
	if _, err := loadNeeds("U docker\nUI docker"); err != nil {
		t.Error(err)
	}
	if _, err := loadNeeds("UI docker\nU docker"); err == nil {
		t.Error("the same need was listed twice")
	}
}

// TestUnread tells what is not understood from what is known to act.
func TestUnread(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command string
		want    bool
	}{
		{"ls", false},
		{"nobody-knows-this --list", true},
		{"ls --no-such-option", true},
		{"python3 -m json.tool /tmp/x", true},
		{"perl -ne 'print if /x/' /tmp/x", true},
		{"git status", true},
		{"./tool", true},
		{"x=$(cat f); $x", true},
		{"cat '/etc/hosts", true},
		{"rm x", false},
		{"ls --no-such-option; rm x", false},
		{"nobody-knows-this; cat /etc/shadow", false},
		{"sudo nobody-knows-this", false},
		{"ip link set eth0 down", false},
		{"systemctl restart nginx", false},
		{"eval ls", false},
		{"python3 -c 'import shutil; shutil.rmtree(\"/x\")'", false},
	} {
		v := Command(c.command, Bash)
		if v.Unread != c.want {
			t.Errorf("%q is unread: %v, want %v (%v)", c.command, v.Unread, c.want, v.Findings)
		}
		if v.Unread && v.Auto {
			t.Errorf("%q is both unread and auto", c.command)
		}
	}
}

// TestInShell tells what belongs to the shell itself.
func TestInShell(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command string
		want    bool
	}{
		{"ls", false},
		{"cd /etc", true},
		{"cd /etc && ls", true},
		{"(cd /etc && ls)", false},
		{"x=1; echo $x", true},
		{"sh -c 'cd /etc; ls'", false},
		{"jobs", true},
		{"export X=1", true},
		{"umask", true},
		{"set -o", true},
		{"for f in a b; do echo $f; done", false},
		{"echo $(cd /etc && ls)", false},
	} {
		if v := Command(c.command, Bash); v.InShell != c.want {
			t.Errorf("%q belongs to the shell: %v, want %v", c.command, v.InShell, c.want)
		}
	}
}
