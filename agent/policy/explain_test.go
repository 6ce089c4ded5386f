package policy

import (
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// What explains a ruling names the rule, its line and the part of the command.
func TestExplainPointsAtThePartThatDecides(t *testing.T) {
	s := engine(t, Options{Rules: rules(t, `
# the operator's
[[rule]]
name = "no reboots"
verdict = "deny"
program = "reboot"

[[rule]]
name = "etc"
verdict = "type"
path = ["/etc/**"]
`)})
	for _, c := range []struct {
		text, rule, part string
		line             int
	}{
		{"uptime; reboot -f", "no reboots", "reboot -f", 3},
		{"uptime && sudo reboot", "no reboots", "sudo reboot", 3},
		{"uptime; sh -c 'sleep 1; reboot'", "no reboots", "'sleep 1; reboot'", 3},
		{"uptime; echo 'reboot now' | sh", "no reboots", "uptime; echo 'reboot now' | sh", 3},
		{"touch a /etc/x", "etc", "/etc/x", 8},
		{"cat .env", ruleSecrets, ".env", 0},
		{"touch x", "", "", 0},
	} {
		x := s.Explain(command(c.text))
		if got := c.text[x.Part.Start:x.Part.End]; x.Rule != c.rule || x.Line != c.line || got != c.part {
			t.Errorf("%q: %q at line %d by %q; want %q at %d by %q", c.text, x.Rule, x.Line, got, c.rule, c.line, c.part)
		}
	}
}

func TestErrorsOfTheRulesFileNameTheLineAndTheValue(t *testing.T) {
	const head = "# mine\n[[rule]]\nverdict = \"deny\"\nprogram = \"reboot\"\n\n"
	for text, want := range map[string][]string{
		"[[rule]]\nname = \"a\"\nverdict = \"perhaps\"\n":                       {"line 8", `"perhaps"`, "allow, ask, type or deny"},
		"[[rule]]\nname = \"b\"\nverdict = \"deny\"\neffect = [\"explode\"]\n":  {"line 6", `"explode"`, "observe, mutate or destroy"},
		"[[rule]]\nname = \"c\"\nverdict = \"allow\"\n":                         {"line 6", `"c"`, "needs a program"},
		"[[ rule ]]\nverdict = \"deny\"\nprogramm = \"x\"\n":                    {"line 8", `"programm"`},
		"[[rule]]\nverdict = \"allow\"\nprogram = \"ls\"\nmatch = [\"rm x\"]\n": {"line 6", `"rm x"`, "matches is false, want true"},
		"[[rule]\n": {"line 6"},
	} {
		_, err := ParseRules([]byte(head + text))
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%q: %v; want %q in it", text, err, w)
			}
		}
	}
	_, faults := CheckRules([]byte("[[rule]]\nverdict=\"allow\"\n[[rule]]\nverdict=\"deny\"\npath=[\"etc\"]\n"))
	if len(faults) != 2 {
		t.Errorf("%v, want both", faults)
	}
}

func TestTheWindowLiftsNothingThatIsNotUnderstoodOrThatARuleAsksAbout(t *testing.T) {
	s := engine(t, Options{Approver: no, Rules: rules(t, "[[rule]]\nverdict = \"ask\"\nprogram = \"systemctl\"\n")})
	if err := s.OpenWindow(time.Minute); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"mkdir x": true, "docker restart web": true, "touch x": false, "mkdir -p x && touch x/y": false, "systemctl restart app": false, "frobnicate": false,
		"touch --frob x": false, "git frob": false, "sudo touch x": false, "rm x": false, "scp a b:": false,
	} {
		if d := s.decide(t, command(text)); d.Allowed != want {
			t.Errorf("%q: %s", text, d.How)
		}
	}
	s.now = s.now.Add(time.Minute)
	if d := s.decide(t, command("mkdir x")); d.Allowed {
		t.Error("the window never closed")
	}
}

// A rule that restricts holds for plain observations, too.
func TestRulesRestrictPlainObservations(t *testing.T) {
	for verdict, want := range map[string]Ruling{"ask": Ask, "type": Type, "deny": Deny} {
		s := engine(t, Options{Rules: rules(t, "[[rule]]\nname = \"df\"\nverdict = \""+verdict+"\"\nprogram = \"df\"\n")})
		if x := s.Explain(command("df -h")); x.Ruling != want || x.Rule != "df" {
			t.Errorf("%s: %s by %q", verdict, x.Ruling, x.Rule)
		}
		if x := s.Explain(command("rm -rf x; df")); x.Ruling.strictness() < Type.strictness() {
			t.Errorf("%s made what destroys milder: %s", verdict, x.Ruling)
		}
	}
}

// Taint makes a plain observation ask, in every posture, and lifts nothing.
func TestTaintedCommandsAsk(t *testing.T) {
	for _, c := range []struct {
		posture  Posture
		text     string
		operator bool
		rules    string
		want     Ruling
	}{
		{PostureAsk, "ls /srv", false, "", Ask},
		{PostureAskAll, "ls /srv", false, "", Ask},
		{PostureReadOnly, "ls /srv", false, "", Ask},
		{PostureReadOnly, "touch /srv", false, "", Deny},
		{PostureReadOnly, "cat /etc/nginx/x | sudo tee y", false, "", Deny},
		{PostureAsk, "rm -r /srv", false, "", Type},
		{PostureAsk, "ls /srv", true, "", Allow},
		{PostureAsk, "ls /srv", false, "[[rule]]\nverdict = \"allow\"\nprogram = \"ls\"\n", Allow},
		{PostureAsk, "ls /srv", false, "[[rule]]\nverdict = \"deny\"\nprogram = \"ls\"\n", Deny},
	} {
		s := engine(t, Options{Posture: c.posture, Rules: rules(t, c.rules)})
		p := command(c.text)
		p.Operator, p.Taint = c.operator, []Span{{3, 7}}
		x := s.Explain(p)
		if x.Ruling != c.want {
			t.Errorf("%s: %q: %s (%s), want %s", c.posture, c.text, x.Ruling, x.Why, c.want)
		}
		if !c.operator && x.Verdict.Auto {
			t.Errorf("%q is still automatic", c.text)
		}
	}
	s := engine(t, Options{Approver: no})
	if err := s.OpenWindow(time.Minute); err != nil {
		t.Fatal(err)
	}
	p := command("touch /srv")
	p.Taint = []Span{{6, 10}}
	if d := s.decide(t, p); d.Allowed {
		t.Error("the window lets pass what a target has said")
	}
}

