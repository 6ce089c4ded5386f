package console

import (
	"context"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/targets"
)

// Targets are the places where the operator can work. List is called from the
// pump and must be quick; the others are called like all callbacks.
type Targets struct {
	// List returns what there is to choose from.
	List func() []targets.Target
	// Use connects to a target if need be, makes it the current one, and returns
	// when that is done. The name may be one that List does not have.
	Use func(ctx context.Context, name string) error
	// Connect connects to several targets, some at a time, and makes the first of them the
	// current one. What cannot be connected is told meanwhile; the error is of what ended all.
	Connect func(ctx context.Context, names []string) error
	// Drop gives a connection up.
	Drop func(ctx context.Context, name string) error
	// Attach is the command by which the operator gets at the panes of a target
	// by hand; empty if there is none.
	Attach func(name string) string
	// Logs shows the log of a target beside the chat, or no more.
	Logs func(ctx context.Context, name string) error
}

// TargetsChanged says that Targets.List would return something new.
func (c *Console) TargetsChanged() { c.mail.put(relisted{}) }

// openPicker shows the targets to choose from.
func (c *Console) openPicker() {
	c.picker = &targets.Picker{Now: c.now}
	if c.opt.OpenTerminal != nil {
		c.picker.Offer(c.terminalOffers())
	}
	c.picker.Set(c.opt.Targets.List())
}

// pickerKey takes a key for the picker.
func (c *Console) pickerKey(ev *tcell.EventKey) {
	choice := c.picker.Key(ev)
	switch choice.Verb {
	case targets.Close:
		c.closePicker()
	case targets.Use:
		c.closePicker()
		c.useTarget(choice.Name)
	case targets.UseMarked:
		names := c.picker.Marked()
		c.closePicker()
		c.useAll(names)
	case targets.Drop:
		c.atTarget("drop "+choice.Name, func(ctx context.Context) error { return c.opt.Targets.Drop(ctx, choice.Name) })
	case targets.Open:
		c.closePicker()
		c.openTerminal(choice.Name)
	case targets.End:
		c.closePicker()
		c.closeTerminal("")
	case targets.Logs:
		c.closePicker() // it would hide the pane
		c.atTarget("logs of "+choice.Name, func(ctx context.Context) error { return c.opt.Targets.Logs(ctx, choice.Name) })
	case targets.Attach:
		c.closePicker() // it would hide what came of it
		command := c.opt.Targets.Attach(choice.Name)
		if command == "" {
			c.chat.Notice(choice.Name + " is not connected: there is no way to attach")
		}
		c.copy(command)
	}
}

func (c *Console) closePicker() {
	c.picker = nil
	c.rearm()
}

// useTarget works on a target from now on.
func (c *Console) useTarget(name string) {
	c.atTarget("connect to "+name, func(ctx context.Context) error { return c.opt.Targets.Use(ctx, name) })
}

// useAll connects several targets, and works on the first of them from now on.
func (c *Console) useAll(names []string) {
	if len(names) == 1 {
		c.useTarget(names[0])
		return
	}
	c.atTarget("connect to "+strings.Join(names, ", "), func(ctx context.Context) error { return c.opt.Targets.Connect(ctx, names) })
}

// atTarget does something with a target that may take its time.
func (c *Console) atTarget(what string, do func(context.Context) error) {
	ctx := c.ctx
	c.spawn(func() {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			c.mail.put(explain(what, err))
		}
	})
}
