package mux

import (
	"errors"
	"fmt"
)

var (
	// ErrNoMaster: there is no socket at the control path.
	ErrNoMaster = errors.New("no master there")
	// ErrStale: a socket is there, and nobody listens on it.
	ErrStale = errors.New("stale control socket, its master is gone")
	// ErrLive: another master listens on the control path.
	ErrLive = errors.New("another master is running there")
	// ErrForeign: the control path, or who listens on it, belongs to another user.
	ErrForeign = errors.New("belongs to another user")
	// ErrHung: the master did not answer in time.
	ErrHung = errors.New("the master does not answer")
	// ErrPathTooLong: the control path does not fit into a socket address.
	ErrPathTooLong = errors.New("control path too long")
	// ErrProtocol: the peer broke the multiplexing protocol.
	ErrProtocol = errors.New("multiplexing protocol broken")
	// ErrNotOurs: proxy mode was asked of a master that is not nod's.
	ErrNotOurs = errors.New("not nod's own master")
	// ErrNoExitStatus: a session ended and its exit status was not reported. The
	// outcome of the command is unknown.
	ErrNoExitStatus = errors.New("no exit status was reported")
	// ErrNoTerminal: the far side gave no terminal.
	ErrNoTerminal = errors.New("the far side refused a terminal")
	// ErrTerminated: a client asked the master to exit.
	ErrTerminated = errors.New("a client asked the master to exit")
)

// RefusedError is a request that the master answered with a refusal.
type RefusedError struct {
	Denied bool   // the operator said no, as opposed to a failure
	Reason string // the master's words: data, never to be shown unescaped
}

// Error implements error.
func (e *RefusedError) Error() string {
	if e.Denied {
		return fmt.Sprintf("the master denied it: %q", e.Reason)
	}
	return fmt.Sprintf("the master could not do it: %q", e.Reason)
}

// broken is an ErrProtocol that says what was wrong.
func broken(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrProtocol, fmt.Sprintf(format, args...))
}
