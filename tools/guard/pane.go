package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/tools"
)

// Panes are a target's panes. [Keep] makes them of a keeper.
type Panes interface {
	// Find returns a managed pane. An empty session means the default one, an
	// empty name its shared pane, a name such as "%3" the pane with that id (in
	// that session, if one is named). The error is ErrNoPane if there is none.
	Find(ctx context.Context, session, name string) (Pane, error)
}

// Pane is a terminal that the operator watches.
type Pane interface {
	// Look says how the pane stands.
	Look(ctx context.Context) (State, error)
	// Run gives a command to the shell at whose prompt the pane stands. It
	// refuses where something stands on the prompt's line. ctx bounds the wait
	// for the pane's turn, not the run.
	Run(ctx context.Context, r pane.Request) (Run, error)
	// Type types text and then keys by their tmux names.
	Type(ctx context.Context, literal string, keys []string) error
	// Capture returns what the pane shows.
	Capture(ctx context.Context, v View) (pane.Capture, error)
}

// State is how a pane stands at one moment.
type State struct {
	ID    string // "%3"
	Shell string // dialect of the pane's shell; "bash", which is read with most suspicion, where it is not known
	// Generation is another number when another shell would get a command.
	Generation uint64
	// Inside are the commands that have opened shells within the pane's own; the
	// innermost is the one that would get a command. A shell that only waits
	// there is not known to stand at a prompt.
	Inside   []string
	AtPrompt bool      // the shell is known to wait for a command
	Dir      string    // where the shell stands, at its prompt; empty if it is not known
	Pending  string    // what stands on the prompt's line, or on Program's
	Program  string    // the program that reads the keys, as package typed knows it; only LookInto looks for it
	Busy     string    // the tracked command that runs; empty if none does
	Since    time.Time // when that was given to the shell
	Unready  bool      // what is there has just been found to be no shell that can be used
}

// Waits reports whether the command that runs is one that has opened a shell,
// which waits for commands.
func (s State) Waits() bool {
	return len(s.Inside) > 0 && s.Busy == s.Inside[len(s.Inside)-1]
}

// Run is a command that was dispatched to a pane. Its methods are safe for
// concurrent use.
type Run interface {
	// Done is closed when the command has ended, or can be followed no more.
	Done() <-chan struct{}
	// FullScreen is closed when a full-screen program has taken the terminal.
	FullScreen() <-chan struct{}
	// Asks says what the command seems to wait for, and when to ask again if
	// nothing does: see [pane.Pane.Asks].
	Asks(ctx context.Context, look bool) (pane.Asking, time.Duration)
	// Result is what is known now; it is final once Done is closed.
	Result() pane.Result
	// Interrupt types Ctrl-C, unless the run has ended.
	Interrupt(ctx context.Context) error
}

// View says what a capture shows; the zero value is the screen.
type View struct {
	Start          string `json:"start,omitempty"` // first line: "-" is the oldest, 0 the screen's first, -1 the one above
	End            string `json:"end,omitempty"`   // last line: "-" is the screen's last
	JoinWrapped    bool   `json:"join_wrapped_lines,omitempty"`
	TrailingSpaces bool   `json:"preserve_trailing_spaces,omitempty"`
	Escapes        bool   `json:"include_escape_sequences,omitempty"`
	EscapeControls bool   `json:"escape_non_printable,omitempty"`
	Alternate      bool   `json:"include_alternate_screen,omitempty"`

	// InsteadOf names the pane that was asked for, if that was another one
	// which is not there.
	InsteadOf string `json:"instead_of,omitempty"`
}

// Captured is a capture and the view that it shows.
type Captured struct {
	pane.Capture
	View
}

// Encode is the view as it stands in the Command of an action.
func (v View) Encode() string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and flags
	}
	return string(text)
}

// parseView reads what Encode wrote, and nothing else.
func parseView(text string) (View, error) {
	var v View
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil || v.Encode() != text {
		return View{}, fmt.Errorf("%w: the view %q", ErrMalformed, text)
	}
	return v, nil
}

// Look says how a managed pane stands, for planning. The names are those of
// [Panes.Find].
func (g *Guard) Look(ctx context.Context, target, session, name string) (State, error) {
	p, err := g.place(target)
	if err != nil {
		return State{}, err
	}
	at, err := find(ctx, p, session, name)
	if err != nil {
		return State{}, err
	}
	return at.Look(ctx)
}

