package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools/risk"
)

// What is sent to another host runs by itself only where the host is one of the
// operator's targets or was named by him.
func TestOtherHostsAreAskedOnlyWhereTheyAreKnown(t *testing.T) {
	s := engine(t, Options{Hosts: func() []string { return []string{"web-1"} }})
	named := func(hosts ...string) func(string) bool {
		return func(h string) bool { return slices.Contains(hosts, h) }
	}
	for _, c := range []struct {
		command string
		named   func(string) bool
		want    Ruling
	}{
		{"ping -c1 web-1", nil, Allow},
		{"ping -c1 WEB-1", nil, Allow},
		{"ssh deploy@web-1 uptime", nil, Allow},
		{"ping -c1 web-2", nil, Ask},
		{"ping -c1 web-2", named("web-2"), Allow},
		{"ping -c1 web-2.example.com", named("web-2"), Ask},
		{"dig @192.0.2.1 web-2", named("web-2"), Ask},
		{"dig @192.0.2.1 web-2", named("web-2", "192.0.2.1"), Allow},
		{"curl -s http://localhost:9200/", nil, Allow},
		{"curl -s https://web-2/x", named("web-2"), Allow},
		{"curl -s 'https://web-2/x?q=1'", named("web-2"), Ask},    // it could carry data
		{"curl -s -d x https://web-2/", named("web-2"), Ask},      // it does
		{"ping -c1 web-2; touch /tmp/x", named("web-2"), Ask},     // it changes something
		{`ping -c1 "$x"`, func(string) bool { return true }, Ask}, // nobody knows where to
		{"aws s3 ls s3://backups/", named("backups"), Ask},
		{"aws s3 ls s3://backups/", named("s3://backups"), Allow},
	} {
		p := command(c.command)
		p.Named = c.named
		x := s.Explain(p)
		if x.Ruling != c.want {
			t.Errorf("%q: %s (%s), want %s", c.command, x.Ruling, x.Why, c.want)
		}
		if strings.HasPrefix(c.command, "ping -c1 web-2") && c.named == nil && !strings.Contains(x.Why, "web-2") {
			t.Errorf("%q: the reason does not name the host: %s", c.command, x.Why)
		}
	}
	tainted := command("ping -c1 web-1")
	tainted.Taint = []Span{{9, 14}}
	if x := s.Explain(tainted); x.Ruling != Ask {
		t.Errorf("a host that a target has printed: %s", x.Ruling)
	}
	inside := command("ping -c1 web-1")
	inside.Action.Inside = []string{"ssh db-1"}
	if x := s.Explain(inside); x.Ruling == Allow {
		t.Error("it runs by itself in a shell that may be anywhere")
	}
	s.SetPosture(PostureReadOnly)
	if x := s.Explain(command("ping -c1 web-2")); x.Ruling != Ask {
		t.Errorf("read-only: %s, want a question", x.Ruling)
	}
	s.SetPosture(PostureAskAll)
	if x := s.Explain(command("ping -c1 web-1")); x.Ruling != Ask {
		t.Errorf("ask-all: %s", x.Ruling)
	}
}

// A rule that allows covers the hosts that it or its examples name, and no other.
func TestRulesForHosts(t *testing.T) {
	s := engine(t, Options{Rules: rules(t, `
[[rule]]
name = "ours"
verdict = "allow"
program = "dig"
host = ["*.example.com", "10.0.0.2"]
match = ["dig @10.0.0.2 api.example.com"]
not_match = ["dig a.test", "dig @192.0.2.1 api.example.com"]
[[rule]]
name = "one"
verdict = "allow"
program = "ping"
match = ["ping -c1 db-1"]
[[rule]]
name = "looking"
verdict = "allow"
effect = ["observe"]
[[rule]]
name = "never there"
verdict = "deny"
host = ["*.bad.test"]
`)})
	for text, want := range map[string]Ruling{
		"dig api.example.com": Allow, "dig @10.0.0.2 api.example.com": Allow,
		"dig api.example.com.a.test": Ask, "dig @192.0.2.1 api.example.com": Ask,
		"ping -c3 db-1": Allow, "ping -c3 db-2": Ask, "ping db-1.a.test": Ask,
		"host db-1": Ask, "curl -s https://x.bad.test/": Deny, "dig X.BAD.test": Deny,
	} {
		if x := s.Explain(command(text)); x.Ruling != want {
			t.Errorf("%q: %s by %q (%s), want %s", text, x.Ruling, x.Rule, x.Why, want)
		}
	}
}

