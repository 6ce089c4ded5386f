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
	// keys types keys by tmux's names for them.
	keys(ctx context.Context, names []string) error
	// look asks what is in the terminal now. then is called on the goroutine
	// that gives the pane its output, after all output from before.
	look(then func(sight, error))
	// reseed has the pane's emulator set anew from the terminal's own state.
	reseed(fresh bool)
	// stash puts a text where the shell in the pane can get it with its hook's
	// __nod_r (or with fetch, before there is a hook), and unstash removes it.
	stash(ctx context.Context, name, text string) error
	unstash(name string)
	// fetch is the shell command that prints a stashed text.
	fetch(name string) string
	// program identifies what the given process executes now.
	program(ctx context.Context, pid int) (program, error)
	// renew puts a fresh shell in the place of one that has ended.
	renew(ctx context.Context) error
	// id is the terminal's own name for the pane. It may change with renew.
	id() string
	capture(ctx context.Context, opt CaptureOptions) (Capture, error)
	resize(size backends.Size)
	// attach is how the operator gets at the terminal by hand.
	attach() string
}

// sight is what can be seen of a terminal from outside.
type sight struct {
	dead    bool
	outcome backends.Outcome // of the program, if dead
	pid     int              // of the program that was started in it
	command string           // name of the program in the foreground
	dir     string           // working directory of that program; empty if the target does not tell
	path    string           // what the hook left for one who was away: see recall
}

// program identifies what a process executes: it changes with exec. Empty means
// that the target does not tell.
type program string
