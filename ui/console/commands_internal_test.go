package console

import (
	"context"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/keys"
)

// TestEachWordDoesSomething: a command that can be written is in the tables of what
// commands do, or divides the screen.
func TestEachWordDoesSomething(t *testing.T) {
	c, err := New(Options{Submit: func(context.Context, string, agent.Sink) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range (*keys.Table)(nil).All() {
		_, plain := c.commands.plain[cmd.ID]
		_, worded := c.commands.worded[cmd.ID]
		if cmd.Slash != "" && !plain && !worded && !divides(cmd.ID) {
			t.Errorf("/%s does nothing", cmd.Slash)
		}
	}
}
