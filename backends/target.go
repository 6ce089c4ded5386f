package backends

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// KillDelay is the time between the polite and the forced end of a program
// whose context ended.
const KillDelay = 2 * time.Second

// DrainDelay is how long the output of a program that has exited must be silent
// before a target takes it for complete, where something that the program has left
// behind holds it open. It counts from the last byte.
const DrainDelay = 250 * time.Millisecond

// DrainMost is how long a target goes on reading, after a program's exit, what a
// child in the background writes without such a pause. The program's own output
// has come before that, however slow its writer is.
const DrainMost = 5 * time.Second

// What [OutputNotice] says.
const (
	OutputOpen = "something that the command left behind holds its output open: what it writes from here on is not in the output"
	OutputCut  = "part of the output is missing: what should take it did not"
)

// OutputNotice says, after Wait, what a reader of a program's output should know of
// it: OutputOpen or OutputCut. It is empty where the output is all there is.
func OutputNotice(p Process) string {
	if p, ok := p.(interface{ OutputNotice() string }); ok {
		return p.OutputNotice()
	}
	return ""
}

// ErrUnreachable says that a target cannot be reached now, or that the way to it
// was lost in the middle of a call: what runs there may go on, and the same call
// may work later.
var ErrUnreachable = errors.New("the target cannot be reached now")

// ErrGivenUp comes with ErrUnreachable where a target is not tried again by itself,
// since trying cannot help: somebody must act first, as where a host shows another key.
var ErrGivenUp = errors.New("the target is not tried again by itself")

// ErrOtherKey comes with ErrGivenUp where a host does not show the key that it is known
// by: what is reached there may be another host.
var ErrOtherKey = errors.New("the host shows another key")

// ErrEnded says that the target has ended, and all that ran there with it, such as
// a container that was stopped. It may be started again, without any of that.
var ErrEnded = errors.New("the target has ended")

// ErrUnsure says that a call was begun and that it could not be learnt whether the
// program was started: the way to the target broke or froze in that very moment.
// Every other error of a start means that nothing runs.
var ErrUnsure = errors.New("it is not known whether the program was started")

// Target is one place where commands run.
type Target interface {
	// Name is the target's canonical name: "local", "ssh:web-1", "docker:api".
	// It never changes during the target's life.
	Name() string

	// Exec starts c with its three standard streams kept apart. The error is
	// non-nil only if the program was not started.
	Exec(ctx context.Context, c Command) (Process, error)

	// Terminal starts c on a new pseudo terminal of the given size. Its output
	// goes to c.Stdout; c.Stdin and c.Stderr must be nil.
	Terminal(ctx context.Context, c Command, s Size) (Terminal, error)

	// Files gives access to the target's files with the rights of the user
	// that commands run as.
	Files() Files

	// Close ends what the target still runs and frees its connection.
	io.Closer
}

// Command says what to run. It is a value: targets do not keep or change it.
type Command struct {
	// Argv is the program and its arguments. A program without a slash is
	// looked up in the target's PATH.
	Argv []string

	// Dir is the working directory, absolute. Empty means the target's default
	// (the user's home directory, or nod's own for the local target).
	Dir string

	// Env holds additional "NAME=value" settings. They win over the target's
	// allow-listed environment.
	Env []string

	// Stdin is copied to the program's standard input, which is closed at
	// io.EOF. Nil means an empty input. After the program's exit it is not
	// read any more; a Read that blocks then is abandoned and must return when
	// its owner closes the reader.
	Stdin io.Reader

	// Stdout and Stderr receive the output as it comes. Nil discards. Each is
	// called from one goroutine at a time; if both are the same comparable
	// value, from one goroutine in all. A write error ends the copying of that
	// stream, and the program gets EPIPE.
	Stdout, Stderr io.Writer
}

// Process is a started program.
type Process interface {
	// Wait returns when the program has ended and its output has been handed
	// over: at the end of the streams, or where a child in the background holds
	// them open, once they are silent for DrainDelay (see [OutputNotice]). The error is non-nil
	// if the outcome could not be learnt; the Outcome is Unknown then. When the
	// call's context ended, the error is that context's cause and the Outcome
	// is what the end of the program reported.
	Wait() (Outcome, error)

	// Signal sends a signal to the program's process group. A program that has
	// already ended is no error.
	Signal(s Signal) error
}

// Terminal is a program on a pseudo terminal.
type Terminal interface {
	Process

	// Write types p. It may block while the program does not read; it returns
	// an error once the program has ended.
	io.Writer

	// Resize tells the program a new size.
	Resize(s Size) error
}

// Size is a terminal's size in character cells.
type Size struct{ Cols, Rows int }

// String implements fmt.Stringer.
func (s Size) String() string { return fmt.Sprintf("%d×%d", s.Cols, s.Rows) }

// Signal is a signal by its name without "SIG", as in the ssh protocol
// (RFC 4254, 6.10).
type Signal string

// The signals that every target can deliver.
const (
	HUP  Signal = "HUP"
	INT  Signal = "INT"
	QUIT Signal = "QUIT"
	TERM Signal = "TERM"
	KILL Signal = "KILL"
)
