package pane

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/backends"
)

// Errors of Run. Nothing has been typed then, except that a *BusyError and a
// *NotReadyError may come after an attempt to hook the shell.
var (
	ErrNoCommand = errors.New("pane: the command is empty")
	ErrNulByte   = errors.New("pane: the command holds a zero byte, which no shell can take")
)

// BusyError says that the pane could not take a command in time.
type BusyError struct {
	Pane    string
	Doing   string // what it was busy with
	Wrapped error  // why there was no more waiting
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("pane %s is busy: %s: %v", e.Pane, e.Doing, e.Wrapped)
}

func (e *BusyError) Unwrap() error { return e.Wrapped }

// PendingError says that somebody has typed on the prompt's line: the command
// would have been appended to it.
type PendingError struct{ Pane, Line string }

func (e *PendingError) Error() string {
	return fmt.Sprintf("pane %s: %q stands on the prompt's line and has not been entered; enter it, or clear it with Ctrl-U, first", e.Pane, e.Line)
}

// NotReadyError says that no shell answered.
type NotReadyError struct {
	Pane    string
	Program string // in the foreground
	Line    string // the last line on the screen
	Wrapped error
}

func (e *NotReadyError) Error() string {
	return fmt.Sprintf("pane %s: no shell answers; %q runs in it, and its last line is %q: %v", e.Pane, e.Program, e.Line, e.Wrapped)
}

func (e *NotReadyError) Unwrap() error { return e.Wrapped }

// Limits in time. All were measured to be far above what a loaded machine
// needs, and none is waited for in the normal course.
const (
	// hookWait is how long a shell may take to come to its prompt and answer
	// the hook.
	hookWait = 5 * time.Second
	// hookTry is how long one try of several may take.
	hookTry = 1500 * time.Millisecond
	// promptWait is how long the end of the prompt may come after its
	// beginning. A shell that rewrites its prompt may never say.
	promptWait = 250 * time.Millisecond
	// pasteWait is how long the line editor may take from there until it asks
	// for pasted text to be marked, which some are told not to do. fish takes
	// it unasked.
	pasteWait = 30 * time.Millisecond
	// startWait is how long something else than a shell may be in the
	// foreground while a shell starts.
	startWait = time.Second
	// settle is how long a new shell must be quiet to be taken to be at its
	// prompt.
	settle = 20 * time.Millisecond
)

// Run gives the shell in the pane a command and returns once it is on its way.
// Commands of a pane run one after the other: Run waits for its turn until ctx
// ends, which gives a *BusyError. ctx does not bound the run itself: it goes on
// in the pane until it ends or is interrupted.
func (p *Pane) Run(ctx context.Context, req Request) (*Run, error) {
	switch {
	case strings.TrimSpace(req.Command) == "":
		return nil, ErrNoCommand
	case strings.IndexByte(req.Command, 0) >= 0:
		return nil, ErrNulByte
	}
	if err := p.take(ctx); err != nil {
		return nil, err
	}
	r, err := p.dispatch(ctx, req)
	if err != nil {
		p.turn <- struct{}{}
		return nil, err
	}
	return r, nil
}

// take waits for the pane's turn.
func (p *Pane) take(ctx context.Context) error {
	select {
	case <-p.turn:
		return nil
	default:
	}
	select {
	case <-p.turn:
		return nil
	case <-p.closed:
		return p.gone
	case <-ctx.Done():
		doing := "another command is about to run"
		if r := p.Busy(); r != nil {
			doing = fmt.Sprintf("%q runs since %s", r.Command, time.Since(r.Started).Round(time.Second))
		}
		return &BusyError{Pane: p.ID(), Doing: doing, Wrapped: context.Cause(ctx)}
	}
}

