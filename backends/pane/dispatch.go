package pane

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane/marks"
	"github.com/nod-console/nod/backends/pane/shells"
)

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
	// enterWait is how long a shell may take to react to Enter.
	enterWait = time.Second
	// pasteWait is how long the line editor may take from there until it asks
	// for pasted text to be marked, which some are told not to do. fish takes
	// it unasked.
	pasteWait = 30 * time.Millisecond
	// speakWait is how long a line editor may take to draw its prompt anew behind
	// a word of its own. What has been typed hardly ever looks like that.
	speakWait = 3 * time.Second
	// startWait is how long something else than a shell may be in the
	// foreground while a shell starts.
	startWait = time.Second
	// againWait is how long a shell that was seen at its prompt may be away from
	// it.
	againWait = 2 * time.Second
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
	if err := p.Degraded(); err != nil {
		return nil, err
	}
	for {
		if p.inWaiting(ctx, req) {
			switch err := p.goInside(ctx, req); {
			case errors.Is(err, errNotNow):
				continue
			case err != nil:
				return nil, err
			}
			req.Generation = 0 // of before; Inside tells the same
		}
		l, err := p.take(ctx, req)
		if err != nil {
			return nil, err
		}
		r, err := p.dispatch(ctx, req)
		if err == nil && p.arrived(ctx, r) {
			return r, nil
		}
		l.turn <- struct{}{}
		if err != nil && !errors.Is(err, errLinkLost) {
			return nil, err
		}
		// The connection to the terminal was lost before it had the command.
		// That is sure, so it is given again, from the beginning.
		if err != nil {
			p.outOfSight()
		}
	}
}

// inWaiting reports whether a request is meant for a shell that waits inside the
// present one and is not hooked yet. One that was seen to wait may have something
// to write, and to look for, once more.
func (p *Pane) inWaiting(ctx context.Context, req Request) bool {
	for limit := time.Now().Add(againWait); ; {
		p.mu.Lock()
		n := len(p.outer)
		meant := p.phase == executing && len(req.Inside) == n+1 && slices.Equal(req.Inside[:n], p.inside())
		waits := meant && p.waiting() == req.Inside[n]
		p.mu.Unlock()
		if waits || !meant || time.Now().After(limit) {
			return waits
		}
		if _, err := p.shortly(ctx, quiet, func() bool { return p.phase != executing }); err != nil {
			return false
		}
	}
}

// take waits for the turn of the shell that is meant.
func (p *Pane) take(ctx context.Context, req Request) (*level, error) {
	l, err := p.meant(req)
	if err != nil {
		return nil, err
	}
	select {
	case <-l.turn:
		return l, nil
	default:
	}
	select {
	case <-l.turn:
		return l, nil
	case <-l.left:
		_, err := p.meant(req)
		return nil, cmp.Or(err, error(&ChangedError{Pane: p.ID()}))
	case <-p.closed:
		return nil, p.gone
	case <-ctx.Done():
		doing := "another command is about to run"
		if r := p.Busy(); r != nil {
			doing = fmt.Sprintf("%q runs since %s", r.Command, time.Since(r.Started).Round(time.Second))
		}
		return nil, &BusyError{Pane: p.ID(), Doing: doing, Wrapped: context.Cause(ctx)}
	}
}

// meant is the present level, if it is the one that a request is meant for.
func (p *Pane) meant(req Request) (*level, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.level, p.differs(req)
}

// differs is a *ChangedError if the request is meant for another shell. p.mu is
// held.
func (p *Pane) differs(req Request) error {
	now := p.inside()
	if !slices.Equal(req.Inside, now) || req.Generation != 0 && req.Generation != p.generation {
		return &ChangedError{Pane: p.ID(), Meant: req.Inside, Now: now}
	}
	return nil
}

// arrived waits until the terminal has taken a run's command. It is false if it
// is sure that it has not and will not.
func (p *Pane) arrived(ctx context.Context, r *Run) bool {
	select {
	case typed := <-r.way:
		return typed
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r.arrive(true) // from here on nobody gives it again
	return <-r.way
}

// dispatch types a command. The caller has the turn.
func (p *Pane) dispatch(ctx context.Context, req Request) (*Run, error) {
	notices, stands, err := p.stillReady(ctx)
	if err != nil {
		p.mu.Lock()
		p.keepFor(notices)
		p.mu.Unlock()
		return nil, err
	}
	p.mu.Lock()
	var key byte
	if p.keys {
		key = marks.Keys[p.entries%len(marks.Keys)]
	}
	t := shells.Type(req.Command, p.shell, shells.Terminal{Paste: p.term.Snapshot().Modes.BracketedPaste, Raw: stands.raw, Key: key}, p.nonce)
	w := p.hander()
	p.mu.Unlock()
	if t.Stash != "" {
		if err := w.stash(ctx, t.Stash, req.Command); err != nil {
			p.mu.Lock()
			p.keepFor(notices)
			p.mu.Unlock()
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.clear(ctx, req); err != nil {
		if t.Stash != "" {
			p.hander().unstash(t.Stash)
		}
		p.keepFor(notices)
		return nil, err
	}
	r := newRun(req)
	for _, n := range notices {
		r.notice(n)
	}
	p.entries++
	r.number, r.prompt, r.key = p.entries, p.prompts, key
	if p.shell.Plain() {
		r.prompt = max(r.prompt, 1) // that of the hook, which may be yet to come up
	}
	p.run, p.phase, p.shape, p.echo, p.asked, p.silent, p.lead = r, dispatched, t, t.Echo, asked{}, false, marks.Preamble{}
	p.crossed = crossed{maybe: p.shell.Plain() && (p.strayed || !stands.rests || p.lastly != stands.asOf)}
	p.wire.glimpse(func(seen sight, err error) {
		if err == nil && seen.dead {
			p.stillborn(r)
		}
	})
	p.wire.enter(t.Keys, r.number, func(err error) {
		if err != nil {
			p.failed(r, err)
			return
		}
		r.arrive(true)
	})
	p.changed()
	p.nudge()
	return r, nil
}

// outOfSight says that the connection to the terminal has been found to be lost.
func (p *Pane) outOfSight() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = true
	p.nudge()
}

// failed ends a run whose command may not have reached the shell.
func (p *Pane) failed(r *Run, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run != r || p.phase != dispatched {
		return
	}
	if errors.Is(err, errLinkLost) { // a look will tell
		r.unsure, p.away = true, true
		p.nudge()
		return
	}
	p.forget()
	p.finish(backends.Outcome{}, fmt.Sprintf("it is not known whether the command was typed: %v", err))
}

// untyped takes back a run whose command has surely not been typed: it is given
// again, or ends if nobody waits for that any more. p.mu is held.
func (p *Pane) untyped(r *Run, why string) {
	select {
	case r.way <- false:
		p.run, p.phase = nil, atPrompt
		if p.shape.Stash != "" {
			p.hander().unstash(p.shape.Stash)
		}
		p.shape, p.refusal, p.crossed = shells.Typing{}, backends.Outcome{}, crossed{}
		r.end(backends.Outcome{})
	default: // nobody waits any more
		p.phase = atPrompt
		r.refuse()
		p.finish(backends.Outcome{}, "nothing was run: "+why)
	}
}

// stillborn takes back a run whose shell had ended, unnoticed, before its command
// was typed: a terminal without a program takes no keys.
func (p *Pane) stillborn(r *Run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run == r {
		p.untyped(r, "the shell of this pane had just ended; the next command gets a fresh one")
		p.forget()
		p.away = true // until the look that takes the end of the shell in
		p.nudge()
	}
}
