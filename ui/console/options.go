package console

import (
	"context"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/backends/vt"
)

// Options are all that the console gets from outside. Callbacks may be nil
// unless they say otherwise; what they would do is then shown as not available.
// The console calls them from goroutines of its own, never from the pump, so
// they may take their time, and their context ends when the console does.
type Options struct {
	// Submit runs one turn: it returns when the turn has ended, and tells
	// everything that happens to sink, which never blocks. Never nil. One turn
	// runs at a time; what the operator sends meanwhile is queued. The context
	// ends when the operator interrupts the turn. An error is shown unless it
	// is the context's.
	Submit func(ctx context.Context, prompt string, sink agent.Sink) error

	// SetPosture takes "ask", "ask-all" or "read-only" and returns an error
	// that says why not. On success the console shows the new posture at once.
	SetPosture func(ctx context.Context, posture string) error

	// NewConversation starts an empty conversation (/new).
	NewConversation func(ctx context.Context) error

	// Resume, if not nil, is an earlier conversation that is offered at the
	// start and with /resume.
	Resume *Resume

	// Report returns the lines of /status: grants, approvals an hour, paths.
	Report func(ctx context.Context) []string

	// Status is what the top line shows at first.
	Status Status

	// Notice is a line shown first in the chat, for example how to add a model.
	Notice string

	// Theme is the name of an embedded theme; empty means the default.
	Theme string

	// History holds prompts of earlier conversations, oldest first, for the
	// arrow keys of the input.
	History []string

	// Mouse switches reports of the mouse on.
	Mouse bool

	// Quiet switches notifications (bell, OSC 9 and 777) off.
	Quiet bool

	// Screen is drawn on instead of the operator's terminal; for tests. The
	// console calls Init and Fini itself.
	Screen tcell.Screen

	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Status is what the top line shows. Empty parts are left out.
type Status struct {
	Target  string // "local", "ssh:web-1"
	Trust   string // "prod", "stage", "lab" or empty
	Posture string // "ask", "ask-all", "read-only"
	Model   string // "gpt-5", "guide"
	Limit   int    // the model's context limit in tokens; 0 if not known
	Cost    string // "$0.12"
}

// Resume is an earlier conversation.
type Resume struct {
	Title string
	When  time.Time
	// LeftOpen says that it did not end as it should; the console then mentions
	// it at the start.
	LeftOpen bool
	// Now takes it up at the start, as the operator has asked for already.
	Now bool
	// Accept makes it the present conversation and tells what was said: prompt
	// for what the operator wrote, sink for the rest, in the order in which it
	// happened. Neither blocks.
	Accept func(ctx context.Context, prompt func(text string), sink agent.Sink) error
}

// Pane is a terminal that is mirrored beside the chat.
type Pane struct {
	// ID is unique among the console's panes: "%3".
	ID string

	// Title is what its frame says: "local · nod/main".
	Title string

	// Snapshot returns the terminal's present state, or nil if there is none
	// yet. It is called from the pump and must be quick.
	Snapshot func() *vt.Snapshot

	// Subscribe calls changed whenever Snapshot would return something new,
	// until cancel is called. changed never blocks and may be called from any
	// goroutine.
	Subscribe func(changed func()) (cancel func())

	// Type sends bytes to the terminal, in the order of the calls. Nil means
	// that the pane is for reading only.
	Type func(ctx context.Context, p []byte) error

	// Resize tells how many cells the console has for the terminal. Nil means
	// that its size is somebody else's business.
	Resize func(ctx context.Context, cols, rows int)
}
