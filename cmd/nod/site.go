package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/backends/ssh"
)

// site is a target that is open, and the panes on it.
type site struct {
	target    backends.Target
	panes     *pane.Keeper  // nil where nobody wants panes
	user      string        // whom commands run as
	home      string        // his folder there; empty for this machine, and where it is not known
	shell     string        // the dialect of commands that run without a pane
	notes     []string      // what the operator should know of it
	gone      chan struct{} // closed when the site is closed
	container *container    // nil for what is none

	// Of a host over ssh.
	lines    lines
	settings ssh.Settings
	master   atomic.Pointer[string] // the socket of the operator's own master, which it rides on; nil: nod's own connection
}

func (s *site) name() string { return s.target.Name() }

// dropped reports whether the site is being closed, or was.
func (s *site) dropped() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

// prefix says of another machine's note whose it is.
func (s *site) prefix() string {
	if s.name() == local.Name {
		return ""
	}
	return s.name() + ": "
}

// list are the panes on it.
func (s *site) list() []*pane.Pane {
	if s.panes == nil {
		return nil
	}
	return s.panes.List()
}

// link is how the connection stands: the time of its last answer, and in words
// what is wrong with it.
func (s *site) link() (latency time.Duration, wrong string) {
	if s.container != nil {
		return 0, s.container.wrong()
	}
	t, ok := s.target.(*ssh.Target)
	if !ok {
		return 0, ""
	}
	conn, err := t.Conn()
	var outage *ssh.OutageError
	switch {
	case errors.As(err, &outage):
		return 0, "connection lost since " + outage.Since.Format(time.TimeOnly)
	case err != nil:
		return 0, err.Error()
	}
	return conn.Latency(), ""
}

// linkChanged is closed when link next says something else; nil for a target
// that has no connection to lose.
func (s *site) linkChanged() <-chan struct{} {
	if s.container != nil {
		return s.container.changed()
	}
	if t, ok := s.target.(*ssh.Target); ok {
		return t.Changed()
	}
	return nil
}

// attach is the command by which the operator gets at a pane by hand, from the
// machine that nod runs on.
func (s *site) attach(p *pane.Pane) string {
	if _, ok := s.target.(*ssh.Target); !ok || s.panes.WithoutTmux() != nil {
		return p.Attach()
	}
	command, err := syntax.Quote(p.Attach(), syntax.LangPOSIX)
	if err != nil {
		return p.Attach() // it holds a zero byte, which no command does
	}
	return s.lines.command(s.settings, s.master.Load() != nil) + " " + command
}

// way says whose connection a host is reached on, where it is not nod's own.
func (s *site) way() string {
	if path := s.master.Load(); path != nil {
		return "on your own ssh connection, " + *path
	}
	return ""
}

// returnTime is how long the end of nod waits for links that are lost, so that
// what comes back in a moment is left tidy.
const returnTime = 500 * time.Millisecond

// Close closes the panes and the target. What must stay behind there is a
// *leftBehindError.
func (s *site) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), returnTime)
	defer cancel()
	return s.closeWithin(ctx)
}

// closeWithin closes the site; ctx bounds the wait for a link that is lost.
func (s *site) closeWithin(ctx context.Context) error {
	close(s.gone)
	var errs []error
	if t, ok := s.target.(*ssh.Target); ok {
		t.Retry()
		_ = t.Ready(ctx) // whether it is, the panes find out
	}
	if s.panes != nil {
		errs = append(errs, s.byHand(s.panes.Close()))
	}
	errs = append(errs, s.target.Close())
	if s.container != nil && s.container.ended() {
		return nil // with all that was in it
	}
	return errors.Join(errs...)
}

// leftBehindError says which sessions go on at a host that cannot be reached,
// and how to end them from here.
type leftBehindError struct {
	*pane.LeftBehindError
	end string
}

func (e *leftBehindError) Error() string {
	return fmt.Sprintf("%s; to end %s when the host is back: %s", e.What(), e.Them(), e.end)
}

// byHand says of sessions that were left behind how to end them from the machine
// that nod runs on.
func (s *site) byHand(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var said []error
		for _, one := range all.Unwrap() {
			said = append(said, s.byHand(one))
		}
		return errors.Join(said...)
	}
	left, ok := err.(*pane.LeftBehindError) //nolint:errorlint // what wraps one is said already
	if _, remote := s.target.(*ssh.Target); !ok || !remote {
		return err
	}
	there, quoted := syntax.Quote(left.End, syntax.LangPOSIX)
	if quoted != nil { // it holds a zero byte, which no command does
		return err
	}
	// By a login of its own if need be: nod's connection has ended with the link.
	return &leftBehindError{left, s.lines.command(s.settings, true) + " " + there}
}
