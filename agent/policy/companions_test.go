package policy

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools"
)

func hour(string) time.Duration { return time.Hour }

func TestARevertIsAllowedByTheAnswerThatWantsItAlone(t *testing.T) {
	var asked Request
	want := true
	s := engine(t, Options{Reverts: hour, Approver: say(func(r Request) Answer {
		asked = r
		return Answer{Approved: true, Typed: r.Confirm, Revert: want}
	})})
	d := s.decide(t, on("ssh:x", command("ip route del default")))
	if !d.Allowed || d.Revert == nil || d.Revert.After != time.Hour || asked.Revert != d.Revert {
		t.Fatalf("%+v", d)
	}
	step := func(under string, a tools.Action) Decision {
		got, err := s.Decide(context.Background(), Proposal{Action: a, Under: under, Operator: true})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	asked.ID = d.Request.ID
	for _, a := range []tools.Action{d.Revert.Arm, d.Revert.Disarm, d.Revert.Collect, d.Revert.Disarm} {
		got := step(asked.ID, a)
		if !got.Allowed || got.How != ByRevert || s.verifier.Redeem(a, got.Grant) != nil {
			t.Errorf("%+v", got)
		}
		changed := a
		changed.Stdin = append([]byte("reboot\n"), a.Stdin...)
		if got := step(asked.ID, changed); got.Allowed || s.verifier.Check(changed, got.Grant) == nil {
			t.Errorf("another script was allowed: %+v", got)
		}
		if got := step("another", a); got.Allowed {
			t.Errorf("allowed under another request: %+v", got)
		}
	}
	// Denied by itself: it would ask, and the path is a secret.
	plain := s.Explain(Proposal{Action: d.Revert.Arm, Operator: true})
	if plain.Ruling == Allow {
		t.Errorf("a revert's script passes by itself: %+v", plain)
	}

	want = false
	d = s.decide(t, on("ssh:x", command("ip route del default")))
	if !d.Allowed || d.Revert != nil {
		t.Fatalf("%+v", d)
	}
	if got := step(d.Request.ID, d.Request.Revert.Arm); got.Allowed {
		t.Error("armed although the operator did not want it")
	}
}

func TestARevertIsOnlyOfferedWhereItHelps(t *testing.T) {
	var asked Request
	s := engine(t, Options{
		Reverts:  func(target string) time.Duration { return map[string]time.Duration{"ssh:x": time.Minute}[target] },
		Approver: say(func(r Request) Answer { asked = r; return Answer{Approved: true, Typed: r.Confirm, Revert: true} }),
	})
	for _, c := range []struct {
		target, command string
	}{{"local", "ip route del default"}, {"ssh:x", "touch y"}, {"ssh:x", "poweroff"}} {
		if d := s.decide(t, on(c.target, command(c.command))); d.Allowed || asked.Revert != nil || !strings.Contains(d.Reason, "not offered") {
			t.Errorf("%v: %+v", c, d)
		}
	}
	if asked.NoRevert == "" || !asked.Final {
		t.Errorf("poweroff: %q, final %v", asked.NoRevert, asked.Final)
	}
}

func TestAPreviewNeverDoesMoreThanLook(t *testing.T) {
	asks := 0
	ask := say(func(Request) Answer { asks++; return Answer{Approved: true} })
	look := func(s *setup, text string) Decision {
		a := tools.Action{Tool: "preview", Kind: tools.Exec, Target: "local", User: "op", Dir: "/srv", Command: text, Dialect: "sh"}
		d, err := s.Decide(context.Background(), Proposal{Action: a, Operator: true, Preview: true})
		if err != nil {
			t.Fatal(err)
		}
		if d.Allowed != (s.verifier.Check(a, d.Grant) == nil) {
			t.Error("the grant and the decision differ")
		}
		return d
	}
	for _, posture := range []Posture{PostureAsk, PostureAskAll, PostureReadOnly} {
		s := engine(t, Options{Posture: posture, Approver: ask})
		if d := look(s, "find /srv | wc -l"); !d.Allowed || d.How != ByPreview {
			t.Errorf("%s: %+v", posture, d)
		}
		for _, bad := range []string{"rm -r /srv", "touch x", "cat $X", "sudo find /srv", "unknown-program", "cat /etc/shadow"} {
			if d := look(s, bad); d.Allowed {
				t.Errorf("%s: %s: %+v", posture, bad, d)
			}
		}
	}
	s := engine(t, Options{Approver: ask, Rules: rules(t, "[[rule]]\nname = \"no find\"\nverdict = \"deny\"\nprogram = \"find\"\n")})
	if d := look(s, "find /srv | wc -l"); d.Allowed {
		t.Errorf("a rule that denies was passed by: %+v", d)
	}
	// In a closed cage anything is tried that no rule denies; in an open one, only looks are.
	try := func(s *setup, text, grants string) bool {
		a := tools.Action{Tool: "preview", Kind: tools.Exec, Target: "local", User: "op", Dir: "/srv", Command: text, Dialect: "sh", Wall: confine.Landlock, Grants: grants}
		d, err := s.Decide(context.Background(), Proposal{Action: a, Operator: true, Preview: true})
		if err != nil || d.Allowed != (s.verifier.Check(a, d.Grant) == nil) {
			t.Errorf("%s: %v, %+v", text, err, d)
		}
		return d.Allowed
	}
	for _, c := range []struct {
		text, grants string
		want         bool
	}{{"rm -r /srv", confine.Closed, true}, {"unknown-program", confine.Closed, true}, {"rm -r /srv", "", false}, {"unknown-program", "UI", false}, {"find /srv", confine.Closed, false}, {"cat /etc/shadow", confine.Closed, false}} {
		if got := try(s, c.text, c.grants); got != c.want {
			t.Errorf("%s, held with %q: %v", c.text, c.grants, got)
		}
	}
	if asks != 0 {
		t.Errorf("it asked %d times", asks)
	}
}

func TestThePaceOfApprovals(t *testing.T) {
	var asked Request
	after := 2 * time.Second
	s := engine(t, Options{Approver: say(func(r Request) Answer {
		asked = r
		return Answer{Approved: true, Typed: r.Confirm, After: after}
	})})
	if p := s.Pace(); p != (Pace{}) {
		t.Errorf("%+v", p)
	}
	for i, took := range []time.Duration{time.Second, 9 * time.Second, 3 * time.Second, 5 * time.Second} {
		after = took
		s.decide(t, command("touch x"))
		if got := s.Pace().Approvals; got != i+1 {
			t.Errorf("%d approvals", got)
		}
	}
	if p := s.Pace(); p.Median != 4*time.Second {
		t.Errorf("%+v", p)
	}
	s.now = s.now.Add(paceTime + time.Second)
	if p := s.Pace(); p != (Pace{}) {
		t.Errorf("an hour later: %+v", p)
	}

	// Three reflexes: the fourth wants the name, and breaks the row.
	after = 900 * time.Millisecond
	for range 3 {
		s.decide(t, command("touch x"))
		if asked.Hasty != "" || asked.Confirm != "" {
			t.Errorf("too early: %+v", asked)
		}
	}
	if d := s.decide(t, command("touch x")); !d.Allowed || asked.Hasty == "" || asked.Confirm != "local" {
		t.Errorf("no friction: %+v", asked)
	}
	s.decide(t, command("touch x"))
	if asked.Hasty != "" || asked.Confirm != "" {
		t.Errorf("the row goes on: %+v", asked)
	}
	// A reflex without the name is a denial.
	s = engine(t, Options{Approver: say(func(Request) Answer { return Answer{Approved: true, After: time.Millisecond} })})
	for i := range 5 {
		if d := s.decide(t, command("touch x")); d.Allowed != (i < 3) {
			t.Errorf("approval %d: %+v", i+1, d)
		}
	}
}
