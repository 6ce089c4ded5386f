package policy

import (
	"strings"
	"testing"
)

// A rule that can never allow anything is told, with what is in its way.
func TestFutileRules(t *testing.T) {
	for name, c := range map[string]struct {
		rule, want string
		needless   bool
	}{
		"works":                  {"program = \"systemctl\"\nargv = [\"restart\", \"nginx\"]\nexact = true\n", "", false},
		"works by an example":    {"program = \"touch\"\npath = [\"/srv/app/**\"]\nmatch = [\"touch /srv/app/x\"]\n", "", false},
		"works by a path":        {"path = [\"/srv/app/**\"]\n", "", false},
		"names a secret":         {"program = \"cat\"\npath = [\"/home/op/.ssh/id_rsa\"]\nmatch = [\"cat /home/op/.ssh/id_rsa\"]\nflags = [\"secret\"]\n", "", false},
		"a secret":               {"program = \"cat\"\nargv = [\"/home/op/.ssh/id_rsa\"]\nexact = true\n", "holds secrets", false},
		"nod's own":              {"path = [\"/var/lib/own/**\"]\n", "belongs to nod", false},
		"destroys":               {"target = [\"ssh:web-1\"]\nprogram = \"rm\"\nargv = [\"-rf\", \"/srv/x\"]\nexact = true\n", "no rule lifts that", false},
		"destroys in the lab":    {"target = [\"ssh:lab-1\"]\nprogram = \"rm\"\nargv = [\"-rf\", \"/srv/x\"]\nexact = true\n", "", false},
		"locks out":              {"program = \"systemctl\"\nargv = [\"restart\", \"sshd\"]\n", "no rule lifts that", false},
		"shadowed":               {"program = \"reboot-later\"\n", "the rule \"never\" says deny", false},
		"asked":                  {"program = \"ask-me\"\n", "the rule \"sometimes\" says ask", false},
		"no folder":              {"program = \"git\"\nargv = [\"status\"]\n", "must name the folder", false},
		"a folder":               {"program = \"git\"\nargv = [\"status\"]\ndir = [\"/srv/**\"]\n", "", false},
		"no host":                {"program = \"ping\"\nargv = [\"-c1\", \"a.test\"]\nhost = [\"b.test\"]\n", "talks to \"a.test\"", false},
		"only what destroys":     {"effect = [\"destroy\"]\n", "no rule lifts that", false},
		"destroys labs":          {"target = [\"ssh:lab-1\"]\neffect = [\"destroy\"]\n", "", false},
		"two words":              {"program = \"systemctl restart\"\n", "no single plain word", false},
		"needless":               {"program = \"df\"\nargv = [\"-h\"]\n", "runs without it", true},
		"asks and is never told": {"", "", false},
	} {
		verdict := "allow"
		if c.rule == "" {
			verdict, c.rule = "ask", "program = \"rm\"\n"
		}
		all := rules(t, "[[rule]]\nname = \"it\"\nverdict = \""+verdict+"\"\n"+c.rule+`
[[rule]]
name = "never"
verdict = "deny"
program = "reboot-later"
[[rule]]
name = "sometimes"
verdict = "ask"
program = "ask-me"
`)
		s := engine(t, Options{Rules: all, Own: []string{"/var/lib/own"}, Trust: map[string]Trust{"web-*": Prod, "ssh:lab-1": Lab}})
		why, needless := s.Futile(all.All()[0])
		if (why == "") != (c.want == "") || !strings.Contains(why, c.want) || needless != c.needless {
			t.Errorf("%s: %q, %t; want %q, %t", name, why, needless, c.want, c.needless)
		}
	}
}
