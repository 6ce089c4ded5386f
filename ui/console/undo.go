package console

import (
	"context"
	"fmt"
	"strings"

	"github.com/nod-console/nod/ui/tour"
)

// undo takes back what was done last, or lists what can be.
func (c *Console) undo(args string) {
	switch {
	case args == "list" && c.opt.Undoable != nil:
		c.background(func(ctx context.Context) {
			lines, err := c.opt.Undoable(ctx)
			if err != nil {
				c.mail.put(explain("/undo list", err))
				return
			}
			if len(lines) == 0 {
				lines = []string{"there is nothing to take back"}
			}
			c.mail.put(noted{strings.Join(lines, "\n")})
		})
	case args != "":
		c.chat.Fault(fmt.Sprintf("/undo %q: want nothing, or list", args), "")
	case c.turns.busy:
		c.chat.Fault("/undo: a turn is running", "Ctrl-C interrupts it")
	default:
		c.runTurn(func(ctx context.Context) error {
			done, err := c.opt.Undo(ctx)
			if err != nil {
				return fmt.Errorf("/undo: %w", err)
			}
			c.mail.put(noted{done})
			c.mail.put(onPump(func(c *Console) { c.guide(tour.Undone) }))
			return nil
		})
		c.turns.told = true
	}
}
