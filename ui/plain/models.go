package plain

import (
	"context"
	"fmt"
	"strings"
)

// model lets another model answer, or says which there are.
func (c *Conversation) model(ctx context.Context, name string) {
	switch {
	case c.opt.Models == nil:
		c.Fail("/model: not available here", "")
	case name == "":
		c.tell(ctx, "/model", c.opt.Models.List)
	default:
		c.turn(ctx, func(ctx context.Context) error {
			now, err := c.opt.Models.Use(ctx, name)
			if err != nil {
				return fmt.Errorf("/model %s: %w", name, err)
			}
			c.mu.Lock()
			c.answers = now.Name
			c.mu.Unlock()
			c.out.say(note, "model: "+now.Name)
			return nil
		})
	}
}

// context says how full the model's context is.
func (c *Conversation) context(ctx context.Context) {
	if c.opt.Context == nil {
		c.Fail("/context: not available here", "")
		return
	}
	c.tell(ctx, "/context", c.opt.Context)
}

// compact has the conversation compacted.
func (c *Conversation) compact(ctx context.Context) {
	if c.opt.Compact == nil {
		c.Fail("/compact: not available here", "")
		return
	}
	c.turn(ctx, func(ctx context.Context) error { return c.opt.Compact(ctx, c.event) })
}

// tell says lines, or why there are none.
func (c *Conversation) tell(ctx context.Context, command string, lines func(context.Context) ([]string, error)) {
	c.turn(ctx, func(ctx context.Context) error {
		all, err := lines(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
		c.out.say(note, strings.Join(all, "\n"))
		return nil
	})
}
