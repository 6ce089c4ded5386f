package plain

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/targets"
	"github.com/nod-console/nod/ui/tour"
)

// commands are those that lines can give, with what each does; /quit is beside them.
func (c *Conversation) commands() map[keys.ID]func(ctx context.Context, args string) {
	bare := func(do func(context.Context)) func(context.Context, string) {
		return func(ctx context.Context, _ string) { do(ctx) }
	}
	return map[keys.ID]func(context.Context, string){
		keys.Help:     bare(c.help),
		keys.Status:   bare(c.status),
		keys.Inbox:    func(context.Context, string) { c.sayInbox() },
		keys.Approve:  c.setPosture,
		keys.Targets:  c.useTarget,
		keys.Overview: bare(c.overview),
		keys.New:      bare(c.newConversation),
		keys.Resume:   bare(c.resume),
		keys.Undo:     c.undo,
		keys.History:  c.past,
		keys.Memory:   c.memory,
		keys.Servers:  c.servers,
		keys.Prompt:   c.serversPrompt,
		keys.Plugins:  c.plugins,
		keys.Model:    c.model,
		keys.Context:  bare(c.context),
		keys.Compact:  bare(c.compact),
		keys.Timeline: bare(c.timeline),
		keys.Open:     c.open,
		keys.Close:    c.closeTerminal,
		keys.Tour:     bare(c.beginTour),
	}
}

// slash carries out a command, and reports whether it is the one to quit.
func (c *Conversation) slash(ctx context.Context, line string) (quit bool) {
	cmd, args, err := c.table().Parse(line)
	if err != nil {
		c.Fail(err.Error(), "/help lists them all")
		return false
	}
	if cmd.Custom() {
		return c.own(ctx, cmd.Slash, args)
	}
	if cmd.ID == keys.Quit {
		return c.mayQuit(ctx)
	}
	do, ok := c.commands()[cmd.ID]
	if !ok {
		c.Fail("/"+cmd.Slash+" needs the full screen", "/help lists what can be said here")
		return false
	}
	do(ctx, args)
	return false
}

func (c *Conversation) help(context.Context) {
	here := c.commands()
	var lines []string
	for _, cmd := range c.table().All() {
		_, can := here[cmd.ID]
		if cmd.Slash != "" && (can || cmd.Custom() || cmd.ID == keys.Quit) {
			lines = append(lines, strings.TrimSpace("/"+cmd.Slash+" "+cmd.Args)+": "+cmd.Text)
		}
	}
	c.out.say(note, "Everything else that you write goes to the model. What acts is asked: y and Enter approve it, everything else denies.\n"+
		strings.Join(lines, "\n"))
}

func (c *Conversation) status(ctx context.Context) {
	c.mu.Lock()
	lines := []string{"target: " + targetText(c.target), "posture: " + c.posture, "model: " + c.answers}
	c.mu.Unlock()
	if c.opt.Report != nil {
		lines = append(lines, c.opt.Report(ctx)...)
	}
	c.out.say(note, strings.Join(lines, "\n"))
}

func (c *Conversation) setPosture(ctx context.Context, word string) {
	if c.opt.SetPosture == nil {
		c.Fail("/approve: not available here", "")
		return
	}
	if d, err := time.ParseDuration(word); err == nil && c.opt.OpenWindow != nil {
		c.turn(ctx, func(ctx context.Context) error {
			if err := c.opt.OpenWindow(ctx, d); err != nil {
				return fmt.Errorf("/approve %s: %w", word, err)
			}
			if d == 0 {
				c.out.say(note, "the window is closed: changes ask again")
			} else {
				c.out.say(note, "for "+d.String()+", changes that can be undone run without asking, except on prod")
			}
			return nil
		})
		return
	}
	c.turn(ctx, func(ctx context.Context) error {
		if err := c.opt.SetPosture(ctx, word); err != nil {
			return fmt.Errorf("/approve %s: %w", word, err)
		}
		c.mu.Lock()
		c.posture = word
		c.mu.Unlock()
		c.out.say(note, "posture: "+word)
		return nil
	})
}

