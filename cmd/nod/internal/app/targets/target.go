package targets

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/backends/ssh"
)

// Target is a target that is open, and the panes on it.
type Target struct {
	Target    backends.Target
	Panes     *pane.Keeper    // nil where nobody wants panes
	Cage      *confine.Keeper // what holds commands on it
	user      string          // whom commands run as
	Home      string          // his folder there; empty for this machine, and where it is not known
	shell     string          // the dialect of commands that run without a pane
	Notes     []string        // what the operator should know of it
	Gone      chan struct{}   // closed when the target is closed
	Container *container      // nil for what is none

	// Of a host over ssh.
	lines     Connections
	settings  ssh.Settings
	ownMaster atomic.Pointer[string] // the socket of the operator's own master, which it rides on; nil: nod's own connection
}

// Name is the name of the target.
func (s *Target) Name() string { return s.Target.Name() }

// Dropped reports whether the target is being closed, or was.
func (s *Target) Dropped() bool {
	select {
	case <-s.Gone:
		return true
	default:
		return false
	}
}

// prefix says of another machine's note whose it is.
func (s *Target) prefix() string {
	if s.Name() == local.Name {
		return ""
	}
	return s.Name() + ": "
}

// List are the panes on it.
func (s *Target) List() []*pane.Pane {
	if s.Panes == nil {
		return nil
	}
	return s.Panes.List()
}

// Link is how the connection stands: the time of its last answer, and in words
// what is wrong with it.
func (s *Target) Link() (latency time.Duration, wrong string) {
	if s.Container != nil {
		return 0, s.Container.wrong()
	}
	t, ok := s.Target.(*ssh.Target)
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

// HasLink reports whether it is a host over ssh.
func (s *Target) HasLink() bool {
	_, ok := s.Target.(*ssh.Target)
	return ok
}

// SetUse says how soon a loss of the link is to be noticed: see [ssh.Conn.SetUse].
func (s *Target) SetUse(as ssh.Use) {
	if t, ok := s.Target.(*ssh.Target); ok {
		t.SetUse(as)
	}
}

// LinkChanged is closed when link next says something else; nil for a target
// that has no connection to lose.
func (s *Target) LinkChanged() <-chan struct{} {
	if s.Container != nil {
		return s.Container.changed()
	}
	if t, ok := s.Target.(*ssh.Target); ok {
		return t.Changed()
	}
	return nil
}

// Attach is the command by which the operator gets at a pane by hand, from the
// machine that nod runs on.
func (s *Target) Attach(p *pane.Pane) string {
	if _, ok := s.Target.(*ssh.Target); !ok || s.Panes.WithoutTmux() != nil {
		return p.Attach()
	}
	command, err := syntax.Quote(p.Attach(), syntax.LangPOSIX)
	if err != nil {
		return p.Attach() // it holds a zero byte, which no command does
	}
	return s.lines.command(s.settings, s.ownMaster.Load() != nil) + " " + command
}

// Facts are its address and its system, as far as both are known without asking it.
func (s *Target) Facts() (address, system string) {
	switch t := s.Target.(type) {
	case *local.Target:
		return "", systemHere()
	case *ssh.Target:
		address = s.settings.HostName
		if s.settings.Port != 0 && s.settings.Port != 22 {
			address = net.JoinHostPort(address, strconv.Itoa(s.settings.Port))
		}
		if conn, err := t.Conn(); err == nil {
			system = conn.Remote().System
		}
	}
	return address, system
}

// systemHere is this machine's system, as it calls itself.
func systemHere() string {
	page, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return runtime.GOOS
	}
	for line := range strings.Lines(string(page)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(name, `"'`)
		}
	}
	return runtime.GOOS
}

// Way says whose connection a host is reached on, where it is not nod's own.
func (s *Target) Way() string {
	if path := s.ownMaster.Load(); path != nil {
		return "on your own ssh connection, " + *path
	}
	return ""
}

// returnTime is how long the end of nod waits for links that are lost, so that
// what comes back in a moment is left tidy.
const returnTime = 500 * time.Millisecond

// Close closes the panes and the target. What must stay behind there is a
// *leftBehindError.
func (s *Target) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), returnTime)
	defer cancel()
	return s.closeWithin(ctx)
}

// closeWithin closes the target; ctx bounds the wait for a link that is lost.
func (s *Target) closeWithin(ctx context.Context) error {
	close(s.Gone)
	var errs []error
	if t, ok := s.Target.(*ssh.Target); ok {
		t.Retry()
		_ = t.Ready(ctx) // whether it is, the panes find out
	}
	if s.Panes != nil {
		errs = append(errs, s.byHand(s.Panes.Close()))
	}
	if s.Cage != nil {
		errs = append(errs, s.Cage.Close(ctx))
	}
	errs = append(errs, s.Target.Close())
	if s.Container != nil && s.Container.ended() {
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
func (s *Target) byHand(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var said []error
		for _, one := range all.Unwrap() {
			said = append(said, s.byHand(one))
		}
		return errors.Join(said...)
	}
	left, ok := err.(*pane.LeftBehindError) //nolint:errorlint // what wraps one is said already
	if _, remote := s.Target.(*ssh.Target); !ok || !remote {
		return err
	}
	there, quoted := syntax.Quote(left.End, syntax.LangPOSIX)
	if quoted != nil { // it holds a zero byte, which no command does
		return err
	}
	// By a login of its own if need be: nod's connection has ended with the link.
	return &leftBehindError{left, s.lines.command(s.settings, true) + " " + there}
}

// IsShared reports whether the operator has the pane, too.
func IsShared(p *pane.Pane) bool {
	return p.Session() == pane.DefaultSession && p.Name() == pane.SharedPane
}

// NameOf is a pane's session and name.
func NameOf(p *pane.Pane) string { return p.Session() + "/" + p.Name() }
