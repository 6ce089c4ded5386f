package console

import "fmt"

// away gives the terminal to somebody else for as long as do takes. Nothing is
// drawn meanwhile; what comes from targets is kept, and dialogs wait anew.
func (c *Console) away(do func() error) {
	if err := c.screen.Suspend(); err != nil {
		c.chat.Fault(err.Error(), "")
		return
	}
	err := do()
	if back := c.screen.Resume(); back != nil {
		c.lost = back
		return
	}
	if err != nil {
		c.chat.Fault(err.Error(), "")
	}
	c.rearm()
	c.draw()
	c.screen.Sync()
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
