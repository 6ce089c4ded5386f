package pane

import (
	"context"
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
	// whether its shell still is the same program, and which one is in front: a
	// question that costs a process on the target.
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
			again := p.glance(ctx, pause)
			if due := p.rise(ctx); due > 0 {
				timer.Reset(due)
				continue
			}
			if !again {
				continue // output comes before anything else changes, or word of the shell's end
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
	incomplete := p.incomplete()
	refused := p.settleRefusal(silence)
	strayed := p.phase == atPrompt && p.strayed
	again = p.run != nil || p.phase == executing || strayed
	stale := p.stale
	p.stale = false
	p.mu.Unlock()
	if stale {
		// Pen, charsets and halves of characters cannot be asked for, so the
		// state taken in the middle of output is taken again in silence.
		p.wire.reseed(false)
	}
	short, cancel := context.WithTimeout(ctx, lookFor)
	seen, more, err := p.observed(short)
	cancel()
	if err != nil {
		return again // the keeper sees to a lost connection
	}
	again = again || more
	if seen.dead {
		return again
	}
	if incomplete {
		p.givesUp(ctx, seen)
	}
	if again && (strayed || refused || mayBeReplaced(seen, silence)) {
		_ = p.lookAround(ctx, seen) // the next look tells
	}
	return again
}

// settleRefusal ends the run if a silence shows that the shell has refused its line. It
// reports whether only the kernel can tell. p.mu is held.
func (p *Pane) settleRefusal(silence time.Duration) bool {
	if p.refusal.State == backends.Unknown || !p.isOver(silence) || p.away {
		return false
	}
	if !p.unread {
		p.refused()
	}
	return p.unread && (p.prompt.known || silence >= lookMost)
}

// mayBeReplaced reports whether a silence is long enough to ask whether the shell still is
// the same program, where what is in front may be a shell.
func mayBeReplaced(seen sight, silence time.Duration) bool {
	return silence >= replacedAfter && opensOrIsShell(seen.program())
}

// givesUp gives up a command of which the shell asks for the rest: with Ctrl-C, in
// silence and again if need be, since bash (5.2) can hang at an interrupt that comes while
// it puts up its prompt, until the next. Where another program is in front, it was that
// which wrote what looks like the shell's question, and goes on. A shell that does not wait
// for keys is left alone, too.
func (p *Pane) givesUp(ctx context.Context, seen sight) {
	p.mu.Lock()
	r, home, asOf, first := p.run, p.home, p.lastly, p.asked.abandoned.IsZero()
	p.mu.Unlock()
	var f front
	computes := false
	if first && home != 0 {
		f, _ = p.wire.front(ctx, seen.pid, home) // a target that does not tell is believed
		computes = f.pid == home && !f.raw && p.ask(ctx, seen.pid, reading) == ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.run != r || p.lastly != asOf || !p.incomplete() || time.Since(p.asked.abandoned) < abandonAgain:
	case f.pid != 0 && f.pid != home:
		p.unasked()
	case computes: // a command that is part of the shell, or the shell on its way to the question
	default:
		if first {
			r.notice("the command is not complete (an open quote, bracket or here-document): the shell asked for more, and it was abandoned")
		}
		p.asked.abandoned = time.Now()
		p.wire.send([]byte{0x03}, nil)
	}
}

// refused ends the run: nothing of it was run. p.mu is held.
func (p *Pane) refused() {
	switch {
	case p.crossed.ended && p.shell.Announces():
		p.overtaken()
	case p.another():
		p.unclear()
	case !p.shell.Plain() || !p.unread || p.incomplete():
		p.run.refuse()
		p.phase = atPrompt
		p.finish(p.refusal)
	case p.interruptedWith():
		p.phase = atPrompt
		p.finish(p.refusal, "an interrupt (Ctrl-C) came right in front of the command, and the shell gave the line up with it: status 130 is that of the interrupt; look at what the command has done before it is given again")
	case p.run.shows():
		p.phase = atPrompt
		p.finish(backends.Outcome{}, "the line that was entered is not the one that nod typed: what was run, and how the command ended, is not known")
	default: // the terminal does not show what is typed
		p.run.takeUp()
		p.phase = atPrompt
		p.finish(p.refusal)
	}
	p.changed()
}

// observed looks at the terminal and takes in what it sees, at the very place of
// the answer in the stream: output that follows it, or its loss, must not be
// overtaken. It reports whether to look again soon.
func (p *Pane) observed(ctx context.Context) (seen sight, again bool, err error) {
	type answer struct {
		sight
		again bool
		err   error
	}
	got := make(chan answer, 1)
	p.wire.look(func(s sight, err error) {
		a := answer{sight: s, err: err}
		if err == nil {
			a.again = p.observe(s)
		}
		got <- a
	})
	select {
	case a := <-got:
		return a.sight, a.again, a.err
	case <-ctx.Done():
		return sight{}, false, context.Cause(ctx)
	}
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
	died := seen.dead && !p.seen.dead
	p.seen = seen
	p.takeLeftWord(seen)
	switch {
	case died:
		p.away = false
		p.ended(seen)
	case p.away:
		p.away = p.recall(seen)
		p.changed()
	}
	return p.away
}

// ended handles the end of the shell. p.mu is held.
func (p *Pane) ended(seen sight) {
	p.leave(0)
	if p.run != nil && p.phase == dispatched && seen.whole {
		p.finish(backends.Outcome{}, "the shell of this pane ended before it said that it had begun with the command: whether any of it ran is not known; the next command gets a fresh shell")
	}
	if p.run != nil {
		// tmux drops what it has not sent yet when a program ends, sometimes
		// even the mark of the command's beginning: what there is then is the echo.
		if p.phase == dispatched {
			p.run.begin()
			p.tapBegan()
		}
		if !seen.whole {
			p.run.lost("output from just before the end of the shell may be missing")
		}
		notice := "the command ended the shell of this pane; the next one gets a fresh shell"
		if seen.why != nil {
			notice = "the shell of this pane has ended: " + seen.why.Error()
		}
		p.finish(seen.outcome, notice)
	}
	p.forget()
	p.generation++
	p.rising.fell(seen.outcome, time.Now())
	p.changed()
}
