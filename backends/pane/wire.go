package pane

import (
	"context"

	"github.com/nod-console/nod/backends"
)

// wire is what a pane needs of the terminal that it is on. What comes from the
// terminal is given to the pane by whoever made the wire, on one goroutine.
type wire interface {
	// send types bytes exactly. It does not block; sent is called later, once
	// the terminal has taken them or it is clear that it will not.
	send(p []byte, sent func(error))
	// enter is send for the keys of a run, of which number is the latest. The
	// terminal keeps the number with them (see sight), so that it can be told
	// whether they were typed where sent gets errLinkLost.
	enter(p []byte, number int, sent func(error))
	// keys types keys by tmux's names for them.
	keys(ctx context.Context, names []string) error
	// look asks what is in the terminal now. then is called on the goroutine
	// that gives the pane its output, after all output from before.
	look(then func(sight, error))
	// glimpse is look where command and dir may be left out: it costs nothing on
	// the target.
	glimpse(then func(sight, error))
	// reseed has the pane's emulator set anew from the terminal's own state.
	reseed(fresh bool)
	// stash puts a text where the shell in the pane can get it with its hook's
	// __nod_r (or with fetch, before there is a hook), and unstash removes it,
	// with the pane's mutex held.
	stash(ctx context.Context, name, text string) error
	unstash(name string)
	// fetch is the command that prints a stashed text, in the language of a
	// shell by its name. refetch is what is to follow a hook there so that its
	// __nod_r does the same; empty where the hook itself knows.
	fetch(name, command string) string
	refetch(name, command string) string
	// front asks what is in the foreground of the terminal in which the process
	// pid was started, and whether the process home is there.
	front(ctx context.Context, pid, home int) (front, error)
	// renew puts a fresh shell in the place of one that has ended.
	renew(ctx context.Context) error
	// id is the terminal's own name for the pane. It may change with renew.
	id() string
	capture(ctx context.Context, opt CaptureOptions) (Capture, error)
	resize(size backends.Size)
	// attach is how the operator gets at the terminal by hand.
	attach() string
}

// errLinkLost says that the connection to the terminal has ended. It will be
// made again, or the pane ends.
var errLinkLost error = lostError{}

type lostError struct{}

func (lostError) Error() string { return "the connection to the terminal was lost" }

func (lostError) Is(target error) bool { return target == backends.ErrUnreachable }

// sight is what can be seen of a terminal from outside.
type sight struct {
	dead    bool
	outcome backends.Outcome // of the program, if dead
	why     error            // the target's, if it has ended and the program with it
	pid     int              // of the program that was started in it
	command string           // name of the program in the foreground
	dir     string           // working directory of that program; empty if the target does not tell
	path    string           // what the hook left for one who was away: see recall
	entered int              // number of the run whose keys were typed last
	fresh   string           // how the shell before this one ended, where no run has been told yet
	started string           // name of the program that was started, if the target does not tell command
	whole   bool             // the end of the program has cut off nothing of its output
}

// program is the name of the program in the foreground, as far as is known.
func (s sight) program() string {
	if s.command == "" {
		return s.started
	}
	return s.command
}
