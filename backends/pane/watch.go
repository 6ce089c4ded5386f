package pane

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/backends"
)

const (
	// quiet is how long a pane must be silent before it is looked at.
	quiet = 50 * time.Millisecond
	// lookMost is the longest time between two looks while a run is silent.
	lookMost = time.Second
	// lookFor is how long the answer to a look may take.
	lookFor = 2 * time.Second
	// abandonAgain is how long an abandoned command may take to go away. It is
	// long because a second Ctrl-C that comes too late hits the next command.
	abandonAgain = 2 * time.Second
	// refusedAfter is the silence after which a shell that has shown a prompt
	// instead of beginning with a run's line is sure not to have it.
	refusedAfter = 2 * quiet
	// replacedAfter is how long a run must have been silent before it is asked
	// whether its shell still is the same program: a question that costs a
	// process on the target.
	replacedAfter = 150 * time.Millisecond
)

// watch looks at the terminal in quiet moments, for what the stream of output
// does not tell: that the shell has ended or has been replaced, that a
// full-screen program shows.
func (p *Pane) watch(ctx context.Context) {
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	pause := quiet
	for {
		select {
		case <-p.closed:
			return
		case <-p.poke:
			pause = quiet
			timer.Reset(pause)
		case <-timer.C:
			if !p.glance(ctx, pause) {
				continue // nothing can change unseen before there is output
			}
			pause = min(2*pause, lookMost)
			timer.Reset(pause)
		}
	}
}

// glance is one look. It reports whether to look again even if nothing comes.
func (p *Pane) glance(ctx context.Context, silence time.Duration) (again bool) {
	p.mu.Lock()
	if p.run != nil && p.term.Snapshot().Alternate {
		p.run.tookScreen()
	}
	if p.incomplete() && time.Since(p.asked.abandoned) >= abandonAgain {
		// Ctrl-C, in silence and again if need be: bash (5.2) can hang at an
		// interrupt that comes while it puts up its prompt, until the next.
		p.asked.abandoned = time.Now()
		p.wire.send([]byte{0x03}, nil)
	}
	if p.refusal.State != backends.Unknown && silence >= refusedAfter {
		p.phase = atPrompt
		p.run.refuse()
		p.finish(p.refusal)
		p.changed()
	}
	again = p.run != nil || p.phase == executing
	stale := p.stale
	p.stale = false
	p.mu.Unlock()
	if stale {
		// Pen, charsets and halves of characters cannot be asked for, so the
		// state taken in the middle of output is taken again in silence.
		p.wire.reseed(false)
	}
	short, cancel := context.WithTimeout(ctx, lookFor)
	seen, err := p.looked(short)
	cancel()
	if err != nil {
		return again // the keeper sees to a lost connection
	}
	if p.observe(seen) {
		again = true
	}
	if again && silence >= replacedAfter && isShell(seen.command) && !seen.dead {
		p.checkReplaced(ctx, seen)
	}
	return again
}

// statusWait is how long the status of a shell may come after its end.
const statusWait = 500 * time.Millisecond

// observe takes in what a look has shown. It reports whether to look again soon.
func (p *Pane) observe(seen sight) (again bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if seen.dead && seen.outcome.State == backends.Unknown {
		if p.dying.IsZero() {
			p.dying = time.Now()
		}
		if time.Since(p.dying) < statusWait {
			return true
		}
	}
	p.dying = time.Time{}
	missing := p.missing
	p.missing = nil
	died := seen.dead && !p.seen.dead
	p.seen = seen
	switch {
	case died:
		p.ended(seen)
	case missing != nil && missing == p.run:
		p.recall(seen.path)
	}
	return false
}

// ended handles the end of the shell. p.mu is held.
func (p *Pane) ended(seen sight) {
	if p.run != nil {
		// tmux drops what it has not sent yet when a program ends, sometimes
		// even the mark of the command's beginning: what there is then is the echo.
		if p.phase == dispatched {
			p.run.begin()
		}
		p.run.lost("output from just before the end of the shell may be missing")
		p.finish(seen.outcome, "the command ended the shell of this pane; the next one gets a fresh shell")
	}
	p.forget()
	p.changed()
}

// left is what the hook leaves where a look can see it.
func (p *Pane) left(state string) string {
	return "nod:" + string(p.scan.nonce) + ":" + state
}

// recall finds out what became of the current run while the pane was out of
// sight. The hook leaves "run" at the beginning of a command and its status at
// the end where a look can see it. p.mu is held.
func (p *Pane) recall(path string) {
	left, ours := strings.CutPrefix(path, p.left(""))
	m, isStatus := parseMark("D;" + left)
	switch {
	case ours && left == "run":
		p.run.begin()
		p.phase = executing
	case ours && isStatus && p.phase == executing:
		p.phase = atPrompt
		p.finish(statusOutcome(m.arg))
	default:
		p.forget()
		p.finish(backends.Outcome{}, "the connection was lost; whether and how the command ended is not known")
	}
	p.changed()
}

// checkReplaced finds out whether the shell has been replaced by exec, which
// takes the hook away: no mark would ever come.
func (p *Pane) checkReplaced(ctx context.Context, seen sight) {
	now, err := p.wire.program(ctx, seen.pid)
	if err != nil || now == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.exec == "" || now == p.exec || p.phase != executing {
		return
	}
	p.forget()
	p.reborn = "an earlier command replaced the shell of this pane by exec: this one ran in the new shell"
	if p.run != nil {
		p.finish(backends.Outcome{}, fmt.Sprintf("the command replaced the shell of this pane by %q (exec); its own outcome cannot be known", seen.command))
	}
	p.changed()
}
