package pane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/backends"
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
	name    string
	wire    wire
	turn    chan struct{} // holds a token while nobody dispatches or runs

	mu      sync.Mutex
	term    *vt.Terminal
	scan    scanner
	shell   Shell
	phase   phase
	run     *Run // the run that was dispatched and has not ended
	shape   typed
	asked   asked
	silent  bool             // the run's output has ended, what comes is the prompt's
	lead    preamble         // what the shell writes in front of the run's output
	prompt  promptSpot       // where the prompt ended
	refusal backends.Outcome // what the shell reported instead of beginning with the run
	keyed   keyed            // what was typed at the prompt without a reaction so far
	seen    sight            // the latest look at the terminal
	exec    program          // what the shell was when it was hooked
	reborn  string           // what the next run should tell of the shell
	lastly  time.Time        // of the latest output
	change  chan struct{}
	subs    map[chan struct{}]struct{}

	seeded  bool      // the emulator shows the terminal's state
	stale   bool      // it was seeded in the middle of output
	missing *Run      // the run of which output was missed since the last look
	dying   time.Time // when the shell was first seen to have ended without a status

	poke   chan struct{} // output has come
	closed chan struct{}
	gone   error // why the pane cannot be used any more
}

// asked is what is known of the shell's questions for the rest of a command.
type asked struct {
	times     int       // continuation prompts since the dispatch
	abandoned time.Time // when the command was last given up
}

// Target is the name of the target that the pane is on.
func (p *Pane) Target() string { return p.target }

// Session is the name of the session that the pane belongs to, as its keeper
// knows it.
func (p *Pane) Session() string { return p.session }

// Name is the pane's name in its session.
func (p *Pane) Name() string { return p.name }

// ID is the terminal's own name for the pane: "%3". A pane whose shell has ended
// gets another one with its fresh shell.
func (p *Pane) ID() string { return p.wire.id() }

// Attach is what the operator types on the target to get at the pane by hand.
func (p *Pane) Attach() string { return p.wire.attach() }

// Screen is what the pane shows now.
func (p *Pane) Screen() *vt.Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
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
			return context.Cause(ctx)
		}
	}
}

// Type types bytes exactly as they are.
func (p *Pane) Type(ctx context.Context, text []byte) error {
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
		return fmt.Errorf("pane %s: type: %w", p.ID(), context.Cause(ctx))
	}
}

// Keys types keys by tmux's names for them: "C-c", "Enter", "Up", "F5".
func (p *Pane) Keys(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return errors.New("pane: no keys to type")
	}
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

// Busy is the run that has not ended, or nil. A command that was typed by hand
// is no run: see AtPrompt.
func (p *Pane) Busy() *Run {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.run
}

// output takes what the pane's programs have written. It is called on the
// reading goroutine and must not wait for anything.
func (p *Pane) output(data []byte) {
	p.mu.Lock()
	if p.gone != nil {
		p.mu.Unlock()
		return
	}
	p.scan.feed(data)
	p.lastly = time.Now()
	p.changed()
	p.mu.Unlock()
	p.nudge()
}

// nudge wakes the watch.
func (p *Pane) nudge() {
	select {
	case p.poke <- struct{}{}:
	default:
	}
}

// plain is output that is no mark.
func (p *Pane) plain(data []byte) {
	_, _ = p.term.Write(data) // never fails
	p.prompt.afterward += len(data)
	if p.run != nil && p.refusal.State == backends.Unknown && !p.silent {
		if data = p.lead.cut(data); len(data) > 0 {
			p.run.record(data)
		}
	}
}

// marked is what the shell says of itself.
func (p *Pane) marked(m mark) {
	if m.kind != 'R' && m.kind != 'B' && m.kind != 'E' {
		p.keyed = keyedNothing
	}
	switch m.kind {
	case 'R':
		p.shell = Shell(m.arg)
		p.phase = atPrompt
		p.prompt = promptSpot{}
	case 'B':
		if p.phase == atPrompt || p.phase == dispatched {
			p.prompt = spotAtCursor(p.term.Snapshot())
		}
	case 'C':
		p.prompt = promptSpot{}
		if p.phase == dispatched {
			p.run.begin()
			p.lead.pending = p.shell == Fish
		}
		p.phase, p.silent = executing, false
		p.refusal = backends.Outcome{}
	case 'E':
		p.silent = true
	case 'P':
		p.continued()
	case 'D':
		p.prompt = promptSpot{}
		if p.phase == dispatched {
			// The line was refused, or an interrupt from before has its prompt
			// and the line is yet to be read: silence will tell.
			p.refusal = statusOutcome(m.arg)
			break
		}
		p.phase = atPrompt
		if p.run != nil {
			p.finish(statusOutcome(m.arg))
		}
	}
}

// finish ends the current run. p.mu is held.
func (p *Pane) finish(outcome backends.Outcome, notices ...string) {
	r := p.run
	p.run = nil
	if rest := p.lead.rest(0); len(rest) > 0 {
		r.record(rest)
	}
	if outcome == backends.ExitedWith(stoppedStatus) {
		notices = append(notices, "status 148 is what the shell reports for a program that was stopped (Ctrl-Z): it has not ended; \"fg\" continues it, \"kill %%\" ends it")
	}
	r.end(outcome, notices...)
	if p.shape.stash != "" {
		p.wire.unstash(p.shape.stash)
	}
	p.shape, p.refusal = typed{}, backends.Outcome{}
	p.turn <- struct{}{}
}

// stoppedStatus is 128 + SIGTSTP.
const stoppedStatus = 148

func statusOutcome(digits string) backends.Outcome {
	n := 0
	for _, c := range digits {
		n = n*10 + int(c-'0')
	}
	return backends.ExitedWith(n)
}

// continued handles a continuation prompt. One that the typed lines do not
// explain means that the command is not complete: the shell waits for the rest.
func (p *Pane) continued() {
	if p.run == nil {
		return
	}
	if p.asked.times++; p.asked.times == p.shape.lines {
		p.run.notice("the command is not complete (an open quote, bracket or here-document): the shell asked for more, and it was abandoned")
	}
}

// incomplete reports whether the shell waits for the rest of the current run's
// command. p.mu is held.
func (p *Pane) incomplete() bool { return p.run != nil && p.asked.times >= p.shape.lines }

// seed sets the emulator from the terminal's own state.
func (p *Pane) seed(s vt.Seed, fresh bool) {
	s.Fresh = fresh
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.term.Snapshot()
	p.term.Seed(s)
	p.seeded = true
	// The rows may have other numbers now, and other breaks after a change of
	// size.
	after := p.term.Snapshot()
	if found := p.prompt.foundIn(after); found.known || before.Size != after.Size {
		p.prompt = found
	}
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
	p.scan.held = nil
	p.seeded, p.stale = false, true
	if p.run != nil {
		p.missing = p.run
		p.run.lost(why)
	}
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
	p.forget()
	if p.run != nil {
		p.finish(backends.Outcome{}, fmt.Sprintf("the pane is gone (%v): whether and how the command ended is not known; the next command needs a fresh pane", why))
	}
	p.changed()
}
