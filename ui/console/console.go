package console

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rivo/tview"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/themes"
	"github.com/nod-console/nod/ui/chat"
	"github.com/nod-console/nod/ui/help"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/player"
	"github.com/nod-console/nod/ui/screen"
	"github.com/nod-console/nod/ui/status"
	"github.com/nod-console/nod/ui/targets"
)

// ErrStuck is the error of Run if something that the console started did not
// end in time after its context had ended.
var ErrStuck = errors.New("a turn or a callback did not end")

// endTime is how long Run waits for what it started.
const endTime = 5 * time.Second

// Console is the whole screen. Make one with New.
type Console struct {
	opt      Options
	standing *keys.Table // opt.Keys as they were at first
	commands commands
	now      func() time.Time
	mail     *mailbox
	queue    *policy.Queue
	styles   screen.Styles

	// The pump's own, from here on.
	ctx       context.Context
	screen    *screen.Screen
	chat      *chat.Transcript
	input     *chat.Input
	offers    offers // of what a word in the input could become
	turns     turns
	panes     panes
	approval  approval
	reverts   reverts
	questions questions
	help      *help.Overlay
	picker    *targets.Picker // of targets; nil while it is not shown
	list      *list           // another list; nil while none is shown
	whole     bool            // the dialog has as much of the screen as it needs
	inbox     inbox
	fleet     *fleet // the overview of all targets; nil while it is not shown
	asking    bool   // whether to quit although something runs
	status    Status
	window    time.Time      // until when changes pass; past if they do not
	alarm     alarmed        // what is wrong with nod itself
	player    *player.Player // of a recording; nil while none is played
	playNext  time.Duration  // when it next changes; 0: not before a key
	timeline  *browser       // nil while it is not open
	themeName string
	ground    themes.Ground // of the terminal, once it has said
	context   int           // percent
	focus     focus
	layout    layout
	sizes     sizes
	kept      standingFor
	grabbed   bool // the border between chat and panes, by the mouse
	paste     *paste
	actions   actions
	mouseOn   bool // the terminal reports the mouse
	selecting bool // text of the chat, by the mouse
	hints     []status.Spot
	told      string // what was copied, until the next key or click
	guided    guided
	dragged   tview.Primitive // gets all of the mouse until it lets go; nil if nothing does
	blurred   bool            // the terminal has lost the focus
	quit      bool
	dirty     bool // the screen is not what it should be
	urgent    bool // because of a key
	astray    astray
	// pressedKeys counts the keys, and awaited is the terminal that is being opened.
	pressedKeys uint64
	awaited     *awaited
	echo        string      // the pane that a key went to and that has not changed since
	tick        *time.Timer // fires when the screen changes by itself
	tickAt      time.Time   // when it does; zero while it does not run
	crash       *PanicError
	lost        error // the terminal could not be given back, or taken over again

	taken atomic.Pointer[screen.Screen] // screen, for Rescue

	wg sync.WaitGroup
}

// PanicError is the error of Run after a panic.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("console: panic: %v", e.Value) }

// New prepares a console. The error is that of an unknown theme, or of options
// without a Submit.
func New(opt Options) (*Console, error) {
	if opt.Submit == nil {
		return nil, errors.New("console: nothing to submit prompts to")
	}
	theme, err := themes.Load(opt.Theme)
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	c := &Console{opt: opt, standing: opt.Keys, now: opt.Now, mail: newMailbox(), styles: screen.NewStyles(theme), themeName: opt.Theme, status: opt.Status, mouseOn: opt.Mouse}
	if c.now == nil {
		c.now = time.Now
	}
	c.commands = newCommands(c)
	c.queue = policy.NewQueue(c.mail.changedQueue)
	c.questions.changed = c.mail.changedQueue
	c.chat = chat.NewTranscript(&c.styles, c.now)
	c.input = chat.NewInput(&c.styles, opt.History)
	if opt.Vi {
		c.input.UseVi()
	}
	c.focus.place = keys.Input
	return c, nil
}

// Approver asks the operator in a dialog over the screen. After the end of Run
// it denies.
func (c *Console) Approver() policy.Approver { return c.queue }

// Notify adds a line to the chat.
func (c *Console) Notify(text string) { c.mail.put(noted{text}) }

// Fail adds what went wrong, and what to do next, to the chat.
func (c *Console) Fail(text, hint string) { c.mail.put(failed{text, hint}) }

// SetTarget shows how the current target stands.
func (c *Console) SetTarget(t TargetStatus) { c.mail.put(targeted{t}) }

