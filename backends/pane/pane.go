package pane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane/marks"
	"github.com/nod-console/nod/backends/pane/shells"
	"github.com/nod-console/nod/backends/vt"
)

// phase is what the shell in a pane is doing, as its marks tell.
type phase uint8

const (
	unknown    phase = iota // no hook, or nothing heard from it yet
	atPrompt                // the prompt is coming up or stands
	dispatched              // a run's line has been typed, the shell has not begun with it
	executing               // a command runs: a run's, or one that was typed by hand
)

// Pane is a terminal on a target with a shell in it. It is safe for concurrent
// use.
type Pane struct {
	target  string
	session string
	title   atomic.Pointer[string] // see Name
	wire    wire

	mu         sync.Mutex
	term       *vt.Terminal
	scan       marks.Scanner
	*level                      // the innermost shell, which is the one that can be given commands
	outer      []*level         // those around it, the pane's own first
	hand       *shells.Handover // the text that is being handed over by typing, or nil
	lateReader string           // the name of a text whose reader has not said that it has it
	lateEnd    string           // the last line of that text
	seen       sight            // the latest look at the terminal
	unready    unready          // the latest refusal of the shell
	overtyped  string           // what stood in front of the cursor when the hook was typed
	front      front            // what was in the foreground when it was last asked for
	types      bool             // texts are handed over by typing
	reborn     string           // what the next run should tell of the shell
	lastly     time.Time        // of the latest output
	hands      hands            // who types
	last       Ended            // the run that ended last; zero if none has
	tap        Tap              // nil if nobody records
	later      bool             // the tap wants the main screen once it shows
	change     chan struct{}
	subs       map[chan struct{}]struct{}

	generation uint64 // see Generation
	commands   uint64 // see Commands
	entries    int    // how often the keys of a run were typed

	inherited bool // an earlier process has left it, perhaps with a command, and its shell has not been hooked since

	seeded bool      // the emulator shows the terminal's state
	stale  bool      // it was seeded in the middle of output
	away   bool      // output was missed since the last look
	dying  time.Time // when the shell was first seen to have ended without a status
	rising rising
	hush   hush // since nod has typed the hook

	nesting sync.Mutex // held while a shell inside the present one is hooked
	kind    string     // of shell, as it has answered a probe

	poke   chan struct{} // output has come
	closed chan struct{}
	gone   error // why the pane cannot be used any more
}

// asked is what is known of the shell's questions for the rest of a command.
type asked struct {
	times     int       // continuation prompts since the dispatch
	abandoned time.Time // when the command was last given up
	aside     bool      // the run's output so far was set aside
}

// newPane is a pane of which nothing is known yet. It needs its wire.
func newPane(k *Keeper, session, name string, emulate vt.Options) *Pane {
	p := &Pane{
		target:  k.target.Name(),
		session: session,
		level:   newLevel(""),
		change:  make(chan struct{}),
		subs:    map[chan struct{}]struct{}{},
		poke:    make(chan struct{}, 1),
		closed:  make(chan struct{}),
		stale:   true,
	}
	p.title.Store(&name)
	size := k.opt.Size
	p.term = vt.New(vt.Size{Cols: size.Cols, Rows: size.Rows}, emulate)
	p.scan.Plain, p.scan.Found, p.scan.Account = p.plain, p.marked, p.told
	p.generation = 1
	if k.opt.Tap != nil {
		p.tap = k.opt.Tap(p)
	}
	return p
}

// Target is the name of the target that the pane is on.
func (p *Pane) Target() string { return p.target }

// Session is the name of the session that the pane belongs to, as its keeper
// knows it.
func (p *Pane) Session() string { return p.session }

// Name is the pane's name in its session.
func (p *Pane) Name() string { return *p.title.Load() }

// ID is the terminal's own name for the pane: "%3". A pane whose shell has ended
// gets another one with its fresh shell.
func (p *Pane) ID() string { return p.wire.id() }

// Attach is what the operator types on the target to get at the pane by hand.
func (p *Pane) Attach() string { return p.wire.attach() }

// Screen is what the pane shows now.
func (p *Pane) Screen() *vt.Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hush.picture != nil {
		return p.hush.picture
	}
	return p.term.Snapshot()
}

// Subscribe returns a channel that holds a value whenever something has changed
// since it was last read: the screen, or what the shell does. However slow its
// reader is, nothing waits for it. cancel ends the subscription.
func (p *Pane) Subscribe() (changed <-chan struct{}, cancel func()) {
	ch := make(chan struct{}, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.subs[ch] = struct{}{}
	return ch, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.subs, ch)
	}
}