// Held says in words which program waits for keys in a managed pane, where somebody
// has started it by hand: a command would not get anywhere. It is empty where that is
// not so, or not known by the end of ctx.
func (g *Guard) Held(ctx context.Context, target, session, name string) string {
	p, err := g.place(target)
	if err != nil {
		return ""
	}
	at, err := find(ctx, p, session, name)
	if err != nil {
		return ""
	}
	if h, ok := at.(interface{ Held(context.Context) string }); ok {
		return h.Held(ctx)
	}
	return ""
}

func find(ctx context.Context, p Place, session, name string) (Pane, error) {
	if p.Panes == nil {
		return nil, fmt.Errorf("%w: %s", ErrNoPanes, p.Target.Name())
	}
	return p.Panes.Find(ctx, session, name)
}

// Dispatch says how a run's output is to be kept.
type Dispatch struct {
	// Turn bounds the wait for the pane's turn.
	Turn time.Duration
	// Keep and Sink are as in [pane.Request].
	Keep int
	Sink io.Writer
}

// Run runs a's command line in a's pane, which must be one of the shell that
// the command was planned for. If that stood at its prompt then, it still must,
// or be busy with a tracked command that is about to end: a shell that has ended
// would come back as a fresh one, in another folder. The pane itself refuses if
// it does not stand at an empty prompt.
func (g *Guard) Run(ctx context.Context, a tools.Action, grant tools.Grant, d Dispatch) (Run, error) {
	at, now, err := g.look(ctx, tools.Run, a, grant)
	if err != nil {
		return nil, err
	}
	if err := standing(a, now); err != nil {
		return nil, err
	}
	prefix, err := g.prefix(ctx, a)
	if err != nil {
		return nil, err
	}
	if err := g.redeem(a, grant); err != nil {
		return nil, err
	}
	if a, err = g.filled(a); err != nil {
		return nil, err
	}
	line, err := heldLine(prefix, a)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, d.Turn, &lateError{d.Turn})
	defer cancel()
	return at.Run(ctx, pane.Request{Command: line, Keep: d.Keep, Sink: d.Sink, Inside: a.Inside, Generation: a.Shell})
}

// lateError is why a command is not waited with any longer. It is a time-out
// also for who asks for context.DeadlineExceeded.
type lateError struct{ after time.Duration }

func (e *lateError) Error() string { return fmt.Sprintf("its turn did not come within %s", e.after) }

func (*lateError) Is(target error) bool { return target == context.DeadlineExceeded }

// Type types a's text, keys and Enter, in this order, into a's pane. Where they were
// planned for a program, it must still read them. An UnsureError means that some of it may
// have been typed.
func (g *Guard) Type(ctx context.Context, a tools.Action, grant tools.Grant) error {
	at, now, err := g.look(ctx, tools.Type, a, grant)
	if err != nil {
		return err
	}
	if err := standing(a, now); err != nil {
		return err
	}
	if err := still(ctx, at, a, now); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := g.redeem(a, grant); err != nil {
		return err
	}
	if a, err = g.filled(a); err != nil {
		return err
	}
	keys := slices.Clone(a.Keys)
	if a.Enter {
		keys = append(keys, "Enter")
	}
	if err := at.Type(ctx, a.Literal, keys); err != nil {
		return fmt.Errorf("guard: %w", &UnsureError{err})
	}
	return nil
}

// Capture returns what a's pane shows, in the view that is a's Command.
func (g *Guard) Capture(ctx context.Context, a tools.Action, grant tools.Grant) (Captured, error) {
	p, err := g.admit(tools.Read, a, grant)
	if err != nil {
		return Captured{}, err
	}
	v, err := parseView(a.Command)
	if err != nil {
		return Captured{}, fmt.Errorf("guard: %w", err)
	}
	at, err := find(ctx, p, "", a.Pane)
	if err != nil {
		return Captured{}, err
	}
	c, err := at.Capture(ctx, v)
	return Captured{c, v}, err
}

// look admits an action on a pane and says how the pane stands.
func (g *Guard) look(ctx context.Context, kind tools.Kind, a tools.Action, grant tools.Grant) (Pane, State, error) {
	p, err := g.admit(kind, a, grant)
	if err != nil {
		return nil, State{}, err
	}
	at, err := find(ctx, p, "", a.Pane)
	if err != nil {
		return nil, State{}, err
	}
	now, err := at.Look(ctx)
	return at, now, err
}

// same returns the first of the comparisons that does not hold.
func same(all []ChangedError) error {
	for _, c := range all {
		if c.Was != c.Is {
			return fmt.Errorf("guard: %w", &c)
		}
	}
	return nil
}

// spot says whether a pane stands at its prompt.
func spot(prompt bool) string {
	if prompt {
		return "at its prompt"
	}
	return "not at its prompt"
}
