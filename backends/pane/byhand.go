package pane

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

const (
	// handMost is how long a program that somebody has started by hand is waited
	// for.
	handMost = time.Second
	// handShell is how long a shell may take to come to its prompt.
	handShell = 3 * time.Second
	// handFirst is the pause before the target is asked about it, which grows.
	handFirst = 100 * time.Millisecond
)

var errByHand = errors.New("it was started by hand")

// idle waits for a moment until a command that was entered by hand has ended. A
// shell is a *ChangedError, anything else a *BusyError, which come as soon as it
// is known that there is nothing to wait for.
func (p *Pane) idle(ctx context.Context) error {
	begun, pause := time.Now(), handFirst
	for {
		ended, err := p.shortly(ctx, pause, func() bool { return p.phase != executing })
		if ended {
			return nil
		}
		if err == nil {
			err = p.lookAgain(ctx)
		}
		now := p.occupant()
		switch {
		case ctx.Err() != nil:
			return &BusyError{Pane: p.ID(), Doing: now.has, Wrapped: context.Cause(ctx)}
		case err != nil:
			return err
		case !now.there:
			return nil
		case now.opened != "":
			return &ChangedError{Pane: p.ID(), Meant: now.meant, Now: append(now.meant, now.opened)}
		case p.outlasts(ctx, now, time.Since(begun)):
			return &BusyError{Pane: p.ID(), Doing: now.has, Wrapped: errByHand}
		}
		pause = min(2*pause, handMost/2)
	}
}

// occupant is what has a pane in which a command was entered by hand.
type occupant struct {
	there       bool     // the command has not ended
	has         string   // see Pane.has
	opened      string   // see Pane.waiting
	meant       []string // the shells around it
	front       front    // what is in front
	told        bool     // else what is in front now is not known yet
	interactive bool     // it draws a screen, or edits a line
	ownShell    bool     // it is the shell itself
	pid         int      // of the program that the pane was started with
}

// occupant is what is known now of what has the pane.
func (p *Pane) occupant() occupant {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.front
	return occupant{
		there: p.phase == executing, has: p.has(), opened: p.waiting(), meant: p.inside(),
		front: f, told: f.asOf == p.lastly,
		interactive: p.term.Snapshot().Alternate || f.raw,
		ownShell:    f.pid != 0 && f.pid == p.home, pid: p.seen.pid,
	}
}

// outlasts reports whether a command that was entered by hand is not waited for any
// longer, since it may go on for ever.
func (p *Pane) outlasts(ctx context.Context, by occupant, waited time.Duration) bool {
	if waited >= handShell && !by.ownShell { // for which only ctx bounds it: it comes back, or is replaced
		return true
	}
	if _, isShell := by.front.shell(); isShell || !by.told {
		return false // a shell is about to be at its prompt
	}
	return (waited >= handMost || by.interactive || p.reads(ctx, by.pid)) && p.stands(ctx, by.front)
}

// ByHand is the command that runs in the pane and is no run, as far as it is known: the
// line that was entered, or the program that is in front. ok is false if none does.
func (p *Pane) ByHand() (command string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.phase != executing || p.run != nil {
		return "", false
	}
	return cmp.Or(p.doing, p.seen.program()), true
}

// Held says in words which program waits for keys in the pane, where somebody has
// started it by hand and it does not end by itself: an editor, a pager, an
// interpreter. It is empty where that is not so, or not known. Where the screen does
// not tell, it asks the target, which costs a process there; ctx bounds that.
func (p *Pane) Held(ctx context.Context) string {
	held := func() bool { return p.phase == executing && p.run == nil && p.waiting() == "" }
	p.mu.Lock()
	maybe, pid := held(), p.seen.pid
	if maybe && p.term.Snapshot().Alternate {
		defer p.mu.Unlock()
		return p.has()
	}
	p.mu.Unlock()
	if !maybe || p.lookAgain(ctx) != nil {
		return ""
	}
	p.mu.Lock()
	f := p.front
	p.mu.Unlock()
	if _, isShell := f.shell(); isShell || !f.raw && !p.reads(ctx, pid) || !p.stands(ctx, f) {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if held() {
		return p.has()
	}
	return ""
}

// stands reports whether the program that was in front still is: nothing was written
// since. The kernel is ahead of the terminal. It shows the shell as the reader of the next
// line, where that the command has ended is yet to come out of the terminal.
func (p *Pane) stands(ctx context.Context, f front) bool {
	if _, err := p.looked(ctx); err != nil { // brings all that was written before
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.phase == executing && f.asOf == p.lastly
}

// lookAgain looks at the terminal and around.
func (p *Pane) lookAgain(ctx context.Context) error {
	seen, _, err := p.observed(ctx)
	if err != nil {
		return err
	}
	return p.lookAround(ctx, seen)
}

// has says in words which program has the terminal. p.mu is held.
func (p *Pane) has() string {
	what := p.seen.program()
	if p.front.pid != 0 && p.front.asOf == p.lastly {
		what = p.front.name
		if c := p.front.command(); c != "" {
			what = c
		}
	}
	if p.doing != "" {
		what = p.doing
	}
	if what == "" {
		return "a command that was entered by hand runs in it, and must end first"
	}
	if name, ok := p.front.shell(); ok && p.front.asOf == p.lastly {
		return fmt.Sprintf("%s, which was started by hand, has it: a %s that is not seen to be at a prompt; bring it there, or end it", quoted(what), name)
	}
	return fmt.Sprintf("%s, which was started by hand, has it, and must end first", quoted(what))
}

// quoted is a command in quotes, cut where it is long.
func quoted(command string) string {
	const most = 80
	if r := []rune(command); len(r) > most {
		command = string(r[:most]) + "…"
	}
	return strconv.Quote(command)
}
