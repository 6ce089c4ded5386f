package plain

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/tour"
)

// Terminal is where lines are read and written. Reads end at a deadline, as
// those of an *os.File on a terminal do.
type Terminal interface {
	io.ReadWriter
	SetReadDeadline(t time.Time) error
}

// Conversation is the console in lines. Make one with New.
type Conversation struct {
	opt      console.Options
	tty      Terminal
	approver policy.Approver
	floor    *floor
	out      *printer
	inbox    inbox
	tour     *tour.Tour // that the operator is on; it belongs to Run

	mu        sync.Mutex
	interrupt context.CancelFunc // of the turn; nil while none runs
	running   int                // commands that go on after their calls
	ends      map[string]string  // how such commands have ended, by call
	armed     map[string]bool    // the reverts that have neither come nor been taken back
	posture   string
	answers   string // the model that does
	target    console.TargetStatus
	alarm     string
	added     []keys.Custom // commands that were added meanwhile
	panes     []console.Pane
}

// New prepares a conversation on a terminal. Approvals are asked by approver,
// while nobody else reads.
func New(opt console.Options, tty Terminal, approver policy.Approver) (*Conversation, error) {
	if opt.Submit == nil {
		return nil, errors.New("plain: nothing to submit prompts to")
	}
	return &Conversation{
		opt: opt, tty: tty, approver: approver, floor: newFloor(), out: &printer{to: tty},
		posture: opt.Status.Posture, answers: opt.Status.Model, target: opt.Status.TargetStatus,
	}, nil
}

// Run talks until the operator quits or the input ends (nil), or ctx ends (its
// cause). It can be called once.
func (c *Conversation) Run(ctx context.Context) error {
	if c.opt.Notice != "" {
		c.out.say(note, c.opt.Notice)
	}
	c.out.say(note, "/help lists what else can be said; /quit or ^D quits; ^C interrupts a turn.")
	c.offer(ctx)
	for {
		line, err := c.floor.read(ctx, c.prompt)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, io.EOF):
			line = "/quit"
		case err != nil:
			return err
		}
		if quit := c.take(ctx, line); quit {
			return c.out.failed()
		}
		if err := c.out.failed(); err != nil {
			return err
		}
	}
}

// prompt reads one line.
func (c *Conversation) prompt(ctx context.Context) (string, error) {
	c.out.prompt()
	line, err := readLine(ctx, c.tty)
	c.out.answered(err == nil)
	return line, err
}

// offer tells of an earlier conversation, or takes it up if that was asked for.
func (c *Conversation) offer(ctx context.Context) {
	switch r := c.opt.Resume; {
	case r == nil:
	case r.Now:
		c.resume(ctx)
	case r.LeftOpen:
		c.out.say(note, `"`+r.Title+`" was left open: /resume goes on with it.`)
	}
}

// take does what a line says, and reports whether that is to quit.
func (c *Conversation) take(ctx context.Context, line string) (quit bool) {
	switch line = strings.TrimSpace(line); {
	case line == "":
	case keys.IsCommand(line):
		return c.slash(ctx, line)
	default:
		c.turn(ctx, func(ctx context.Context) error {
			if command, ok := keys.OwnCommand(line); ok && c.opt.Command != nil {
				return c.opt.Command(ctx, command, c.watched)
			}
			return c.opt.Submit(ctx, line, c.watched)
		})
		c.guide()
	}
	return false
}

// watched is event, for a turn that the tour may wait for.
func (c *Conversation) watched(e agent.Event) {
	if c.tour != nil {
		c.tour.Event(e)
	}
	c.event(e)
}

// turn runs something that Interrupt ends.
func (c *Conversation) turn(ctx context.Context, do func(context.Context) error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.mu.Lock()
	c.interrupt = cancel
	c.mu.Unlock()
	err := do(ctx)
	c.mu.Lock()
	c.interrupt = nil
	c.mu.Unlock()
	c.out.end()
	if err != nil && ctx.Err() == nil {
		c.out.say(fault, err.Error())
	}
}

// Interrupt is what ^C means: the turn ends, if one runs.
func (c *Conversation) Interrupt() {
	c.mu.Lock()
	interrupt := c.interrupt
	c.mu.Unlock()
	if interrupt != nil {
		interrupt()
		return
	}
	c.out.say(note, "nothing is running; /quit or ^D quits.")
}

// Approver asks the operator, one thing at a time.
func (c *Conversation) Approver() policy.Approver { return approver{c} }

type approver struct{ c *Conversation }

// Alone runs do, which asks something on the same terminal, while nobody else
// reads from it.
func (c *Conversation) Alone(ctx context.Context, do func() error) error {
	return c.floor.ask(ctx, func() error {
		c.out.hold()
		defer c.out.release()
		return do()
	})
}

// Notify adds a line.
func (c *Conversation) Notify(text string) { c.out.sayBetween(note, text) }

// Fail adds what went wrong and what to do next.
func (c *Conversation) Fail(text, hint string) {
	if hint != "" {
		text += "\n" + hint
	}
	c.out.sayBetween(fault, text)
}

// SetTarget tells how the current target stands, where that is news.
func (c *Conversation) SetTarget(t console.TargetStatus) {
	c.mu.Lock()
	old := c.target
	c.target = t
	c.mu.Unlock()
	if old.Name != t.Name || old.State != t.State {
		c.out.sayBetween(note, "target: "+targetText(t))
	}
}

func targetText(t console.TargetStatus) string {
	text := t.Name
	if t.Trust != "" {
		text += " (" + t.Trust + ")"
	}
	if t.State != "" {
		text += ", " + t.State
	}
	return text
}

// SetAlarm tells what is wrong with nod itself, or that nothing is any more.
func (c *Conversation) SetAlarm(text string, _ bool) {
	c.mu.Lock()
	old := c.alarm
	c.alarm = text
	c.mu.Unlock()
	switch {
	case text == old:
	case text == "":
		c.out.sayBetween(note, "over: "+old)
	default:
		c.out.sayBetween(fault, text)
	}
}

// TargetsChanged implements the console's interface: /target lists them anew.
func (c *Conversation) TargetsChanged() {}

// Reverting tells how an armed revert stands.
func (c *Conversation) Reverting(r agent.Reverting) {
	c.mu.Lock()
	if c.armed == nil {
		c.armed = map[string]bool{}
	}
	if c.armed[r.ID] = true; r.Over {
		delete(c.armed, r.ID)
	}
	c.mu.Unlock()
	c.out.sayBetween(note, r.Text)
}

// RunEnded tells of the end of a command that went on after its call.
func (c *Conversation) RunEnded(e agent.RunEnded) {
	if c.over(e) {
		c.out.sayAfter(end, e.Text)
	}
}
