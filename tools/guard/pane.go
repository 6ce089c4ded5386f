package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
)

// Panes are a target's panes.
type Panes interface {
	// Find returns a managed pane. An empty session means the default one, an
	// empty name its shared pane, a name such as "%3" the pane with that id.
	// The error is ErrNoPane if there is none.
	Find(ctx context.Context, session, name string) (Pane, error)
}

// Pane is a terminal that the operator watches.
type Pane interface {
	// Look says how the pane stands.
	Look(ctx context.Context) (State, error)
	// Run runs a command line in the pane's shell as a tracked run. The run
	// goes on when ctx ends.
	Run(ctx context.Context, command string) (Run, error)
	// Type types text and then keys by their tmux names.
	Type(ctx context.Context, literal string, keys []string) error
	// Capture returns what the pane shows.
	Capture(ctx context.Context, v View) (Capture, error)
}

// State is how a pane stands at one moment.
type State struct {
	ID       string // "%3"
	Shell    string // dialect of the shell at whose prompt it stands; empty if unknown
	AtPrompt bool
	Pending  string // what stands on the prompt line
	Busy     string // the command that runs, if it is known
}

// Run is a command that was dispatched to a pane.
type Run interface {
	// Done is closed when the command has ended, or can be followed no more.
	Done() <-chan struct{}
	// Result is what is known now; it is final once Done is closed.
	Result() RunResult
	// Interrupt types Ctrl-C.
	Interrupt() error
}

// RunResult is a run's end and output.
type RunResult struct {
	Outcome backends.Outcome
	Output  []byte   // standard output and error, as the terminal got them; perhaps not all of Bytes
	Bytes   int64    // output in all
	Notices []string // what a reader must know: lost output, a full-screen program
	Problem string   // why the outcome is unknown; empty if it is not, or not yet
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
}

// Capture is what a pane shows.
type Capture struct {
	Text    string
	Notices []string
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
	pane, err := find(ctx, p, session, name)
	if err != nil {
		return State{}, err
	}
	return pane.Look(ctx)
}

func find(ctx context.Context, p Place, session, name string) (Pane, error) {
	if p.Panes == nil {
		return nil, fmt.Errorf("%w: %s", ErrNoPanes, p.Target.Name())
	}
	return p.Panes.Find(ctx, session, name)
}

// Run runs a's command line in a's pane, which must stand at an empty prompt
// of the shell that the command was planned for.
func (g *Guard) Run(ctx context.Context, a tools.Action, grant tools.Grant) (Run, error) {
	pane, err := g.planned(ctx, tools.Run, a, grant)
	if err != nil {
		return nil, err
	}
	if err := g.redeem(a, grant); err != nil {
		return nil, err
	}
	return pane.Run(ctx, a.Command)
}

// Type types a's text, keys and Enter, in this order, into a's pane.
func (g *Guard) Type(ctx context.Context, a tools.Action, grant tools.Grant) error {
	pane, err := g.planned(ctx, tools.Type, a, grant)
	if err != nil {
		return err
	}
	if err := g.redeem(a, grant); err != nil {
		return err
	}
	keys := slices.Clone(a.Keys)
	if a.Enter {
		keys = append(keys, "Enter")
	}
	return pane.Type(ctx, a.Literal, keys)
}

// Capture returns what a's pane shows, in the view that is a's Command.
func (g *Guard) Capture(ctx context.Context, a tools.Action, grant tools.Grant) (Capture, error) {
	p, err := g.admit(tools.Read, a, grant)
	if err != nil {
		return Capture{}, err
	}
	v, err := parseView(a.Command)
	if err != nil {
		return Capture{}, fmt.Errorf("guard: %w", err)
	}
	pane, err := find(ctx, p, "", a.Pane)
	if err != nil {
		return Capture{}, err
	}
	return pane.Capture(ctx, v)
}

// planned returns a's pane if it stands as it did when a was planned.
func (g *Guard) planned(ctx context.Context, kind tools.Kind, a tools.Action, grant tools.Grant) (Pane, error) {
	p, err := g.admit(kind, a, grant)
	if err != nil {
		return nil, err
	}
	pane, err := find(ctx, p, "", a.Pane)
	if err != nil {
		return nil, err
	}
	now, err := pane.Look(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range []ChangedError{
		{"the pane", a.Pane, now.ID},
		{"whether the pane stands at a prompt", yes(a.Prompt), yes(now.AtPrompt)},
		{"the pane's shell", a.Dialect, now.Shell},
		{"the pane's prompt line", a.Pending, now.Pending},
	} {
		if c.Was != c.Is {
			return nil, fmt.Errorf("guard: %w", &c)
		}
	}
	return pane, nil
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
