package pane

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	Doing   string // what it was busy with, and what to do about it
	Wrapped error  // why there was no more waiting
}

// Error implements error.
func (e *BusyError) Error() string {
	return fmt.Sprintf("pane %s is busy: %s", e.Pane, e.Doing)
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *BusyError) Unwrap() error { return e.Wrapped }

// PendingError says that somebody has typed on the prompt's line: the command
// would have been appended to it.
type PendingError struct{ Pane, Line string }

// Error implements error.
func (e *PendingError) Error() string {
	return fmt.Sprintf("pane %s: %q stands on the prompt's line and has not been entered; enter it, or clear it with Ctrl-U, first", e.Pane, e.Line)
}

// ChangedError says that another shell than the one that was meant would have
// got the command.
type ChangedError struct {
	Pane       string
	Meant, Now []string // the commands that opened the shell, see [Pane.Inside]; equal where it is another one in the same place
}

// Error implements error.
func (e *ChangedError) Error() string {
	if slices.Equal(e.Meant, e.Now) {
		return fmt.Sprintf("pane %s: its shell is not the one that the command was meant for, which has ended or was replaced; look at it and decide again", e.Pane)
	}
	return fmt.Sprintf("pane %s: the command was meant for %s, but the pane is in %s now; look at it and decide again", e.Pane, inWords(e.Meant), inWords(e.Now))
}

func inWords(inside []string) string {
	if len(inside) == 0 {
		return "its own shell"
	}
	return fmt.Sprintf("the shell that %q opened", inside[len(inside)-1])
}

// NotReadyError says that no shell answered.
type NotReadyError struct {
	Pane    string
	Program string // in the foreground
	Line    string // the last line on the screen
	Wrapped error
}

// Error implements error.
func (e *NotReadyError) Error() string {
	why := e.Wrapped.Error()
	if errors.Is(e.Wrapped, context.DeadlineExceeded) {
		why = "it took too long"
	}
	if e.Line == "" {
		return fmt.Sprintf("pane %s: no shell answers; %q runs in it: %s", e.Pane, e.Program, why)
	}
	return fmt.Sprintf("pane %s: no shell answers; %q runs in it, and its last line is %q: %s", e.Pane, e.Program, e.Line, why)
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *NotReadyError) Unwrap() error { return e.Wrapped }

// clear reports what is in a command's way. A line that was typed may have been cleared
// meanwhile, of which the news is on its way: it is looked at once more behind that. p.mu is
// held, and released while the terminal is asked.
func (p *Pane) clear(ctx context.Context, req Request) error {
	err := p.obstacle(req)
	if pending := (*PendingError)(nil); !errors.As(err, &pending) {
		return err
	}
	p.mu.Unlock()
	defer p.mu.Lock()
	told := make(chan struct{})
	p.wire.glimpse(func(sight, error) { close(told) })
	select {
	case <-told:
	case <-p.closed:
	case <-ctx.Done():
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.obstacle(req)
}

// obstacle is what is in a command's way, as far as is known. p.mu is held.
func (p *Pane) obstacle(req Request) error {
	switch line := p.pendingLine(); {
	case p.gone != nil:
		return p.gone
	case line != "":
		return &PendingError{Pane: p.ID(), Line: line}
	case p.phase != atPrompt:
		return &BusyError{Pane: p.ID(), Doing: "a command was entered by hand", Wrapped: errors.New("not at the prompt")}
	}
	return p.differs(req)
}
