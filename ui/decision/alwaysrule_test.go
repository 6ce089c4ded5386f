package decision_test

import (
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent/policy"
)

func keepable(command string) policy.Request {
	r := run(command)
	r.Scopes = append(r.Scopes, policy.Always)
	r.Keep = "[[rule]]\nname = \"always: touch x\"\nverdict = \"allow\"\ntarget = [\"ssh:web-1\"]\nprogram = \"touch\"\nargv = [\"x\"]\nexact = true\nmatch = [\"touch x\"]\n"
	return r
}

// The rule is shown before it is taken, and only the second key takes it.
func TestAlwaysShowsTheRuleFirst(t *testing.T) {
	s := begin(t, 80, 24, keepable("touch x"))
	s.armed().sees("a always")
	s.typed("a")
	s.waits("the rule is shown")
	s.sees(`program = "touch"`)
	s.sees("a writes the rule")
	s.typed("y")
	s.waits("y means nothing here")
	s.typed("a")
	if a := s.answer(); !a.Approved || a.Scope != policy.Always {
		t.Errorf("%+v", a)
	}
}

func TestAlwaysWaitsForTheRulesLastLine(t *testing.T) {
	s := begin(t, 60, 12, keepable("touch x"))
	s.armed()
	s.read()
	s.typed("a").typed("a")
	s.waits("the last line has not been seen")
	s.read()
	s.sees(`match`)
	s.typed("a")
	if a := s.answer(); !a.Approved || a.Scope != policy.Always {
		t.Errorf("%+v", a)
	}
}

func TestAlwaysCanBeLeftAndIsOnlyThereWhereOffered(t *testing.T) {
	s := begin(t, 80, 24, run("touch x"))
	s.armed().typed("a").typed("a")
	s.waits("not offered")
	s = begin(t, 80, 24, keepable("touch x"))
	s.armed().typed("a")
	s.press(tcell.KeyEscape)
	s.waits("back")
	s.sees("touch x")
	s.typed("y")
	if a := s.answer(); !a.Approved || a.Scope != policy.Once {
		t.Errorf("%+v", a)
	}
}
