package turn_test

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/agent/turn"
)

// Where the operator has switched all tools off, the model is offered none, and a call that
// it makes all the same is not run.
func TestWithoutTools(t *testing.T) {
	b := newBench(t, options{Agent: func(c *turn.Config) { c.NoTools = true }}, callsFor(cmd("a", "look", "x")), says("Then I cannot look."))
	b.Run(t.Context(), "go")
	if n := len(b.Server.Asked()[0].Tools); n != 0 || len(b.Executed()) > 0 || !strings.Contains(b.Results()[0], "switched all tools off") {
		t.Errorf("%d tools are offered, %v ran: %s", n, b.Executed(), b.Results())
	}
}
