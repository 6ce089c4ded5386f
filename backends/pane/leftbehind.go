package pane

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nod-console/nod/backends"
)

// LeftBehindError says which sessions a keeper could not end, since their target
// could not be reached: they go on there.
type LeftBehindError struct {
	Target   string
	Sessions []string // their names
	End      string   // the command that ends them, typed on the target
	Wrapped  error    // why the first of them could not be ended
}

// Error implements error.
func (e *LeftBehindError) Error() string {
	return fmt.Sprintf("%s; to end %s, type on %s: %s", e.What(), e.Them(), e.Target, e.End)
}

// Them is the word for its sessions.
func (e *LeftBehindError) Them() string {
	if len(e.Sessions) == 1 {
		return "it"
	}
	return "them"
}

// What says what has happened, and not what to do about it.
func (e *LeftBehindError) What() string {
	if len(e.Sessions) == 1 {
		return fmt.Sprintf("%s cannot be reached, so its session %s goes on there", e.Target, e.Sessions[0])
	}
	last := len(e.Sessions) - 1
	return fmt.Sprintf("%s cannot be reached, so its sessions %s and %s go on there", e.Target, strings.Join(e.Sessions[:last], ", "), e.Sessions[last])
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *LeftBehindError) Unwrap() error { return e.Wrapped }

// outliving is a session that does not end with the way to its target.
type outliving interface {
	session
	// endByHand is the command that ends it, typed on the target.
	endByHand() string
}

var _ outliving = (*tmuxSession)(nil)

// takes reports whether a session has been left behind, and then takes it in.
func (e *LeftBehindError) takes(s session, err error) bool {
	o, ok := s.(outliving)
	if !ok || !errors.Is(err, backends.ErrUnreachable) && !errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if e.Wrapped == nil {
		e.Wrapped, e.End = err, o.endByHand()
	} else {
		e.End += "; " + o.endByHand()
	}
	e.Sessions = append(e.Sessions, s.name())
	return true
}
