package docker

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/backends"
)

// Errors of engines and containers.
var (
	// ErrNoEngine: nothing answers there.
	ErrNoEngine = errors.New("no engine answers")
	// ErrDenied: an engine is there, and this user may not talk to it.
	ErrDenied = errors.New("this user may not use the engine")
	// ErrTooOld: the engine's interface is older than what is needed.
	ErrTooOld = errors.New("the engine is too old")
	// ErrNoContext: Docker's configuration has no context of that name.
	ErrNoContext = errors.New("no such context")

	// ErrNotFound: the engine has no such container.
	ErrNotFound = errors.New("no such container")
	// ErrStopped: the container does not run.
	ErrStopped = errors.New("the container does not run")
	// ErrPaused: the container is frozen; what runs in it goes on when it is
	// unpaused.
	ErrPaused = errors.New("the container is paused")
	// ErrRemoved: the container is gone for good.
	ErrRemoved = errors.New("the container was removed")

	// ErrNoShell: the container has no shell with the small programs that
	// signals, cancellation and atomic writes need.
	ErrNoShell = errors.New("the container has no usable shell")
	// ErrRefused: the engine's runtime starts no program in the container.
	ErrRefused = errors.New("the engine starts no program in it")
	// ErrUnsure: whether a program was started could not be learnt.
	ErrUnsure = backends.ErrUnsure
	// ErrClosed: the target or the registry was closed.
	ErrClosed = errors.New("docker: closed")
)

// errConflict is what an engine answers when the container's state does not
// allow something.
var errConflict = errors.New("not in this state")

// EngineError says that an engine cannot be used, and what to do.
type EngineError struct {
	Address Address
	Err     error
}

// Error implements error.
func (e *EngineError) Error() string {
	text := fmt.Sprintf("docker: the engine at %s: %v", e.Address, e.Err)
	if next := e.hint(); next != "" {
		text += "; " + next
	}
	return text
}

// Advice is why the engine cannot be used, in a line, and what to do next; next may be empty.
func (e *EngineError) Advice() (why, next string) {
	for _, known := range []error{ErrNoEngine, ErrDenied, ErrTooOld} {
		if errors.Is(e.Err, known) {
			return fmt.Sprintf("%v: %s", known, e.Address), e.hint()
		}
	}
	return fmt.Sprintf("the engine at %s: %v", e.Address, e.Err), e.hint()
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *EngineError) Unwrap() error { return e.Err }

func (e *EngineError) hint() string {
	switch {
	case errors.Is(e.Err, ErrDenied):
		return `add the user to its group ("sudo usermod -aG docker $USER", and log in again), or use a rootless engine`
	case errors.Is(e.Err, ErrNoEngine) && strings.HasPrefix(e.Address.URL, "unix:"):
		return `start it ("sudo systemctl start docker", or "systemctl --user start podman.socket"), or set DOCKER_HOST`
	case strings.Contains(e.Err.Error(), "unable to parse docker host"):
		return "write it as unix:///PATH, tcp://HOST:PORT or ssh://USER@HOST"
	case errors.Is(e.Err, ErrNoEngine):
		return "check the address and that the engine runs there"
	}
	return ""
}

// StateError says that a container is not in a state for what was asked.
type StateError struct {
	Target   string // "docker:api"
	State    State  // "" where it was removed
	ExitCode int    // of an exited one
	Err      error  // ErrStopped, ErrPaused or ErrRemoved
}

// Error implements error.
func (e *StateError) Error() string { return e.Target + ": " + e.Words() }

// Words say the same without the target's name.
func (e *StateError) Words() string {
	program, name, _ := strings.Cut(e.Target, ":")
	switch {
	case errors.Is(e.Err, ErrPaused):
		return fmt.Sprintf("%v: %s unpause %s", e.Err, program, name)
	case errors.Is(e.Err, ErrRemoved):
		return fmt.Sprintf("%v: choose another target, or open it again if it was made anew", e.Err)
	case e.State == Restarting:
		return fmt.Sprintf("%v (restarting): %s logs %s tells why it does not stay up", e.Err, program, name)
	case e.State == Exited:
		return fmt.Sprintf("%v (exited %d): %s start %s", e.Err, e.ExitCode, program, name)
	}
	return fmt.Sprintf("%v (%s): %s start %s", e.Err, e.State, program, name)
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *StateError) Unwrap() error { return e.Err }

// Is tells what that means for what runs there: with a container that has ended
// it has, too; in one that is frozen it goes on later.
func (e *StateError) Is(target error) bool {
	switch target {
	case backends.ErrEnded:
		return errors.Is(e.Err, ErrStopped) || errors.Is(e.Err, ErrRemoved)
	case backends.ErrUnreachable:
		return errors.Is(e.Err, ErrPaused)
	}
	return false
}

// Fit is nil for a container in which programs can be started, else a
// *[StateError] under the target's name.
func Fit(target string, c Container) error {
	e := &StateError{Target: target, State: c.State, ExitCode: c.ExitCode}
	switch c.State {
	case Running:
		return nil
	case Paused:
		e.Err = ErrPaused
	case Removing, Dead:
		e.Err = ErrRemoved
	default:
		e.Err = ErrStopped
	}
	return e
}

// The limits of single steps. They only matter when something is wrong.
const (
	// startTime bounds the start of a program: a busy engine needs seconds.
	startTime = 60 * time.Second
	// askTime bounds an answer of the shell in the container.
	askTime = 15 * time.Second
)
