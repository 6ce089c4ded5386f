package console

import (
	"context"
	"fmt"

	"github.com/nod-console/nod/ui/keys"
)

// Own are the operator's own commands.
type Own struct {
	// Mean is what a command means, where it is meant.
	Mean func(ctx context.Context, word, args string) (Meaning, error)
	// Target is where a command is meant; empty: where the operator works.
	Target func(word string) string
	// Values are what an argument, from 0, can be; none: anything.
	Values func(word string, index int) []string
}

// Meaning is what comes of a command of the operator's own.
type Meaning struct {
	// Line is what the operator would have written instead: a prompt, or "!" and a
	// command line. Empty: nothing.
	Line string
	// Say is what is shown.
	Say string
	// Insert is written into the input: a prompt that the operator sees before he sends
	// it.
	Insert string
}

// written is a line that is sent as if the operator had written it.
type written struct{ line string }

func (l written) arrive(c *Console) { c.submit(l.line) }

// own carries out one of the operator's own commands.
func (c *Console) own(word, args string) {
	if t := c.opt.Own.Target(word); c.turns.busy && t != "" && t != c.status.Name {
		c.chat.Fault(fmt.Sprintf("/%s works on %s, and a turn is running here", word, t), "wait for its end, or Ctrl-C interrupts it")
		return
	}
	c.background(func(ctx context.Context) {
		m, err := c.opt.Own.Mean(ctx, word, args)
		if err != nil {
			c.mail.put(failed{err.Error(), ""})
			return
		}
		if m.Say != "" {
			c.mail.put(noted{m.Say})
		}
		if m.Insert != "" {
			c.mail.put(inserted{"/" + word, m.Insert})
		}
		if m.Line != "" {
			c.mail.put(written{m.Line})
		}
	})
}

// commanded are commands that were added meanwhile.
type commanded struct{ own []keys.Custom }

func (l commanded) arrive(c *Console) { c.takeCommands(l.own) }

// SetCommands puts commands behind those of the Keys that the console was made with, in the
// place of those that it was given before.
func (c *Console) SetCommands(own []keys.Custom) { c.mail.put(commanded{own}) }

// takeCommands lets commands be given from now on.
func (c *Console) takeCommands(own []keys.Custom) {
	if table, err := c.standing.With(own); err == nil { // they have no keys that could be taken
		c.opt.Keys = table
	}
}

// Plugins are what users have added to nod.
type Plugins struct {
	// List returns the lines of /plugins.
	List func(ctx context.Context) ([]string, error)
	// Reload exchanges what has changed, and says in lines what.
	Reload func(ctx context.Context) ([]string, error)
}

// plugins carries out /plugins.
func (c *Console) plugins(args string) {
	switch args {
	case "":
		c.background(c.tell("/plugins", c.opt.Plugins.List))
	case "reload":
		c.background(c.tell("/plugins reload", c.opt.Plugins.Reload))
	default:
		c.chat.Fault(fmt.Sprintf("/plugins %q: want nothing, or reload", args), "")
	}
}
