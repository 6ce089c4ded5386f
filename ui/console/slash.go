package console

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/agent/policy"
)

// report shows what holds at the moment.
func (c *Console) report() {
	s := c.status
	var lines []string
	for _, l := range [][2]string{
		{"target", strings.TrimSpace(s.Name + " " + s.Trust)}, {"posture", s.Posture}, {"model", s.Model},
		{"cost", s.Cost},
	} {
		if l[1] != "" {
			lines = append(lines, l[0]+": "+l[1])
		}
	}
	if c.context > 0 {
		lines = append(lines, fmt.Sprintf("context: %d %%", c.context))
	}
	_, waiting := c.queue.Visible()
	lines = append(lines, fmt.Sprintf("terminals: %d, approvals waiting: %d, prompts waiting: %d",
		len(c.panes.all), waiting, len(c.turns.queue)))
	c.chat.Notice(strings.Join(lines, "\n"))
	if c.opt.Report != nil {
		c.background(func(ctx context.Context) {
			if more := c.opt.Report(ctx); len(more) > 0 {
				c.mail.put(noted{strings.Join(more, "\n")})
			}
		})
	}
}

var postures = []string{"ask", "ask-all", "read-only"}

func (c *Console) posture(word string) {
	if d, err := time.ParseDuration(word); err == nil && (d == 0 || d >= time.Second && d <= policy.MaxWindow) {
		c.openWindow(word, d)
		return
	}
	if !slices.Contains(postures, word) {
		c.chat.Fault(fmt.Sprintf("/approve %q: want %s, or how long changes may run by themselves: 1s to 1h, such as 10m; 0 ends that",
			word, strings.Join(postures, ", ")), "the posture is "+c.status.Posture)
		return
	}
	c.background(func(ctx context.Context) {
		if err := c.opt.SetPosture(ctx, word); err != nil {
			c.mail.put(explain("/approve "+word, err))
			return
		}
		c.mail.put(postured{word})
	})
}

func (c *Console) theme(name string) {
	if name == "" {
		c.openThemes()
		return
	}
	c.wear(name)
}

func (c *Console) newConversation() {
	if c.turns.busy {
		c.chat.Fault("/new: a turn is running", "Ctrl-C interrupts it")
		return
	}
	c.runTurn(func(ctx context.Context) error {
		if err := c.opt.NewConversation(ctx); err != nil {
			return fmt.Errorf("/new: %w", err)
		}
		c.mail.put(cleared{})
		return nil
	})
	c.turns.told = true
}

func (c *Console) resume() {
	if c.turns.busy {
		c.chat.Fault("/resume: a turn is running", "Ctrl-C interrupts it")
		return
	}
	earlier := c.opt.Resume
	c.opt.Resume = nil
	c.runTurn(func(ctx context.Context) error {
		c.mail.put(cleared{})
		if err := earlier.Accept(ctx, func(text string) { c.mail.put(prompted{text}) }, c.sink); err != nil {
			c.mail.put(offered{earlier})
			return fmt.Errorf("/resume: %w", err)
		}
		return nil
	})
	c.turns.told = true
}
