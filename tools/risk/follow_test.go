package risk

import "testing"

// Names and paths are followed: the folder, variables, loops, what is printed.
func TestSecretsAreFollowed(t *testing.T) {
	for _, text := range []string{
		"cd /etc && cat shadow", "cd /; cd etc; cat shadow", "cd /etc/ssh; cd ..; cat shadow", "pushd /etc; cat shadow", "(cd /etc; cat shadow)",
		"if cd /etc; then cat shadow; fi", "cd /etc || exit; cat shadow", "cd /etc; sh -c 'cat shadow'", "env -C /etc cat shadow", "tar -C /etc -cf - shadow",
		"x=shadow; cat /etc/$x", "d=/etc; cd $d; cat shadow", "for f in hosts shadow; do cat /etc/$f; done", `cat "$(printf /etc/%s shadow)"`, "cat $(echo /etc/shadow)",
		"grep -r x /etc", "find /etc -exec cat {} +", "cat /etc/s*", "cat /etc/{hosts,shadow}", "while cd /etc; do cat shadow; done", "{ cd /etc; }; cat shadow",
		"case x in x) cd /etc;; esac; cat shadow", "cd /etc; [ -f x ] && cat shadow", "true && cd /etc; cat shadow",
	} {
		if v := Command(text, Bash); !v.Flags.Has(Secret) || v.Auto {
			t.Errorf("%q: %v, auto %t", text, v.Flags, v.Auto)
		}
	}
	for _, text := range []string{"cd /etc && cat hosts", "cat ~/.ssh/known_hosts", "cat ~/.ssh/authorized_keys", "cat /home/x/.ssh/id_ed25519.pub", "cat /etc/ssl/certs/a.pem"} {
		if v := Command(text, Bash); v.Flags.Has(Secret) {
			t.Errorf("%q: %v", text, v.Findings)
		}
	}
}

// A start-up file is one wherever its account's home is.
func TestStartUpFilesAnywhere(t *testing.T) {
	for _, path := range []string{
		"/srv/app/.profile", "/var/lib/postgresql/.bashrc", "/home/x/bin/ls", "/root/bin/ls", "/opt/x/.config/systemd/user/a.service", "/data/.zshenv", ".bashrc",
		"/var/www/.ssh/rc", "/etc/skel/.bashrc", "/opt/tool/bin/ls", "/srv/x/.local/bin/ls",
	} {
		if v := WriteFile(path); !v.Flags.Has(Opaque) || v.Level != High {
			t.Errorf("writing %s: %v %v", path, v.Level, v.Flags)
		}
	}
	for _, text := range []string{"systemctl --user enable x", "systemctl enable --user x.timer", "systemctl --global enable x", "echo x >> /srv/app/.profile", "cp x ~/bin/ls", "cd /srv/app; cp x .profile"} {
		if v := Command(text, Bash); !v.Flags.Has(Opaque) {
			t.Errorf("%q: %v", text, v.Findings)
		}
	}
}

// A host whose name only looks familiar is never a plain one.
func TestLookAlikeHosts(t *testing.T) {
	const a = "\u0430" // a Cyrillic letter
	for _, text := range []string{
		"ping -c1 " + a + "pple.example", "curl -s https://" + a + "pple.example/", "ssh deploy@w" + a + "b-1 uptime", "dig xn--pple-43d.example", "git clone https://" + a + "pple.example/x",
		"scp f w" + a + "b-1:/x", "rsync f w" + a + "b-1:/x", "nc -z w" + a + "b-1 80", "psql -h w" + a + "b-1 -c 'select 1'", "wget https://www.XN--pple-43d.example/",
	} {
		if v := Command(text, Bash); v.Level != High || !v.Flags.Has(Opaque) || v.Plain || v.Auto {
			t.Errorf("%q: %v %v: %v", text, v.Level, v.Flags, v.Findings)
		}
	}
	if v := Fetch("https://" + a + "pple.example/"); v.Level != High || v.Plain {
		t.Errorf("%v %v", v.Level, v.Flags)
	}
	for _, text := range []string{"echo na\u00efve", "ls /srv/B\u00fccher", "grep \u00fc: /srv/x"} {
		if v := Command(text, Bash); v.Flags.Has(Opaque) {
			t.Errorf("%q: %v", text, v.Findings)
		}
	}
}

// A unit of the power state is what it is, whichever verb starts it.
func TestPowerByUnits(t *testing.T) {
	for _, text := range []string{"systemctl start reboot.target", "systemctl start poweroff.target", "systemctl restart systemd-reboot.service", "systemctl --no-block start suspend.target", "systemctl isolate halt.target"} {
		if v := Command(text, Bash); v.Effect != Destroy || !v.Flags.Has(Lockout) {
			t.Errorf("%q: %v %v", text, v.Effect, v.Flags)
		}
	}
}

// A stanza adds to another one of the same name only where it says so.
func TestNoStanzaReplacesAnotherSilently(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		ok    bool
	}{
		{map[string]string{"a": "x: observe\n  -a\nx: mutate\n"}, false},
		{map[string]string{"a": "x: observe\n  -a\nx: mutate again\n"}, true},
		{map[string]string{"a": "x|y: observe\ny sub: observe\ny sub: observe\n"}, false},
		{map[string]string{"a": "x: observe\n", "b": "x: mutate again\n"}, false},
	} {
		table := &catalog{stanzas: map[string][]stanza{}}
		var err error
		for _, file := range []string{"a", "b"} {
			if err == nil {
				err = table.add(file, c.files[file])
			}
		}
		for name := range table.stanzas {
			if err == nil {
				_, err = table.parse(name)
			}
		}
		if (err == nil) != c.ok {
			t.Errorf("%v: %v", c.files, err)
		}
	}
}
