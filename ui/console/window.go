package console

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nod-console/nod/agent/policy"
)

// windowed is a timed window that was opened, or closed: then until is zero.
type windowed struct{ until time.Time }

func (l windowed) arrive(c *Console) { c.windowed(l) }

// openWindow lets changes pass for a while (/approve 10m); word is how the operator
// said for how long.
func (c *Console) openWindow(word string, d time.Duration) {
	if c.opt.OpenWindow == nil {
		c.chat.Fault("/approve "+word+": not available here", "")
		return
	}
	c.background(func(ctx context.Context) {
		err := c.opt.OpenWindow(ctx, d)
		switch {
		case errors.Is(err, policy.ErrWindowPosture):
			c.mail.put(failed{"/approve " + word + ": " + err.Error(), "/approve ask, then /approve " + word})
			return
		case err != nil:
			c.mail.put(explain("/approve "+word, err))
			return
		}
		w := windowed{}
		if d > 0 {
			w.until = c.now().Add(d)
		}
		c.mail.put(w)
	})
}

func (c *Console) windowed(w windowed) {
	c.window = w.until
	if w.until.IsZero() {
		c.chat.Notice("the window is closed: changes ask again")
		return
	}
	c.chat.Notice("until " + w.until.Format("15:04:05") + ", changes that can be undone run without asking, except on prod")
}

// windowLeft is how long the window stays open; 0 if it is closed.
func (c *Console) windowLeft() time.Duration { return max(0, c.window.Sub(c.now())) }

// postureText is the posture with the window's countdown.
func (c *Console) postureText() string {
	left := c.windowLeft()
	if left <= 0 {
		return c.status.Posture
	}
	seconds := int(left.Round(time.Second) / time.Second)
	return fmt.Sprintf("%s, changes run %d:%02d", c.status.Posture, seconds/60, seconds%60)
}