// changed tells the subscribers. p.mu is held.
func (p *Pane) changed() {
	for ch := range p.subs {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
	close(p.change)
	p.change = make(chan struct{})
}

// wait returns once ok holds, which is called with p.mu held.
func (p *Pane) wait(ctx context.Context, ok func() bool) error {
	for {
		p.mu.Lock()
		good, change, gone := ok(), p.change, p.gone
		p.mu.Unlock()
		switch {
		case good:
			return nil
		case gone != nil:
			return gone
		}
		select {
		case <-change:
		case <-ctx.Done():
			return overdue(ctx)
		}
	}
}

// overdue is why a context has ended, in plain words where its time was up.
func overdue(ctx context.Context) error {
	cause := context.Cause(ctx)
	if cause == context.DeadlineExceeded { //nolint:errorlint // another error around it has words of its own
		return overdueError{}
	}
	return cause
}

// overdueError is context.DeadlineExceeded.
type overdueError struct{}

func (overdueError) Error() string { return "it took too long" }

func (overdueError) Unwrap() error { return context.DeadlineExceeded }

// Type types bytes exactly as they are.
func (p *Pane) Type(ctx context.Context, text []byte) error {
	p.touch()
	switch {
	case bytes.IndexByte(text, 0x03) >= 0:
		p.typing(keyedInterrupt)
	case bytes.ContainsAny(text, "\r\n"):
		p.typing(keyedEnter)
	}
	sent := make(chan error, 1)
	p.wire.send(text, func(err error) { sent <- err })
	select {
	case err := <-sent:
		return err
	case <-ctx.Done():
		return fmt.Errorf("pane %s: type: %w", p.ID(), overdue(ctx))
	}
}

// Keys types keys by tmux's names for them: "C-c", "Enter", "Up", "F5".
func (p *Pane) Keys(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return errors.New("pane: no keys to type")
	}
	p.touch()
	for _, name := range names {
		switch strings.ToLower(name) {
		case "c-c", "^c":
			p.typing(keyedInterrupt)
		case "enter", "kpenter", "c-m", "c-j", "^m", "^j":
			p.typing(keyedEnter)
		}
	}
	return p.wire.keys(ctx, names)
}

// keyed is a key to which a shell at its prompt reacts with a mark. A Run that
// comes right behind one waits for that.
type keyed uint8

const (
	keyedNothing keyed = iota
	keyedEnter
	keyedInterrupt
)

// typing notes that a key is about to be typed.
func (p *Pane) typing(k keyed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.phase == atPrompt {
		p.keyed = max(p.keyed, k)
	}
}

// Interrupt types Ctrl-C.
func (p *Pane) Interrupt(ctx context.Context) error { return p.Type(ctx, []byte{0x03}) }

// Resize asks for another size. The operator's own terminal, where one is
// attached, has the last word.
func (p *Pane) Resize(size backends.Size) { p.wire.resize(size) }

// Dir is the working directory of the program in the foreground, which at a
// prompt is the shell. It is asked for each time, and empty where the target
// does not tell.
func (p *Pane) Dir(ctx context.Context) (string, error) {
	seen, err := p.looked(ctx)
	return seen.dir, err
}

// Shell is the family of the pane's shell, NoShell before the first run.
func (p *Pane) Shell() Shell {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shell
}

// Generation is another number whenever the shell that a command would be given
// to is another one: a fresh one after the end of the last, one that replaced
// it by exec, one that a command has opened inside it or the one around that.
// It is never 0. See [Request].Generation.
func (p *Pane) Generation() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.generation
}

// Commands counts the commands that began in the pane, by any hand, as far as
// its shells tell. It never counts too few: dash and its like say of a command
// that was typed by hand only that a new prompt came, which an empty line gets
// too.
func (p *Pane) Commands() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.commands
}

// Busy is the run that has not ended, or nil. A command that was typed by hand
// is no run: see AtPrompt.
func (p *Pane) Busy() *Run {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.run
}

// seed sets the emulator from the terminal's own state.
func (p *Pane) seed(s vt.Seed, fresh bool) {
	s.Fresh = fresh
	p.mu.Lock()
	defer p.mu.Unlock()
	before, blind := p.term.Snapshot(), !p.seeded
	p.term.Seed(s)
	p.seeded = true
	// The rows may have other numbers now, and other breaks after a change of
	// size.
	after := p.term.Snapshot()
	found := p.prompt.foundIn(after)
	if blind && !found.known && (p.prompt.known || p.phase == atPrompt) {
		found = p.before.likely(after) // it came up on a screen that nobody had
	}
	if found.known || blind || before.Size != after.Size {
		p.prompt = found
	}
	p.tapSeed(before, after, blind)
	p.changed()
}

// resized has the screen taken anew, now and once more in the next quiet moment.
func (p *Pane) resized() {
	p.mu.Lock()
	p.stale = true
	p.mu.Unlock()
	p.wire.reseed(false)
	p.nudge()
}

// missed says that output of the pane has been lost.
func (p *Pane) missed(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.scan.Skip()
	p.seeded, p.stale, p.away = false, true, true
	if p.tap != nil {
		p.tap.Lost(why)
	}
	for _, l := range append([]*level{p.level}, p.outer...) {
		if l.run != nil {
			l.run.lost(why)
		}
	}
}

// giveUp ends the runs of a pane whose terminal is not come back to before somebody has
// acted: who waits for them would not learn why. What runs there goes on.
func (p *Pane) giveUp(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone == nil {
		p.endUnknown(withoutPackage(why) + "; whether and how the command ended is not known: look at what it has done before it is given again")
	}
}

// endUnknown ends all runs, with outcomes that are not known, and forgets what held in the
// shells. p.mu is held.
func (p *Pane) endUnknown(notice string) {
	p.leave(0)
	p.forget()
	if p.run != nil {
		p.finish(backends.Outcome{}, notice)
	}
	p.changed()
}

// abandon ends the pane's life: the terminal is gone.
func (p *Pane) abandon(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone != nil {
		return
	}
	p.gone = why
	close(p.closed)
	p.endUnknown(withoutPackage(why) + "; whether and how the command ended is not known: look at what it has done before it is given again, in a fresh pane")
	if p.tap != nil {
		p.tap.Closed()
	}
}
