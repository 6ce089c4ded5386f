package decision_test

import (
	"testing"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// The end of a session is shown with everything that ends with it, exactly, and
// is neither edited nor approved for more than once.
func TestTheEndOfASessionIsShownWithWhatRunsThere(t *testing.T) {
	r := policy.Request{
		ID: "r1", Scopes: []policy.Scope{policy.Once}, Verdict: risk.Manage("kill-session build"),
		Why: "on a target, what changes something asks",
		Action: tools.Action{
			Tool: "tmux-kill-session", Kind: tools.Manage, Target: "local", User: "ops", Command: "kill-session build",
			Busy:  "nod-x-build:shared %5 at its prompt\nnod-x-build:worker %6 runs \"make \u202e  x\"",
			Claim: tools.Claim{Risk: "medium", Mutation: true, Why: "done"},
		},
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		s := begin(t, size[0], size[1], r).armed()
		for _, want := range []string{
			"kill-session build", "ends a session of nod's, its panes and what runs in them", "what ends with it",
			"1 nod-x-build:shared %5 at its prompt", `2 nod-x-build:worker %6 runs "make ⟦U+202E⟧··x"`, "MEDIUM  mutate", "y approves",
		} {
			s.sees(want)
		}
		s.typed("e").typed("c").waits("edited, or approved for more than once")
		if a := s.typed("y").answer(); !a.Approved || a.Scope != policy.Once {
			t.Errorf("%v: %+v", size, a)
		}
	}
	s := begin(t, 40, 10, r).armed()
	s.typed("y").waits("not all of it was on the screen")
}
