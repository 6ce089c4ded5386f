package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/fleet/nodeset"
	"github.com/nod-console/nod/tools/risk"
)

// onAll is a command without a pane on several targets.
func onAll(text string, targets ...string) Proposal {
	p := command(text)
	p.Action.Kind, p.Action.Pane, p.Action.Dir = tools.Exec, "", ""
	parts := make([]tools.Action, len(targets))
	for i, target := range targets {
		parts[i] = p.Action
		parts[i].Target = target
	}
	p.Action = tools.Join(nodeset.Fold(targets), parts)
	return p
}

func fleet(from, to int) []string {
	var names []string
	for i := from; i <= to; i++ {
		names = append(names, fmt.Sprintf("ssh:web-%02d", i))
	}
	return names
}

// TestTheStrictestTargetDecides: what one target denies or asks about, all wait for.
func TestTheStrictestTargetDecides(t *testing.T) {
	deny := rules(t, "[[rule]]\nname = \"not there\"\nverdict = \"deny\"\ntarget = [\"ssh:web-02\"]\nprogram = \"systemctl\"\n")
	allow := rules(t, "[[rule]]\nname = \"a\"\nverdict = \"allow\"\ntarget = [\"ssh:web-0[1-3]\"]\nprogram = \"systemctl\"\nargv = [\"restart\", \"app\"]\nexact = true\n")
	prod := map[string]Trust{"ssh:web-03": Prod}
	for _, c := range []struct {
		name, line string
		opt        Options
		want       Ruling
		confirm    bool
		why        string
	}{
		{"looks", "uptime", Options{}, Allow, false, ""},
		{"looks on prod", "uptime", Options{Trust: prod}, Allow, false, ""},
		{"a change", "systemctl restart app", Options{}, Ask, false, ""},
		{"one is prod", "systemctl restart app", Options{Trust: prod}, Ask, true, ""},
		{"a loss", "rm -rf /srv/app", Options{}, Type, true, ""},
		{"a rule for some", "systemctl restart app", Options{Rules: allow}, Ask, false, "on ssh:web-04"},
		{"one is denied", "systemctl restart app", Options{Rules: deny}, Deny, false, "denied are ssh:web-02, and so nothing runs on the others"},
		{"secrets", "cat /home/op/.ssh/id_rsa", Options{}, Deny, false, "secrets"},
		{"ask-all", "uptime", Options{Posture: PostureAskAll}, Ask, false, ""},
		{"read-only", "systemctl restart app", Options{Posture: PostureReadOnly}, Deny, false, "read-only"},
	} {
		x := engine(t, c.opt).Explain(onAll(c.line, fleet(1, 4)...))
		if x.Ruling != c.want || x.Confirm != c.confirm || !strings.Contains(x.Why, c.why) {
			t.Errorf("%s: %s, confirm %t: %s; want %s", c.name, x.Ruling, x.Confirm, x.Why, c.want)
		}
	}
}

// TestOneQuestionForAllTargets, which shows who they are, and whose approval is of use for
// exactly these.
func TestOneQuestionForAllTargets(t *testing.T) {
	var asked []Request
	s := engine(t, Options{Trust: map[string]Trust{"ssh:web-3*": Prod}, Approver: say(func(r Request) Answer {
		asked = append(asked, r)
		return Answer{Approved: true, Typed: r.Confirm}
	})})
	p := onAll("systemctl restart app", fleet(1, 40)...)
	p.Action.Parts[4].User, p.Action.User = "root", ""
	d := s.decide(t, p)
	if len(asked) != 1 || !d.Allowed || len(d.Grants) != 40 {
		t.Fatalf("asked %d times: %+v", len(asked), d)
	}
	r := asked[0]
	if r.Confirm != "ssh:web-[01-40]" || !slices.Equal(r.Scopes, []Scope{Once}) || r.Trust != Prod {
		t.Errorf("%q, %v, %s", r.Confirm, r.Scopes, r.Trust)
	}
	if want := "APPROVE on 40 targets, 10 of them prod"; Title(r) != want {
		t.Errorf("%q, want %q", Title(r), want)
	}
	sections := r.Sections()
	want := "ssh:web-[01-04,06-29,40] as op\nssh:web-05 as root\nssh:web-[30-39] (prod) as op"
	if len(sections) != 2 || sections[0].Text != "systemctl restart app" || sections[1].Title != "on 40 targets, 10 of them prod" || sections[1].Text != want {
		t.Errorf("%+v", sections)
	}
	for i, part := range d.Action.Parts {
		if err := s.verifier.Check(part, d.Grants[i]); err != nil || part.PartOf != d.Action.Digest().String() {
			t.Errorf("%s: %v", part.Target, err)
		}
		alone := part
		alone.PartOf = ""
		if s.verifier.Check(alone, d.Grants[i]) == nil || s.verifier.Check(p.Action.Parts[i], d.Grants[i]) == nil {
			t.Errorf("%s is granted alone", part.Target)
		}
	}
	if !strings.Contains(Describe(r), "ssh:web-[30-39] (prod) as op") {
		t.Errorf("%s", Describe(r))
	}
}