func (c *Conversation) useTarget(ctx context.Context, name string) {
	switch {
	case c.opt.Targets == nil:
		c.Fail("/target: there is no other target", "")
	case name == "":
		var lines []string
		for _, t := range c.opt.Targets.List() {
			lines = append(lines, row(t))
		}
		c.out.say(note, strings.Join(append(lines, "/target NAME connects to one."), "\n"))
	default:
		c.turn(ctx, func(ctx context.Context) error {
			if err := c.opt.Targets.Use(ctx, name); err != nil {
				return fmt.Errorf("connect to %s: %w", name, err)
			}
			return nil
		})
	}
}

// row is a target in a line.
func row(t targets.Target) string {
	text := t.Name
	if t.Trust != "" {
		text += " (" + t.Trust + ")"
	}
	if state := t.Standing(); state != "" {
		text += ", " + state
	}
	if t.Current {
		text += ", current"
	}
	for _, more := range []string{t.Detail, t.InGroups(), t.Address, t.System} {
		if more != "" {
			text += ", " + more
		}
	}
	return text
}

func (c *Conversation) newConversation(ctx context.Context) {
	if c.opt.NewConversation == nil {
		c.Fail("/new: not available here", "")
		return
	}
	c.turn(ctx, func(ctx context.Context) error {
		if err := c.opt.NewConversation(ctx); err != nil {
			return fmt.Errorf("/new: %w", err)
		}
		c.out.say(note, "a new conversation.")
		return nil
	})
}

func (c *Conversation) resume(ctx context.Context) {
	earlier := c.opt.Resume
	if earlier == nil {
		c.Fail("/resume: no earlier conversation was left open", "")
		return
	}
	c.turn(ctx, func(ctx context.Context) error {
		if err := earlier.Accept(ctx, func(text string) { c.out.say(you, text) }, c.event); err != nil {
			return fmt.Errorf("/resume: %w", err)
		}
		c.opt.Resume = nil
		return nil
	})
}

// undo takes back what was done last, or lists what can be.
func (c *Conversation) undo(ctx context.Context, args string) {
	switch {
	case c.opt.Undo == nil || c.opt.Undoable == nil:
		c.Fail("/undo: not available here", "")
	case args == "list":
		lines, err := c.opt.Undoable(ctx)
		if err != nil {
			c.Fail("/undo list: "+err.Error(), "")
			return
		}
		if len(lines) == 0 {
			lines = []string{"there is nothing to take back"}
		}
		c.out.say(note, strings.Join(lines, "\n"))
	case args != "":
		c.Fail(fmt.Sprintf("/undo %q: want nothing, or list", args), "")
	default:
		c.turn(ctx, func(ctx context.Context) error {
			done, err := c.opt.Undo(ctx)
			if err != nil {
				return fmt.Errorf("/undo: %w", err)
			}
			c.out.say(note, done)
			return nil
		})
		c.guide(tour.Undone)
	}
}

func (c *Conversation) beginTour(context.Context) {
	c.tour = tour.New(tour.Options{Folder: tour.Folder(), Lines: true})
	c.out.say(note, c.tour.Text())
}

// guide says what comes next on the tour, if there is one and a step was done.
func (c *Conversation) guide(happened ...tour.Happening) {
	if c.tour == nil {
		return
	}
	for _, h := range happened {
		c.tour.Saw(h)
	}
	if text, ok := c.tour.Next(); ok {
		c.out.say(note, text)
	}
	if c.tour.Over() {
		c.tour = nil
	}
}

// mayQuit asks if something would end that runs.
func (c *Conversation) mayQuit(ctx context.Context) bool {
	c.mu.Lock()
	running, armed := c.running, len(c.armed)
	c.mu.Unlock()
	switch {
	case armed > 0:
		c.out.say(note, "A revert is armed. It will come if you quit. Write yes to quit.")
	case running > 0:
		c.out.say(note, "A command still runs. Quitting ends it. Write yes to quit.")
	default:
		return true
	}
	line, err := c.floor.read(ctx, c.prompt)
	return err != nil || line == "yes"
}
