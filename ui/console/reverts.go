package console

import (
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/screen"
)

// reverts are when those that are armed come, by their IDs. It belongs to the
// pump.
type reverts map[string]time.Time

// Reverting tells how an armed revert stands. It never blocks.
func (c *Console) Reverting(r agent.Reverting) { c.mail.put(reverting{r}) }

// reverting shows how a revert stands.
func (c *Console) reverting(r agent.Reverting) {
	if c.reverts == nil {
		c.reverts = reverts{}
	}
	first, rest, _ := strings.Cut(r.Text, "\n")
	_, known := c.reverts[r.ID]
	switch {
	case r.Over && !r.Fired:
		delete(c.reverts, r.ID)
		c.chat.Notice(r.Text)
	case r.Over:
		delete(c.reverts, r.ID)
		c.chat.Fault(first, rest)
		c.announce(screen.Clean(first))
	case known:
		c.reverts[r.ID] = r.Due
		c.chat.Fault(r.Text, "keep the connections that you have; the host brings it back by itself")
		c.announce(screen.Clean(first))
	default:
		c.reverts[r.ID] = r.Due
		c.chat.Notice(r.Text)
	}
}

// status says when the next revert comes; empty if none is armed.
func (r reverts) status(now time.Time) string {
	var next time.Time
	for _, due := range r {
		if next.IsZero() || due.Before(next) {
			next = due
		}
	}
	switch left := next.Sub(now); {
	case next.IsZero():
		return ""
	case left <= 0:
		return "revert due"
	case left < 100*time.Second:
		return fmt.Sprintf("revert in %d s", int(left/time.Second))
	default:
		return "revert at " + next.Format(time.TimeOnly)
	}
}