// TestALongNameOfManyTargetsIsNotTyped: how many they are is.
func TestALongNameOfManyTargetsIsNotTyped(t *testing.T) {
	names := []string{"docker:api", "local", "ssh:alpha.example.com", "ssh:beta.example.com", "ssh:gamma.example.com"}
	var asked Request
	s := engine(t, Options{Approver: say(func(r Request) Answer { asked = r; return Answer{Approved: true, Typed: r.Confirm} })})
	if d := s.decide(t, onAll("rm -rf /srv/app", names...)); !d.Allowed || asked.Confirm != "5 targets" {
		t.Errorf("%t, %q", d.Allowed, asked.Confirm)
	}
}

// TestPartsThatAreAnotherActionAreDenied: what is shown is the whole's.
func TestPartsThatAreAnotherActionAreDenied(t *testing.T) {
	s := engine(t, Options{Approver: yes})
	p := onAll("uptime", fleet(1, 2)...)
	p.Action.Parts[1].Command = "reboot"
	if d := s.decide(t, p); d.Allowed || !strings.Contains(d.Reason, "another action") {
		t.Errorf("%+v", d)
	}
}

// TestEachTargetHasItsOwnWall: what holds a look on one does not hold it on another.
func TestEachTargetHasItsOwnWall(t *testing.T) {
	s := engine(t, Options{Cage: func(_ context.Context, target string) Cage {
		if target == "ssh:web-02" {
			return nil
		}
		return sham{confine.Landlock}
	}})
	d := s.decideAsIs(t, onAll("uptime", fleet(1, 3)...))
	var walls []string
	for _, part := range d.Action.Parts {
		walls = append(walls, string(part.Wall))
	}
	if !d.Allowed || strings.Join(walls, " ") != "L  L" {
		t.Errorf("%t, %q", d.Allowed, walls)
	}
	// What only a cage lets run unasked asks where there is none.
	if x := s.explained(t.Context(), harmlessly("./check", fleet(1, 3)...)); x.Ruling != Ask || !strings.Contains(x.Why, "ssh:web-02") {
		t.Errorf("%s: %s", x.Ruling, x.Why)
	}
	if x := s.explained(t.Context(), harmlessly("./check", "ssh:web-01", "ssh:web-03")); x.Ruling != Allow || x.How != ByWall {
		t.Errorf("%s by %s: %s", x.Ruling, x.How, x.Why)
	}
}

// harmlessly is onAll with a model that claims nothing.
func harmlessly(text string, targets ...string) *Proposal {
	p := onAll(text, targets...)
	p.Action.Claim = tools.Claim{Risk: "low", Why: "a test"}
	for i := range p.Action.Parts {
		p.Action.Parts[i].Claim = p.Action.Claim
	}
	return &p
}

