package console

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// model lets another model answer, or says which there are.
func (c *Console) model(name string) {
	c.background(func(ctx context.Context) {
		if name == "" {
			c.tell("/model", c.opt.Models.List)(ctx)
			return
		}
		now, err := c.opt.Models.Use(ctx, name)
		if err != nil {
			c.mail.put(failed{"/model " + name + ": " + err.Error(), "/model shows which there are"})
			return
		}
		c.mail.put(modelled{now})
	})
}

// showContext says how full the model's context is.
func (c *Console) showContext() { c.background(c.tell("/context", c.opt.Context)) }

// tell shows lines, or why there are none.
func (c *Console) tell(command string, lines func(context.Context) ([]string, error)) func(context.Context) {
	return func(ctx context.Context) {
		all, err := lines(ctx)
		if err != nil {
			c.mail.put(explain(command, err))
			return
		}
		c.mail.put(noted{strings.Join(all, "\n")})
	}
}

// compact has the conversation compacted.
func (c *Console) compact() {
	if c.turns.busy {
		c.chat.Fault("/compact: a turn is running", "Ctrl-C interrupts it; a full context is compacted by itself")
		return
	}
	c.runTurn(func(ctx context.Context) error { return c.opt.Compact(ctx, c.sink) })
}

// steer tells the running turn something; without one, it is a prompt.
func (c *Console) steer(text string) {
	switch {
	case text == "":
		c.chat.Fault("/steer: what is it to be told?", "/steer only look at /var")
		return
	case !c.turns.busy:
		c.submit(text)
		return
	}
	c.turns.steering = append(c.turns.steering, text)
	c.chat.Notice("gets in at the next step: " + text)
	c.background(func(ctx context.Context) {
		if err := c.opt.Steer(ctx, text); err != nil {
			c.mail.put(unsteered{text})
		}
	})
}

// unsteer queues what a turn could not be told any more.
func (c *Console) unsteer(text string) {
	if !c.steered(text) {
		return // it is back in the input, or queued
	}
	c.submit(text)
}

// steered forgets that something waits for the turn to take it in, and reports
// whether it did.
func (c *Console) steered(text string) bool {
	at := slices.Index(c.turns.steering, text)
	if at < 0 {
		return false
	}
	c.turns.steering = slices.Delete(c.turns.steering, at, at+1)
	return true
}

// showQueue shows what waits, or takes it back.
func (c *Console) showQueue(args string) {
	switch {
	case args == "clear":
		c.takeBack()
	case args != "":
		c.chat.Fault(fmt.Sprintf("/queue %q: want nothing, or clear", args), "")
	case len(c.turns.queue)+len(c.turns.steering) == 0:
		c.chat.Notice("nothing waits; what you send while a turn runs does, and /steer does not")
	default:
		var lines []string
		for _, text := range c.turns.steering {
			lines = append(lines, "at the next step: "+text)
		}
		for i, text := range c.turns.queue {
			lines = append(lines, fmt.Sprintf("%d after this turn: %s", i+1, text))
		}
		c.chat.Notice(strings.Join(lines, "\n"))
	}
}

// money is a cost as people say it.
func money(cost float64) string {
	if cost < 0.01 {
		return fmt.Sprintf("$%.4f", cost)
	}
	return fmt.Sprintf("$%.2f", cost)
}
