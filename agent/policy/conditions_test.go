package policy

import (
	"testing"

	"github.com/nod-console/nod/tools"
)

// Each condition narrows a rule, and all that are set must hold.
func TestEveryConditionOfARule(t *testing.T) {
	const deny = "[[rule]]\nname = \"r\"\nverdict = \"deny\"\n"
	for _, c := range []struct {
		condition, target, text string
		want                    bool
	}{
		{"target = [\"ssh:web-*\"]", "ssh:web-1", "touch x", true},
		{"target = [\"ssh:web-*\"]", "ssh:db-1", "touch x", false},
		{"target = [\"ssh:web-*\", \"docker:?\"]", "docker:a", "touch x", true},
		{"tool = [\"run_shell\"]", "local", "touch x", true},
		{"tool = [\"write_file\"]", "local", "touch x", false},
		{"effect = [\"destroy\"]", "local", "rm x", true},
		{"effect = [\"destroy\"]", "local", "touch x", false},
		{"effect = [\"observe\", \"mutate\"]", "local", "touch x", true},
		{"flags = [\"privesc\", \"exfil\"]", "local", "sudo touch x", true},
		{"flags = [\"exfil\"]", "local", "sudo touch x", false},
		{"level = [\"high\"]", "local", "rm x", true},
		{"level = [\"high\"]", "local", "touch x", false},
		{"program = \"touch\"", "local", "nice touch x", true},
		{"program = \"touch\"\nargv = [\"x\"]", "local", "touch y", false},
		{"path = [\"/srv/**\"]", "local", "touch /srv/a/../b", true},
		{"path = [\"/srv/**\"]", "local", "touch /srv/../etc/b", false},
		{"path = [\"/srv/**\"]\nprogram = \"touch\"\ntarget = [\"local\"]\neffect = [\"mutate\"]", "local", "touch /srv/b", true},
		{"path = [\"/srv/**\"]\nprogram = \"touch\"\ntarget = [\"local\"]\neffect = [\"destroy\"]", "local", "touch /srv/b", false},
	} {
		s := engine(t, Options{Rules: rules(t, deny+c.condition+"\n")})
		if x := s.Explain(on(c.target, command(c.text))); (x.Rule == "r") != c.want {
			t.Errorf("%s on %s: %q: matches is %t, want %t", c.condition, c.target, c.text, x.Rule == "r", c.want)
		}
	}
}

// Secret files are out of reach for file tools and commands alike, in whatever
// case they are written, unless a rule names that very path.
func TestSecretFilesByEveryWay(t *testing.T) {
	for _, path := range []string{
		"/srv/.env", "/srv/.env.production", "/srv/.envrc", "/srv/.env-old", "/srv/x.env", "/home/op/.netrc", "/srv/a.kdbx", "/srv/A.KDBX",
		"/Users/op/Library/Keychains/login.keychain-db", "/srv/tls/site.key", "/home/op/.ssh/id_rsa", "/home/op/.aws/credentials",
	} {
		s := engine(t, Options{ApproveAll: true})
		read := command("")
		read.Action.Kind, read.Action.Path, read.Action.Command = tools.Read, path, ""
		write := read
		write.Action.Kind = tools.Write
		for name, p := range map[string]Proposal{"read": read, "write": write, "command": command("head -c 9 '" + path + "'"), "redirection": command("wc < '" + path + "'")} {
			if x := s.Explain(p); x.Ruling != Deny || x.Rule != ruleSecrets {
				t.Errorf("%s %s: %s by %q", name, path, x.Ruling, x.Rule)
			}
		}
		named := engine(t, Options{Rules: rules(t, "[[rule]]\nverdict = \"ask\"\npath = [\""+path+"\"]\n")})
		if x := named.Explain(read); x.Ruling == Deny {
			t.Errorf("a rule names %s, and it is denied: %s", path, x.Why)
		}
	}
}

// A host is what it is, whatever way leads to it: the configuration names it
// alone, and so may a rule that restricts.
func TestTrustHoldsForAHostByEveryWay(t *testing.T) {
	s := engine(t, Options{
		Trust: map[string]Trust{"web-*": Prod, "db-1": Stage, "10.0.0.1": Prod, "::1": Prod, "ssh:lab-*": Lab},
		Rules: rules(t, "[[rule]]\nname = \"no\"\nverdict = \"deny\"\ntarget = [\"web-*\"]\nprogram = \"reboot\"\n[[rule]]\nname = \"yes\"\nverdict = \"allow\"\ntarget = [\"web-*\"]\nprogram = \"touch\"\n"),
	})
	for target, want := range map[string]Trust{
		"ssh:web-1": Prod, "ssh:deploy@web-1": Prod, "ssh:deploy@web-1:2222": Prod, "ssh:web-1:22": Prod, "web-1": Prod, "docker:web-1": Prod,
		"ssh://deploy@web-1:22": Prod, "ssh:db-1": Stage, "ssh:op@10.0.0.1": Prod, "ssh:op@[::1]:22": Prod, "ssh:lab-3": Lab, "podman:lab-3": "",
		"local": "", "ssh:other": "", "ssh:xweb-1": "",
	} {
		if got := s.TrustOf(target); got != want {
			t.Errorf("%s is %q, want %q", target, got, want)
		}
	}
	if x := s.Explain(on("ssh:web-1", command("reboot"))); x.Rule != "no" {
		t.Errorf("a rule for the host does not restrict it: %s by %q", x.Ruling, x.Rule)
	}
	if x := s.Explain(on("ssh:web-1", command("touch x"))); x.Ruling == Allow {
		t.Error("a rule that allows took a bare name for every way to it")
	}
}
