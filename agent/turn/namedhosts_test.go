package turn_test

import (
	"testing"

	"github.com/nod-console/nod/agent"
)

// A host that a command asks is known if the operator has named it in the
// conversation; that the model or a target has is not enough.
func TestAHostIsKnownIfTheOperatorHasNamedIt(t *testing.T) {
	for prompt, asks := range map[string]bool{"is web-2 up?": false, "is web-1 up?": true, "is web-2.example.com up?": true} {
		b := newBench(t, options{}, callsFor(cmd("1", "sh", "ping -c1 web-2")), says("web-2 is up"))
		b.Answer = approve
		b.Run(t.Context(), prompt)
		if got := len(eventsOf[agent.ApprovalAsked](b)) > 0; got != asks {
			t.Errorf("%q: asked is %t", prompt, got)
		}
		if len(b.Executed()) != 1 {
			t.Errorf("%q: ran %q", prompt, b.Executed())
		}
	}
}
