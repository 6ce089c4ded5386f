package plain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/screen"
	"github.com/nod-console/nod/ui/timeline"
)

// AddPane tells of a terminal, and how to look at it.
func (c *Conversation) AddPane(p console.Pane) {
	c.mu.Lock()
	c.panes = append(c.panes, p)
	c.mu.Unlock()
	text := "terminal: " + p.Title
	if p.Attach != nil {
		text += "\nto watch it: " + p.Attach()
	}
	c.out.sayBetween(note, text)
}

// RemovePane takes note that a terminal is gone; whoever removes it says so.
func (c *Conversation) RemovePane(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.panes = slices.DeleteFunc(c.panes, func(p console.Pane) bool { return p.ID == id })
}

// NamePane takes note that a terminal has another name.
func (c *Conversation) NamePane(id, title, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.panes {
		if c.panes[i].ID == id {
			c.panes[i].Title, c.panes[i].Name = title, name
		}
	}
}

// open opens another terminal.
func (c *Conversation) open(ctx context.Context, target string) {
	if c.opt.OpenTerminal == nil {
		c.Fail("/open: not available here", "")
		return
	}
	c.turn(ctx, func(ctx context.Context) error {
		if _, err := c.opt.OpenTerminal(ctx, target); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSpace("/open "+target), err)
		}
		return nil
	})
}

// closeTerminal closes the terminal of a name. Where something runs, it asks.
func (c *Conversation) closeTerminal(ctx context.Context, name string) {
	c.mu.Lock()
	panes := slices.Clone(c.panes)
	c.mu.Unlock()
	i := slices.IndexFunc(panes, func(p console.Pane) bool { return p.Name == name || p.Title == name })
	if i < 0 || panes[i].Close == nil {
		var names []string
		for _, p := range panes {
			if p.Close != nil {
				names = append(names, screen.Clean(p.Name))
			}
		}
		c.Fail(fmt.Sprintf("/close %q: there is no such terminal that could be closed", name), "there are "+strings.Join(names, ", "))
		return
	}
	err := panes[i].Close(ctx, false)
	var busy *console.BusyError
	if errors.As(err, &busy) {
		c.out.say(note, panes[i].Title+" runs "+busy.Doing+". Closing it ends that. Write yes to close it.")
		if line, read := c.floor.read(ctx, c.prompt); read != nil || strings.TrimSpace(line) != "yes" {
			return
		}
		err = panes[i].Close(ctx, true)
	}
	if err != nil {
		c.Fail("/close "+name+": "+err.Error(), "")
	}
}

// RunsChanged implements the console's interface: /timeline lists them anew.
func (c *Conversation) RunsChanged() {}

// timeline says in lines what ran in this conversation.
func (c *Conversation) timeline(ctx context.Context) {
	if c.opt.Runs == nil {
		c.Fail("/timeline: not available here", "")
		return
	}
	runs, err := c.opt.Runs(ctx)
	if err != nil {
		c.Fail("/timeline: "+err.Error(), "")
	}
	now := time.Now
	if c.opt.Now != nil {
		now = c.opt.Now
	}
	c.out.say(note, strings.Join(timeline.Lines(runs, now()), "\n"))
}