// SetAlarm shows in the last line, until it is taken back with an empty text,
// what is wrong with nod itself: grave if nothing that acts may run because of
// it.
func (c *Console) SetAlarm(text string, grave bool) { c.mail.put(alarmed{text, grave}) }

// sound shows an alarm, and says in the chat that it came or went.
func (c *Console) sound(a alarmed) {
	was := c.alarm
	c.alarm = a
	switch { // numbers in the text may change
	case a.grave && !was.grave:
		c.chat.Fault(a.text, "what runs goes on; looking and interrupting still work")
		c.announce(a.text)
	case was.grave && !a.grave:
		c.chat.Notice("commands can run again: the record is written")
	case a.text != "" && was.text == "":
		c.chat.Notice(a.text)
	}
}

// AddPane mirrors a terminal beside the chat. A pane of the same ID is
// replaced.
func (c *Console) AddPane(p Pane) { c.mail.put(paneAdded{p}) }

// RemovePane ends the mirroring of a terminal.
func (c *Console) RemovePane(id string) { c.mail.put(paneGone{id}) }

// Run shows the console until the operator quits (nil) or ctx ends (its
// cause). The terminal is restored in any case. After a panic anywhere in the
// console or in what it started, the panic is printed to standard error and
// returned as a *PanicError. Run can be called once.
func (c *Console) Run(ctx context.Context) (err error) {
	if c.screen, err = c.open(); err != nil {
		c.queue.Close()
		c.questions.close()
		c.mail.close()
		return fmt.Errorf("console: %w", err)
	}
	var cancel context.CancelFunc
	c.ctx, cancel = context.WithCancel(ctx)
	defer func() {
		if value := recover(); value != nil {
			c.crash = &PanicError{value, debug.Stack()}
		}
		cancel()
		c.panes.close()
		c.queue.Close()
		c.questions.close()
		c.mail.close()
		c.screen.Fini()
		if stuck := c.wait(); err == nil {
			err = stuck
		}
		if c.crash != nil {
			fmt.Fprintf(os.Stderr, "nod: panic: %v\n\n%s", c.crash.Value, c.crash.Stack)
			err = c.crash
		}
	}()
	c.welcome()
	return c.pump(ctx)
}

// open takes the terminal over.
func (c *Console) open() (*screen.Screen, error) {
	var s *screen.Screen
	switch given := c.opt.Screen.(type) {
	case nil:
		var err error
		if s, err = screen.New(); err != nil {
			return nil, err
		}
	case *screen.Screen:
		s = given
	default:
		s = screen.Wrap(given)
	}
	c.taken.Store(s)
	if err := s.Init(); err != nil {
		return nil, err
	}
	if err := errors.Join(c.fit(s), c.askGround(s)); err != nil {
		s.Fini()
		return nil, err
	}
	if c.opt.Mouse {
		s.EnableMouse(mouseReports...)
	}
	return s, nil
}

// fit has the theme in the colours that the screen has.
func (c *Console) fit(s *screen.Screen) error {
	theme, err := themes.Load(c.themeName)
	if err == nil {
		c.styles = s.Styles(theme)
	}
	return err
}

// welcome puts the first lines into the chat.
func (c *Console) welcome() {
	if c.opt.Notice != "" {
		c.chat.Notice(c.opt.Notice)
	}
	switch r := c.opt.Resume; {
	case r == nil:
	case r.Now:
		c.resume()
	case r.LeftOpen:
		c.chat.Notice(`"` + r.Title + `" was left open ` + ago(c.now().Sub(r.When)) + ": /resume goes on with it")
	}
}

// ago is a time that has passed, roughly.
func ago(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return "just now"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d hours ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// spawn runs something beside the pump. A panic in it ends the console.
func (c *Console) spawn(run func()) {
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		defer func() {
			if value := recover(); value != nil {
				c.mail.put(panicked{value, debug.Stack()})
			}
		}()
		run()
	}()
}

// wait waits for all that was spawned.
func (c *Console) wait() error {
	done := make(chan struct{})
	go func() {
		c.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-time.After(endTime):
		return fmt.Errorf("console: %w within %v", ErrStuck, endTime)
	}
}

// announce draws the operator's attention if he looks elsewhere.
func (c *Console) announce(text string) {
	if c.blurred && !c.opt.Quiet {
		// A terminal that cannot be written to is noticed by its reader.
		_ = c.screen.Notify("nod", text)
	}
}
