package pane

import (
	"context"
	"time"

	"github.com/nod-console/nod/backends/pane/shells"
)

// settled waits until a shell is in the foreground, has nothing more to say and
// reads keys. A shell of which readline asks for pasted text to be marked has
// nothing more to say once its prompt stands there.
func (p *Pane) settled(ctx context.Context, way time.Duration) (shellSight, error) {
	var last shellSight
	pause := 2 * time.Millisecond
	for begin := time.Now(); ; {
		seen, err := p.looked(ctx)
		if err != nil {
			return last, err
		}
		last = shellSight{sight: seen}
		if seen.dead {
			p.observe(seen)
			return last, errShellEnded
		}
		now := p.calm(seen, time.Since(begin))
		maybe := seen.maybeShell()
		switch {
		case maybe && seen.path != startingPath && now.maybePrompt():
			var ready bool
			if last, ready, err = p.readsKeys(ctx, seen, now, way); ready || err != nil {
				return last, err
			}
			pause = min(2*pause, 10*settle)
		case shells.Untracked(seen.program()) && now.column > 0 && now.silent >= emptyPrompt:
			return last, errOtherShell
		case !maybe && time.Since(begin) > startWait+2*way:
			return last, errProgram
		}
		if err := p.rest(ctx, pause); err != nil {
			return last, err
		}
	}
}

// maybeShell reports whether the program in front has a shell's name, or that of what is one
// by many names.
func (s sight) maybeShell() bool { return shells.Is(s.program()) || s.program() == shells.Busybox }

// calm is how quiet a terminal is.
type calm struct {
	settled bool          // what shows is a prompt that stands there
	column  int           // of the cursor
	silent  time.Duration // since the latest output
	still   time.Duration // of that, as far as anybody has listened
}

// calm takes in a look, and says how quiet the terminal is, to which somebody has listened
// for a while.
func (p *Pane) calm(seen sight, listened time.Duration) calm {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = seen
	p.takeLeftWord(seen)
	s := p.term.Snapshot()
	silent := time.Since(p.lastly)
	// fish edits lines before it shows its prompt; some prompts are empty.
	prompts := p.seeded && (s.Cursor.Col > 0 || s.Modes.BracketedPaste && silent >= emptyPrompt)
	return calm{
		settled: prompts && (silent >= settle || s.Modes.BracketedPaste),
		column:  s.Cursor.Col, silent: silent, still: min(silent, listened),
	}
}

// maybePrompt reports whether a shell may be at its prompt: the screen shows one, or the
// shell has been silent for long.
func (c calm) maybePrompt() bool { return c.settled || c.still >= emptyPrompt }

// readsKeys reports whether a shell that may be at its prompt reads keys. The error says
// that it runs a script, and that this has said nothing for long.
func (p *Pane) readsKeys(ctx context.Context, seen sight, now calm, way time.Duration) (shell shellSight, ready bool, err error) {
	waits := p.awaitsKeys
	if !now.settled { // the screen shows no prompt: only the kernel can tell
		waits = p.readsLine
	}
	if shell, ready = waits(ctx, seen); ready || shell.script == "" {
		return shell, ready, nil
	}
	p.mu.Lock()
	most := p.scriptWait(way)
	p.mu.Unlock()
	if now.still >= most {
		return shell, false, errRuns(seen.program(), shell.script)
	}
	return shell, false, nil
}

// scriptWait is for how long a script that says nothing is waited for. What an earlier
// process has left running is given the time that a shell has to come to its prompt: its
// pane is taken over, and nobody has chosen it. p.mu is held.
func (p *Pane) scriptWait(way time.Duration) time.Duration {
	if p.inherited {
		return hookWait
	}
	return startWait + 2*way
}

// rest waits for a while. The error says that ctx or the pane has ended meanwhile.
func (p *Pane) rest(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-p.closed:
		return p.gone
	case <-time.After(d):
		return nil
	}
}

// emptyPrompt is the silence after which a shell that edits or reads lines is taken to
// have a prompt of which nothing is seen.
const emptyPrompt = 500 * time.Millisecond

// shellSight is a sight of a shell, with what the target's kernel says of it.
type shellSight struct {
	sight
	raw  bool   // the terminal gives it keys one by one
	mute bool   // the terminal does not show what is typed
	file string // of its program

	script string // that it was told to run
}

// awaitsKeys asks the target's kernel whether the shell in the foreground reads
// keys. Before it does, as in the middle of a start-up file, the terminal itself
// would put on the screen what is typed, and the shell once more. Where the kernel
// does not tell, or not this user, a shell that is silent is taken to read them.
func (p *Pane) awaitsKeys(ctx context.Context, seen sight) (shellSight, bool) {
	f, err := p.wire.front(ctx, seen.pid, 0)
	shell := f.sightOf(seen)
	switch _, is := f.shell(); {
	case err != nil || f.pid == 0:
		return shell, seen.program() != shells.Busybox
	case !f.rests || !shells.Is(f.name) && !(f.name == shells.Busybox && is):
		return shell, false
	case f.raw:
		return shell, true
	}
	return shell, p.ask(ctx, seen.pid, reading) != "" // it reads, or what it does is hidden
}

// sightOf is a sight of the shell that is in front.
func (f front) sightOf(seen sight) shellSight {
	return shellSight{sight: seen, raw: f.raw, mute: f.mute, file: f.file, script: shells.Script(f.argv)}
}

// readsLine reports whether the target's kernel shows that a shell reads a command line,
// and no start-up file of it something else.
func (p *Pane) readsLine(ctx context.Context, seen sight) (shellSight, bool) {
	f, err := p.wire.front(ctx, seen.pid, 0)
	name, is := f.shell()
	sure := f.raw || f.lines || name == "ksh" && f.reads
	return f.sightOf(seen), err == nil && is && f.rests && sure
}