// What restricts cannot be passed by another way to say the same.
func TestRulesThatRestrictFollowNamesAndPaths(t *testing.T) {
	text := "[[rule]]\nname = \"no rm\"\nverdict = \"deny\"\nprogram = \"rm\"\n\n[[rule]]\nname = \"etc\"\nverdict = \"deny\"\npath = [\"/etc/**\"]\neffect = [\"mutate\", \"destroy\"]\n"
	s := engine(t, Options{Rules: rules(t, text)})
	for _, command := range []string{
		"r=rm; $r x", "r=r; ${r}m x", "for p in ls rm; do $p x; done", "$(echo rm) x", "env rm x", "sh -c 'r=rm; $r x'", "export R=rm; $R x",
		"cd /etc; touch x", "cd /etc && touch x", "(cd /etc; touch x)", "cd /; cd etc; touch x", "pushd /etc; touch x", "d=/etc; touch $d/x", "d=/etc; cd $d; touch x",
		"for d in /srv /etc; do touch $d/x; done", "cp x /etc/", "cp x /etc", "cp -t /etc x", "rsync -a x /etc/", "touch /et?/x", "touch /e*/x", "touch /[e]tc/x", "install -t /etc x",
		"rm -rf /", "tar -C /etc -xf a.tar", "git -C /etc init", "env -C /etc touch x", "sh -c 'cd /etc; touch x'",
	} {
		if x := s.Explain(on("local", Proposal{Action: tools.Action{Kind: tools.Run, Tool: "run_shell", Target: "local", Dialect: "bash", Dir: "/srv", Command: command}})); x.Ruling != Deny {
			t.Errorf("%q: %s by %q", command, x.Ruling, x.Rule)
		}
	}
	for _, command := range []string{"cp x /srv/", "cd /srv; touch x", "ls /etc", "cd /etc; ls", "touch /etcetera/x", "touch /srv/etc/x"} {
		if x := s.Explain(Proposal{Action: tools.Action{Kind: tools.Run, Tool: "run_shell", Target: "local", Dialect: "bash", Dir: "/srv", Command: command}}); x.Ruling == Deny {
			t.Errorf("%q: denied by %q", command, x.Rule)
		}
	}
}

// A rule that allows goes no further than its examples, whatever its verdict is.
func TestRulesThatAllowDoNotStretch(t *testing.T) {
	for text, want := range map[string]map[string]bool{
		"program = \"systemctl\"\nargv = [\"restart\"]\nmatch = [\"systemctl restart nginx\"]\n": {
			"systemctl restart nginx": true, "systemctl restart php-fpm": true, "systemctl restart '*'": false, "systemctl restart 'ngin?'": false, "systemctl restart '[n]ginx'": false,
		},
		"program = \"sudo\"\nmatch = [\"sudo systemctl status nginx\"]\n": {
			"sudo systemctl status nginx": true, "sudo systemctl status nginx --output=x": false, "sudo sh -c 'systemctl status nginx'": false, "sudo cat /etc/hosts": false, "sudo -n systemctl status nginx": false,
		},
		"program = \"sudo\"\nargv = [\"systemctl\", \"status\"]\nmatch = [\"sudo systemctl status nginx\"]\n": {
			"sudo systemctl status nginx": true, "sudo systemctl status php-fpm": true, "sudo cat /etc/hosts": false,
		},
		"program = \"curl\"\nhost = [\"*.example.com\"]\nmatch = [\"curl https://api.example.com/x\"]\n": {
			"curl https://api.example.com/y": true, "curl -L https://api.example.com/x": false, "curl --location https://api.example.com/x": false, "curl https://example.org/": false,
		},
		"program = \"pkill\"\nmatch = [\"pkill worker\"]\n": {"pkill worker": true, "pkill .": false, "pkill '.*'": false},
	} {
		s := engine(t, Options{Rules: rules(t, "[[rule]]\nverdict = \"allow\"\n"+text)})
		for cmd, ok := range want {
			if x := s.Explain(command(cmd)); (x.Ruling == Allow) != ok {
				t.Errorf("%s%q: %s by %q", text, cmd, x.Ruling, x.Rule)
			}
		}
	}
}

// Neither for good nor for the conversation is what only looks familiar approved.
func TestALookAlikeHostIsApprovedOnceAtMost(t *testing.T) {
	s := engine(t, Options{Approver: no, Keep: func(string) (*Rules, error) { return &Rules{}, nil }})
	for _, text := range []string{"ping -c1 w\u0435b-1", "ssh w\u0435b-1 uptime", "curl -s https://\u0435xample.com/", "curl -s https://xn--xample-2of.com/"} {
		p := command(text)
		p.Named = func(string) bool { return true }
		d := s.decide(t, p)
		if d.Request == nil || len(d.Request.Scopes) != 1 || d.Request.Keep != "" || d.Verdict.Level != risk.High {
			t.Errorf("%q: %+v", text, d.Request)
		}
	}
}
