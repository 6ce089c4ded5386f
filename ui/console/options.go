package console

import (
	"context"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/ui/completion"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/timeline"
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

	// Command runs a command that the operator gives himself ("!uptime"): like
	// Submit, without the model.
	Command func(ctx context.Context, command string, sink agent.Sink) error

	// SetPosture takes "ask", "ask-all" or "read-only" and returns an error
	// that says why not. On success the console shows the new posture at once.
	SetPosture func(ctx context.Context, posture string) error

	// OpenWindow lets changes that can be undone pass for d, 0 closes the window;
	// an error says why not. A new posture closes it, too. On success the console
	// counts the time down.
	OpenWindow func(ctx context.Context, d time.Duration) error

	// NewConversation starts an empty conversation (/new).
	NewConversation func(ctx context.Context) error

	// Resume, if not nil, is an earlier conversation that is offered at the
	// start and with /resume.
	Resume *Resume

	// Standing reports whether the pane that an action is about still stands as
	// it did when the action was planned, and nobody has typed there since the
	// operator is asked; an error says what is different. It is called while he
	// is, whenever that pane changes.
	Standing func(ctx context.Context, a tools.Action, since time.Time) error

	// Undo takes back what was done last (/undo): planned, asked and recorded
	// like anything else. It returns what it came to, in a line; an error says
	// why nothing was done. It runs in place of a turn.
	Undo func(ctx context.Context) (string, error)

	// Undoable are lines about what can be taken back, the last thing first.
	Undoable func(ctx context.Context) ([]string, error)

	// Preview looks around, with commands that change nothing, for what the
	// operator wants to know before he decides about r. Nothing found is nil.
	Preview func(ctx context.Context, r policy.Request) []policy.Look

	// Previews reports whether Preview has anything to look at for r. It must be
	// quick.
	Previews func(r policy.Request) bool

	// Try runs what r asks about where the kernel lets it change nothing, to see what
	// it would do. Nothing run is nil.
	Try func(ctx context.Context, r policy.Request) []policy.Look

	// Tries reports whether Try may be offered for r. It must be quick.
	Tries func(r policy.Request) bool

	// Steer says something to the model while a turn runs. agent.Steered tells when
	// it got in; an error says that there is no turn any more.
	Steer func(ctx context.Context, text string) error

	// Compact puts a summary in the place of older messages (/compact), and tells
	// everything to sink. It runs in place of a turn.
	Compact func(ctx context.Context, sink agent.Sink) error

	// Context returns the lines of /context.
	Context func(ctx context.Context) ([]string, error)

	// Models are those that can answer. Nil: there is no choice.
	Models *Models

	// Servers are those whose tools the model may use. Nil: none is configured.
	Servers *Servers

	// Plugins are what users have added. Nil: there is no way to them.
	Plugins *Plugins

	// Own are the operator's own commands, which Keys and SetCommands have. Nil: there
	// are none.
	Own *Own

	// Past are earlier conversations and what is known from them. Nil: there is no
	// way to them.
	Past *Past

	// Replay finds a recording by the name of a run or of a file; without one,
	// the newest.
	Replay func(ctx context.Context, name string) (Tape, error)

	// Targets are the places where the operator can work. Nil: there is one.
	Targets *Targets

	// Overview shows how all connected targets stand. Nil: it is not there.
	Overview *Overview
	// Layouts keep how the screen is divided. Nil: it is forgotten with the console.
	Layouts *Layouts

	// Runs are what ran in the present conversation, and what was denied. With an error,
	// they are those that could be found.
	Runs func(ctx context.Context) ([]timeline.Run, error)

	// OpenTerminal opens another terminal on a target, the current one if the name is
	// empty, and connects to it before if need be. AddPane tells of it.
	OpenTerminal func(ctx context.Context, target string) (Opened, error)

	// Report returns the lines of /status: grants, approvals an hour, paths.
	Report func(ctx context.Context) []string

	// Status is what the top line shows at first.
	Status Status

	// Notice is a line shown first in the chat, for example how to add a model.
	Notice string

	// FirstRun says that the operator has never asked for anything: the keys that
	// matter stand in the empty chat until they do.
	FirstRun bool

	// Edit lets the operator write on in his editor, on the terminal, and returns
	// the text then. The console does nothing meanwhile.
	Edit func(ctx context.Context, text string) (string, error)

	// Stop stops this process as ^Z does, and returns when it goes on and has the
	// terminal, or when the context ends.
	Stop func(ctx context.Context) error

	// CrashReport is the file for what a crash of this process prints; the terminal is
	// given back then by another process. Empty: it is not.
	CrashReport string

	// Theme is the name of an embedded theme, or themes.Auto; empty means the default.
	Theme string

	// Files finds the files of this machine that a name could become of which a
	// part is written; quoted says that the name may hold blanks.
	Files func(ctx context.Context, written string, quoted bool) (completion.Found, error)

	// Keys say what keys mean; nil stands for those that nod brings.
	Keys *keys.Table

	// History holds prompts of earlier conversations, oldest first, for the
	// arrow keys of the input.
	History []string

	// Vi has the line that is written in take vi's keys.
	Vi bool
	// Mouse switches reports of the mouse on.
	Mouse bool

	// Quiet switches notifications (bell, OSC 9, 99 and 777) off.
	Quiet bool

	// Screen is drawn on instead of the operator's terminal; for tests. The
	// console calls Init and Fini itself.
	Screen tcell.Screen

	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Status is what the top line shows. Empty parts are left out.
type Status struct {
	TargetStatus
	Posture string // "ask", "ask-all", "read-only"
	Model   string // "gpt-5", "guide"
	Limit   int    // the model's context limit in tokens; 0 if not known
	Cost    string // "$0.12"
}

// Models are the models that can answer.
type Models struct {
	// List returns a line for each, the present one marked, and what else there is
	// to say.
	List func(ctx context.Context) ([]string, error)
	// Use makes another one answer from the next request on; an error says why not.
	Use func(ctx context.Context, name string) (ModelStatus, error)
}

// ModelStatus is what the top line shows of a model.
type ModelStatus struct {
	Name    string
	Limit   int // its context in tokens; 0 if that is not known
	Context int // how full it is, in percent; 0 if that is not known
}

// TargetStatus is what the top line shows of the current target.
type TargetStatus struct {
	Name    string        // "local", "ssh:web-1"
	Trust   string        // "prod", "stage", "lab" or empty
	State   string        // a step on the way to it, or what is wrong; empty while all is well
	Latency time.Duration // of its last answer; 0 if that is of no interest
	Load    string        // what it uses, in a few words: "cpu 3 % · 41 MiB"
	NotHeld bool          // it is known that nothing holds looks there
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

	// Trust is that of the terminal's target: "prod", "stage", "lab" or empty.
	Trust string

	// Name is its short name, for a row of many: "build". Empty: the title.
	Name string

	// Main says that it is the one that everybody uses. It stands first.
	Main bool

	// Order is its place among the main ones that have one, from 1 on; those with 0 stand
	// behind them, in the order in which they come.
	Order int

	// Snapshot returns the terminal's present state, or nil if there is none
	// yet. It is called from the pump and must be quick.
	Snapshot func() *vt.Snapshot

	// Subscribe calls changed whenever Snapshot would return something new,
	// until cancel is called. changed never blocks and may be called from any
	// goroutine.
	Subscribe func(changed func()) (cancel func())

	// Shown is told when the terminal comes into view and when it leaves it. It is called
	// from the pump and must be quick. Nil: nobody wants to know.
	Shown func(shown bool)

	// Type sends bytes to the terminal, in the order of the calls. Nil means
	// that the pane is for reading only.
	Type func(ctx context.Context, p []byte) error

	// Resize tells how many cells the console has for the terminal. Nil means
	// that its size is somebody else's business.
	Resize func(ctx context.Context, cols, rows int)

	// Attach is the command by which the operator gets at the terminal by hand.
	// Nil means that there is none.
	Attach func() string

	// Close ends the terminal. Where something runs and the operator is not sure yet, it
	// is a *BusyError and nothing ends. Nil means that it is not nod's to end.
	Close func(ctx context.Context, sure bool) error

	// Rename gives the terminal another name; an error says why not. Nil means that it
	// keeps its name.
	Rename func(ctx context.Context, name string) error

	// State says what goes on in the terminal. It is called like Snapshot, and
	// news of it come the same way. Nil means that nothing is known.
	State func() PaneState
}

// PaneState is what goes on in a mirrored terminal.
type PaneState struct {
	// Target and Terminal name it as actions do: "local", "%3".
	Target, Terminal string

	// Running is the command that runs in it; empty if none does.
	Running string

	// Watchers is how many others have it before them, besides nod.
	Watchers int

	// Typed is when somebody typed into it last other than here; zero if it is
	// not known that anybody did.
	Typed time.Time

	// Fault says why less than usual is known of it; empty if nothing is wrong.
	Fault string
	// Stale says that the picture is how it was, and not how it is.
	Stale bool
}

// provided says of the commands that depend on the program whether it provides for them.
var provided = map[keys.ID]func(*Options) bool{
	keys.Approve:  func(o *Options) bool { return o.SetPosture != nil },
	keys.New:      func(o *Options) bool { return o.NewConversation != nil },
	keys.Replay:   func(o *Options) bool { return o.Replay != nil },
	keys.Timeline: func(o *Options) bool { return o.Runs != nil },
	keys.Open:     func(o *Options) bool { return o.OpenTerminal != nil },
	keys.Targets:  func(o *Options) bool { return o.Targets != nil },
	keys.Overview: func(o *Options) bool { return o.Overview != nil },
	keys.Undo:     func(o *Options) bool { return o.Undo != nil },
	keys.History:  func(o *Options) bool { return o.Past != nil },
	keys.Fork:     func(o *Options) bool { return o.Past != nil },
	keys.Memory:   func(o *Options) bool { return o.Past != nil },
	keys.Servers:  func(o *Options) bool { return o.Servers != nil },
	keys.Prompt:   func(o *Options) bool { return o.Servers != nil },
	keys.Plugins:  func(o *Options) bool { return o.Plugins != nil },
	keys.Model:    func(o *Options) bool { return o.Models != nil },
	keys.Context:  func(o *Options) bool { return o.Context != nil },
	keys.Compact:  func(o *Options) bool { return o.Compact != nil },
	keys.Steer:    func(o *Options) bool { return o.Steer != nil },
	keys.Editor:   func(o *Options) bool { return o.Edit != nil },
	keys.Suspend:  func(o *Options) bool { return o.Stop != nil },
}

// provides reports whether a command can be given as far as the program is concerned.
func (o *Options) provides(id keys.ID) bool {
	is, depends := provided[id]
	return !depends || is(o)
}