// What the configuration in a folder names runs along, so that only a rule for
// that folder lets it pass, and nothing that was approved there holds elsewhere.
func TestWhatAFolderNamesNeedsARuleForTheFolder(t *testing.T) {
	s := engine(t, Options{Keep: func(string) (*Rules, error) { return nil, nil }, Rules: rules(t, `
[[rule]]
name = "app"
verdict = "allow"
program = "git"
argv = ["status"]
dir = ["/srv/app", "/srv/app/**"]
match = ["git status -s"]
[[rule]]
name = "by its path"
verdict = "allow"
program = "git"
argv = ["-C", "/srv/web", "log"]
[[rule]]
name = "anywhere"
verdict = "allow"
program = "git"
argv = ["diff"]
exact = true
[[rule]]
name = "looking"
verdict = "allow"
effect = ["observe"]
`)})
	in := func(dir, text string) Proposal {
		p := command(text)
		p.Action.Dir = dir
		return p
	}
	for _, c := range []struct {
		dir, command string
		want         Ruling
	}{
		{"/srv/app", "git status", Allow}, {"/srv/app/sub", "git status -s", Allow}, {"/srv/app/../x", "git status", Ask},
		{"/srv/evil", "git status", Ask}, {"", "git status", Ask}, {"app", "git status", Ask},
		{"/srv/app", "git status; ls", Ask}, {"/srv/app", "git -C /srv/evil status", Ask}, {"/srv/app", "git log", Ask},
		{"/srv/evil", "git -C /srv/web log", Allow}, {"/srv/web", "git log", Ask}, {"/srv/web", "git -C /srv/web -C /srv/evil log", Ask},
		{"/srv/app", "git diff", Ask}, // that rule names no folder
		{"/srv/evil", "git --no-pager remote -v", Allow},
	} {
		if x := s.Explain(in(c.dir, c.command)); x.Ruling != c.want {
			t.Errorf("%q in %q: %s by %q (%s), want %s", c.command, c.dir, x.Ruling, x.Rule, x.Why, c.want)
		}
	}
	known, unknown := in("/srv/evil", "git log"), in("", "git log")
	r := s.request(known, s.Explain(known))
	if !slices.Contains(r.Scopes, Conversation) || !strings.Contains(r.Keep, `dir = ["/srv/evil"]`) {
		t.Errorf("in a folder that is known: %v, the rule %q", r.Scopes, r.Keep)
	}
	if r := s.request(unknown, s.Explain(unknown)); len(r.Scopes) != 1 {
		t.Errorf("in a folder that is not known, more than once is offered: %v", r.Scopes)
	}
	s.SetPosture(PostureReadOnly)
	if x := s.Explain(in("/srv/app", "git status")); x.Ruling != Allow {
		t.Errorf("read-only, by the rule: %s (%s)", x.Ruling, x.Why)
	}
	if x := s.Explain(known); x.Ruling != Ask {
		t.Errorf("read-only: %s (%s)", x.Ruling, x.Why)
	}
	if x := s.Explain(in("/srv/app", "git commit -m x")); x.Ruling != Deny {
		t.Errorf("read-only, a change: %s", x.Ruling)
	}
	if v := risk.Command("git status", risk.Bash); v.Auto || v.Plain {
		t.Error("git status is plain")
	}
}

// Where nothing can be put on record, plain observations run and nothing else
// does, and nobody is asked.
func TestUnrecordedOnlyObservationsPass(t *testing.T) {
	s := engine(t, Options{ApproveAll: true, Rules: rules(t, "[[rule]]\nverdict = \"allow\"\nprogram = \"touch\"\nargv = [\"/srv/x\"]\nexact = true\n"), Hosts: func() []string { return []string{"web-1"} }})
	for text, want := range map[string]bool{
		"df -h": true, "ping -c1 web-1": true, "ping -c1 web-2": false, "touch /srv/x": false, "touch /srv/y": false,
		"git status": false, "cat /etc/shadow": false, "df -h > /srv/x": false,
	} {
		p := command(text)
		p.Unrecorded = true
		if d := s.decide(t, p); d.Allowed != want || d.Asked {
			t.Errorf("%q: %+v", text, d)
		}
	}
	p := command("df -h")
	p.Unrecorded, p.Must = true, "it holds a secret"
	if d := s.decide(t, p); d.Allowed {
		t.Error("what the operator must allow himself passes")
	}
	s.SetPosture(PostureAskAll)
	p = command("df -h")
	p.Unrecorded = true
	if d := s.decide(t, p); d.Allowed || d.Asked {
		t.Errorf("ask-all: %+v", d)
	}
}