// decideAsIs is decide for what gets walls on its way.
func (s *setup) decideAsIs(t *testing.T, p Proposal) Decision {
	t.Helper()
	d, err := s.Decide(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestApprovalsOfSetsAndOfTargetsAreApart: what was approved for one target is none for
// several.
func TestApprovalsOfSetsAndOfTargetsAreApart(t *testing.T) {
	s := engine(t, Options{Approver: say(func(r Request) Answer {
		return Answer{Approved: true, Typed: r.Confirm, Scope: r.Scopes[len(r.Scopes)-1]}
	})})
	one := command("systemctl restart app")
	one.Action.Kind, one.Action.Pane, one.Action.Dir = tools.Exec, "", "/srv"
	one.Action.Target = "ssh:web-01"
	if d := s.decide(t, one); !d.Allowed {
		t.Fatal(d.Reason)
	}
	if x := s.Explain(one); x.Ruling != Allow || x.How != ByConversation {
		t.Fatalf("%s by %s", x.Ruling, x.How)
	}
	two := onAll("systemctl restart app", fleet(1, 2)...)
	for i := range two.Action.Parts {
		two.Action.Parts[i].Dir = "/srv"
	}
	two.Action.Dir = "/srv"
	if x := s.Explain(two); x.Ruling != Ask {
		t.Errorf("%s by %s", x.Ruling, x.How)
	}
}

// TestALoginAsks whatever the posture, and a rule can let it pass.
func TestALoginAsks(t *testing.T) {
	login := Proposal{Conversation: "c", Call: "1", Action: tools.Action{
		Tool: "connect_target", Kind: tools.Connect, Target: "ssh:web-01", Claim: tools.Claim{Risk: "low", Why: "a test"},
	}}
	allow := rules(t, "[[rule]]\nname = \"a\"\nverdict = \"allow\"\ntool = [\"connect_target\"]\ntarget = [\"ssh:web-*\"]\n")
	for _, c := range []struct {
		opt  Options
		want Ruling
	}{{Options{}, Ask}, {Options{Posture: PostureReadOnly}, Ask}, {Options{Trust: map[string]Trust{"*": Prod}}, Ask}, {Options{Rules: allow}, Allow}} {
		if x := engine(t, c.opt).Explain(login); x.Ruling != c.want || x.Confirm {
			t.Errorf("%+v: %s, confirm %t: %s", c.opt, x.Ruling, x.Confirm, x.Why)
		}
	}
	if s := (Request{Action: login.Action}).Sections(); len(s) != 1 || s[0].Title != "connect" || s[0].Text != "ssh:web-01" {
		t.Errorf("%+v", s)
	}
}

// TestKeysForSeveralPanesShowTheRiskOfEach: each pane is judged by what reads the keys there
// and by what stands on its line, and the strictest counts for all.
func TestKeysForSeveralPanesShowTheRiskOfEach(t *testing.T) {
	parts := []tools.Action{
		{Target: "local", Pane: "%2", Dialect: "bash", Prompt: true, Dir: "/srv"},
		{Target: "ssh:web-01", Pane: "%1", Dialect: "bash", Prompt: true, Dir: "/srv"},
		{Target: "ssh:web-02", Pane: "%1", Dialect: "bash", Prompt: true, Dir: "/srv", Pending: "rm -rf "},
		{Target: "ssh:web-03", Pane: "%1", Dialect: "bash", Dir: "/", Busy: "apt upgrade; read x\n2 ssh:web-04: LOW"},
		{Target: "ssh:web-04", Pane: "%1", Dialect: "bash", Dir: "/srv", Program: "psql", Inside: []string{"ssh db"}},
	}
	for i := range parts {
		parts[i].Tool, parts[i].Kind, parts[i].User, parts[i].Literal, parts[i].Enter = "send-keys", tools.Type, "op", "uptime", true
	}
	var asked Request
	s := engine(t, Options{Trust: map[string]Trust{"ssh:web-02": Prod}, Approver: say(func(r Request) Answer {
		asked = r
		return Answer{Approved: true, Typed: r.Confirm}
	})})
	d := s.decide(t, Proposal{Operator: true, Action: tools.Join("local,ssh:web-[01-04]", parts)})
	if !d.Allowed || len(d.Grants) != len(parts) || asked.Confirm == "" || !asked.Verdict.Effect.AtLeast(risk.Destroy) {
		t.Fatalf("%+v, asked %+v", d, asked)
	}
	sections := asked.Sections()
	want := strings.Join([]string{
		`local as op: LOW observe; pane %2, bash prompt, in /srv`,
		`ssh:web-01 as op: LOW observe; pane %1, bash prompt, in /srv`,
		`ssh:web-02 (prod) as op: HIGH destroy opaque; pane %1, bash prompt, in /srv, behind "rm -rf "`,
		`ssh:web-03 as op: HIGH mutate opaque; pane %1, into "apt upgrade; read x\n2 ssh:web-04: LOW", in /`,
		`ssh:web-04 as op: HIGH mutate opaque; pane %1, read by psql, inside ssh db, in /srv`,
	}, "\n")
	if last := sections[len(sections)-1]; last.Text != want {
		t.Errorf("%s\nwant\n%s", last.Text, want)
	}
	for _, section := range sections {
		if len(section.Findings) > 0 {
			t.Errorf("findings of a line that is not shown: %+v", section)
		}
	}
	// A look at each of them asks nobody.
	if x := s.Explain(Proposal{Operator: true, Action: tools.Join("local,ssh:web-01", parts[:2])}); x.Ruling != Allow {
		t.Errorf("%s: %s", x.Ruling, x.Why)
	}
}

// TestTaintOfKeysIsCountedInEachLine.
func TestTaintOfKeysIsCountedInEachLine(t *testing.T) {
	parts := []tools.Action{{Kind: tools.Type, Target: "a", Literal: "x"}, {Kind: tools.Type, Target: "b", Literal: "x", Pending: "echo "}}
	p := Proposal{Action: tools.Join("a,b", parts), Taint: []Span{{0, 1}}}
	if got := p.part(p.Action.Parts[1]).Taint[0]; got != (Span{5, 6}) || p.Taint[0] != (Span{0, 1}) {
		t.Errorf("%v, and %v of the whole", got, p.Taint)
	}
}
