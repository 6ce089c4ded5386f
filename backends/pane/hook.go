package pane

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nod-console/nod/backends/vt"
)

// hook makes the shell in the pane write marks. A start-up menu or the like may
// eat what is typed, so it is tried again, each time with another nonce: a late
// answer to an earlier try then is nothing but output.
func (p *Pane) hook(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, hookWait)
	defer cancel()
	for {
		seen, err := p.tryHook(ctx)
		switch {
		case err == nil:
			return p.identify(ctx, seen)
		case ctx.Err() != nil || errors.Is(err, errNoShell):
			return &NotReadyError{Pane: p.ID(), Program: seen.command, Line: p.lastLine(), Wrapped: err}
		case !errors.Is(err, context.DeadlineExceeded):
			return err
		}
	}
}

func (p *Pane) tryHook(ctx context.Context) (sight, error) {
	seen, err := p.settled(ctx)
	if err != nil {
		return seen, err
	}
	ctx, cancel := context.WithTimeout(ctx, hookTry)
	defer cancel()
	n := newNonce()
	p.mu.Lock()
	p.forget()
	p.scan.nonce = n
	p.mu.Unlock()
	line := " eval \"$(" + p.wire.fetch(n.buffer()) + ")\""
	if err := p.wire.stash(ctx, n.buffer(), n.hook(seen.command, eraser(p.Screen(), len(line)))); err != nil {
		return seen, err
	}
	defer p.wire.unstash(n.buffer())
	// A blank and Ctrl-U clear the line without a bell where it is empty.
	if err := p.Type(ctx, []byte(" \x15"+line+"\r")); err != nil {
		return seen, err
	}
	return seen, p.wait(ctx, func() bool { return p.shell != NoShell })
}

// eraser is what takes the echo of a line of that length, typed at the cursor
// and entered, off the screen again: the operator should see his own terminal
// and not nod's preparations. It is empty where the line would end at the very
// edge, since shells differ there. It erases line by line: tmux keeps what an
// erased screen held as scrollback.
func eraser(s *vt.Snapshot, length int) string {
	end := s.Cursor.Col + length
	if s.Size.Cols == 0 || end%s.Size.Cols == 0 {
		return ""
	}
	return strings.Repeat(`\033[A\033[2K`, end/s.Size.Cols+1) + `\r`
}

// identify remembers which program the hooked shell is.
func (p *Pane) identify(ctx context.Context, seen sight) error {
	exec, err := p.wire.program(ctx, seen.pid)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.exec = exec
	return nil
}

var errNoShell = errors.New("it is not a shell that can be tracked")

// settled waits until a shell is in the foreground and has nothing more to say.
// A shell of which readline asks for pasted text to be marked is ready at once.
func (p *Pane) settled(ctx context.Context) (sight, error) {
	var last sight
	for begin := time.Now(); ; {
		seen, err := p.looked(ctx)
		if err != nil {
			return last, err
		}
		last = seen
		p.mu.Lock()
		p.seen = seen
		quiet := p.seeded && time.Since(p.lastly) >= settle && p.term.Snapshot().Cursor.Col > 0
		editing := p.seeded && p.term.Snapshot().Modes.BracketedPaste
		p.mu.Unlock()
		switch {
		case isShell(seen.command) && (quiet || editing):
			return seen, nil
		case !isShell(seen.command) && time.Since(begin) > startWait:
			return seen, errNoShell
		}
		select {
		case <-ctx.Done():
			return last, context.Cause(ctx)
		case <-p.closed:
			return last, p.gone
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// looked looks at the terminal and waits for the answer.
func (p *Pane) looked(ctx context.Context) (sight, error) {
	type answer struct {
		sight
		err error
	}
	got := make(chan answer, 1)
	p.wire.look(func(s sight, err error) { got <- answer{s, err} })
	select {
	case a := <-got:
		return a.sight, a.err
	case <-ctx.Done():
		return sight{}, context.Cause(ctx)
	}
}

// lastLine is the last line on the screen that is not blank.
func (p *Pane) lastLine() string {
	s := p.Screen()
	for y := s.Size.Rows - 1; y >= 0; y-- {
		if text := s.RowText(y); text != "" {
			return text
		}
	}
	return ""
}