// dispatch types a command. The caller has the turn.
func (p *Pane) dispatch(ctx context.Context, req Request) (*Run, error) {
	notices, err := p.ready(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	t := shape(req.Command, p.shell, p.term.Snapshot().Modes.BracketedPaste, p.scan.nonce)
	p.mu.Unlock()
	if t.stash != "" {
		if err := p.wire.stash(ctx, t.stash, req.Command); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch line := p.pendingLine(); {
	case p.gone != nil:
		return nil, p.gone
	case line != "":
		return nil, &PendingError{Pane: p.ID(), Line: line}
	case p.phase != atPrompt:
		return nil, &BusyError{Pane: p.ID(), Doing: "a command was entered by hand", Wrapped: errors.New("not at the prompt")}
	}
	r := newRun(req)
	for _, n := range notices {
		r.notice(n)
	}
	p.run, p.phase, p.shape, p.asked, p.silent, p.lead = r, dispatched, t, asked{}, false, preamble{}
	p.wire.look(func(seen sight, err error) {
		if err == nil && seen.dead {
			p.stillborn(r)
		}
	})
	p.wire.send(t.keys, func(err error) {
		if err != nil {
			p.failed(r, err)
		}
	})
	p.changed()
	p.nudge()
	return r, nil
}

// failed ends a run whose command may not have reached the shell.
func (p *Pane) failed(r *Run, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run == r && p.phase == dispatched {
		p.phase = unknown
		p.shell = NoShell
		p.finish(backends.Outcome{}, fmt.Sprintf("it is not known whether the command was typed: %v", err))
	}
}

// stillborn ends a run whose shell had ended, unnoticed, before its command was
// typed.
func (p *Pane) stillborn(r *Run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run == r {
		p.forget()
		r.refuse()
		p.finish(backends.Outcome{}, "nothing was run: the shell of this pane had just ended; the next command gets a fresh one")
		p.nudge()
	}
}

// ready makes sure that a hooked shell stands at its prompt. It returns what
// the caller's run should tell.
func (p *Pane) ready(ctx context.Context) (notices []string, err error) {
	for {
		p.mu.Lock()
		dead, gone, shell, at := p.seen.dead, p.gone, p.shell, p.phase == atPrompt
		keyed := p.keyed != keyedNothing || p.pendingLine() == hangingInterrupt
		if p.reborn != "" {
			notices = append(notices, p.reborn)
			p.reborn = ""
		}
		p.mu.Unlock()
		switch {
		case gone != nil:
			return nil, gone
		case dead:
			if err := p.revive(ctx); err != nil {
				return nil, err
			}
			notices = append(notices, "the shell in this pane had ended: this is a fresh one, without its directory, variables and jobs")
		case shell == NoShell:
			if err := p.hook(ctx); err != nil {
				return nil, err
			}
		case at && keyed:
			if err := p.reaction(ctx); err != nil {
				return nil, err
			}
		case at:
			return notices, p.promptEnd(ctx)
		default: // the operator's command may end, or end the shell
			err := p.wait(ctx, func() bool { return p.phase != executing })
			if err != nil {
				return nil, &BusyError{Pane: p.ID(), Doing: "a command that was entered by hand runs in it", Wrapped: err}
			}
		}
	}
}

// hangingInterrupt is what stands behind the prompt of a bash (5.2) that was
// interrupted while it put the prompt up: it hangs until the next interrupt.
const hangingInterrupt = "^C"

// interruptTries bounds how often a shell that hangs at an interrupt is
// interrupted again.
const interruptTries = 3

// reaction waits until the shell has reacted to keys that were typed at its
// prompt. One that ignores them, as fish does with an interrupt on an empty
// line, gets no more than a moment.
func (p *Pane) reaction(ctx context.Context) error {
	for try := 1; ; try++ {
		p.mu.Lock()
		hangs := p.keyed == keyedNothing && p.pendingLine() == hangingInterrupt
		p.mu.Unlock()
		if !hangs {
			if reacted, err := p.shortly(ctx, promptWait, func() bool { return p.keyed == keyedNothing }); reacted || err != nil {
				return err
			}
		}
		p.mu.Lock()
		again := (hangs || p.keyed == keyedInterrupt && p.shell != Fish) && try < interruptTries
		p.keyed = keyedNothing
		p.mu.Unlock()
		if !again {
			return nil
		}
		if err := p.Interrupt(ctx); err != nil {
			return err
		}
	}
}

// shortly waits for at most most and reports whether ok came to hold.
func (p *Pane) shortly(ctx context.Context, most time.Duration, ok func() bool) (bool, error) {
	short, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err := p.wait(short, ok)
	if err != nil && ctx.Err() == nil && short.Err() != nil {
		return false, nil
	}
	return err == nil, err
}

// promptEnd waits for the end of the prompt, so that what is typed ahead shows.
// A prompt that does not tell where it ends gets no more than a moment.
func (p *Pane) promptEnd(ctx context.Context) error {
	_, err := p.shortly(ctx, promptWait, func() bool { return p.prompt.known || p.phase != atPrompt })
	if err == nil && p.Shell() == Zsh {
		_, err = p.shortly(ctx, pasteWait, func() bool { return p.term.Snapshot().Modes.BracketedPaste || p.phase != atPrompt })
	}
	return err
}

// revive starts a fresh shell in a pane whose shell has ended.
func (p *Pane) revive(ctx context.Context) error {
	if err := p.wire.renew(ctx); err != nil {
		return fmt.Errorf("pane %s: start a fresh shell: %w", p.ID(), err)
	}
	p.mu.Lock()
	p.forget()
	p.seen = sight{}
	p.seeded = false
	p.mu.Unlock()
	p.wire.reseed(true)
	return nil
}

// forget says that nothing is known of the shell. p.mu is held.
func (p *Pane) forget() {
	p.shell, p.phase, p.exec = NoShell, unknown, ""
	p.prompt, p.keyed = promptSpot{}, keyedNothing
}
