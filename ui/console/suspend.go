package console

import (
	"errors"
	"fmt"
	"time"

	"github.com/nod-console/nod/ui/screen"
)

// Stop does what the key for it does: it gives the terminal back, stops this process
// by Options.Stop, and takes the terminal over again when it goes on.
func (c *Console) Stop() { c.mail.put(onPump((*Console).stop)) }

// Retake takes the terminal over anew. It is for a process that was stopped without
// having given the terminal back, and goes on in the foreground: somebody has changed
// the terminal's modes and has drawn on it.
func (c *Console) Retake() {
	c.mail.put(onPump(func(c *Console) { c.away(func() error { return nil }) }))
}

func (c *Console) stop() {
	c.away(func() error { return c.opt.Stop(c.ctx) })
}

// away gives the terminal to somebody else for as long as do takes. Nothing is
// drawn meanwhile; what comes from targets is kept, and dialogs wait anew. The
// terminal is not taken over again for a console that is to end.
func (c *Console) away(do func() error) {
	err := c.screen.Suspend()
	if errors.Is(err, screen.ErrHeld) {
		c.lost = err
		return
	}
	if err != nil {
		c.chat.Fault(err.Error(), "")
		return
	}
	err = do()
	if c.ctx.Err() != nil { // whoever has the terminal now keeps it
		return
	}
	if back := c.screen.Resume(); back != nil {
		c.lost = back
		return
	}
	if err != nil {
		c.chat.Fault(err.Error(), "")
	}
	c.guard()
	c.rearm()
	c.draw()
	c.screen.Sync()
}

// guard has the terminal given back also if nod crashes or is killed.
func (c *Console) guard() {
	if c.opt.CrashReport == "" {
		return
	}
	if err := c.screen.Guard(c.opt.CrashReport); err != nil {
		c.chat.Fault(err.Error(), "should nod be killed, the command reset brings your terminal back")
	}
}

// edit lets the operator write on in his editor. If that fails, what he has
// written in the input stays.
func (c *Console) edit() {
	c.away(func() error {
		text, err := c.opt.Edit(c.ctx, c.input.Text())
		if err != nil {
			return fmt.Errorf("%w; what you had written is still here", err)
		}
		c.input.Set(text)
		return nil
	})
}

// Rescue gives the terminal back at once, for a process that ends while something
// hangs; see [screen.Screen.Rescue]. Any goroutine may call it, also before Run.
func (c *Console) Rescue(within time.Duration) {
	if s := c.taken.Load(); s != nil {
		s.Rescue(within)
	}
}
