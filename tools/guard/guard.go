package guard

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools"
)

// Errors of a guard's methods.
var (
	// ErrNoTarget: no target of that name is connected.
	ErrNoTarget = errors.New("no such target")
	// ErrNoPanes: the target has no panes.
	ErrNoPanes = errors.New("the target has no panes")
	// ErrNoPane: the target has panes, but not that one.
	ErrNoPane = errors.New("no such pane")
	// ErrMalformed: the action says something that its kind does not do. It is
	// a fault of the tool that planned it.
	ErrMalformed = errors.New("the action is malformed")
)

// ChangedError says that something is not any more as it was when the action
// was planned. Nothing has happened.
type ChangedError struct {
	What string // "the pane's prompt line"
	Was  string
	Is   string
}

// Error implements error.
func (e *ChangedError) Error() string {
	if e.What == shellInPane { // its numbers tell nobody anything
		return e.What + " is not the one any more that the action was planned for: that has ended or was replaced"
	}
	return fmt.Sprintf("%s changed since the action was planned: it was %s and is %s", e.What, e.quoted(e.Was), e.quoted(e.Is))
}

// What changes most about a pane.
const (
	shellInPane = "the shell in the pane"
	paneDir     = "the pane's directory"
	paneCommand = "the command in the pane"
	paneProgram = "the program that reads the keys"
)

// quoted is a text in quotes, or the word for there being none.
func (e *ChangedError) quoted(text string) string {
	switch {
	case text != "":
		return strconv.Quote(text)
	case e.What == paneDir, e.What == paneProgram:
		return "not known"
	case e.What == paneCommand:
		return "none"
	}
	return "empty"
}

// UnsureError says that an action was begun and that it is not known how much of
// it has happened.
type UnsureError struct{ Wrapped error }

// Error implements error.
func (e *UnsureError) Error() string {
	return fmt.Sprintf("it is not known how much of it has happened: %v", e.Wrapped)
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *UnsureError) Unwrap() error { return e.Wrapped }

// Place is a target and what belongs to it.
type Place struct {
	Target backends.Target
	User   string          // whom commands and files are accessed as
	Shell  string          // the dialect of command lines that run without a pane: "sh", "bash", "zsh", "fish"
	Panes  Panes           // nil if the target has none
	Cage   *confine.Keeper // what holds commands there; nil if nothing does
}

// About is what may be known of a place.
type About struct {
	Target string
	User   string
	Shell  string
	Panes  bool
}

// Guard holds targets and panes. Make one with [New].
type Guard struct {
	verifier *tools.Verifier
	fill     func(tools.Action) (tools.Action, error)

	mu     sync.RWMutex
	places map[string]Place
}

// Fill makes f complete each granted action right before it happens: what must
// not be shown or put on record, such as a password, is put in the place of what
// stands for it. An error of f means that nothing happens. Call it before the
// guard is used.
func (g *Guard) Fill(f func(tools.Action) (tools.Action, error)) { g.fill = f }

// New returns a guard without targets that goes by v.
func New(v *tools.Verifier) *Guard {
	return &Guard{verifier: v, places: map[string]Place{}}
}

// Add puts a place under guard. The guard does not close the target.
func (g *Guard) Add(p Place) error {
	name := p.Target.Name()
	if _, err := shellArgv(p.Shell, ""); err != nil {
		return fmt.Errorf("guard: target %s: %w", name, err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, taken := g.places[name]; taken {
		return fmt.Errorf("guard: target %s is there already", name)
	}
	g.places[name] = p
	return nil
}

// Remove takes a target out of the guard. Calls that are under way go on.
func (g *Guard) Remove(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.places, name)
}

// Targets returns the names of all targets, sorted.
func (g *Guard) Targets() []string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	names := make([]string, 0, len(g.places))
	for name := range g.places {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// About describes a target, or is ErrNoTarget. A bare host name, such as web-1, is the
// one connected target on it; the About has that one's name.
func (g *Guard) About(target string) (About, error) {
	target, err := g.meant(target)
	if err != nil {
		return About{}, err
	}
	p, err := g.place(target)
	if err != nil {
		return About{}, err
	}
	return About{Target: target, User: p.User, Shell: p.Shell, Panes: p.Panes != nil}, nil
}

// meant is the target that a name means: that of the name, or the only one on the host.
func (g *Guard) meant(name string) (string, error) {
	names := g.Targets()
	if name == "" || slices.Contains(names, name) {
		return name, nil
	}
	var on []string
	for _, target := range names {
		_, host, _ := strings.Cut(target, ":")
		bare := host[strings.LastIndexByte(host, '@')+1:]
		if at := strings.LastIndexByte(bare, ':'); at >= 0 && !strings.HasSuffix(bare, "]") {
			bare = bare[:at] // the port
		}
		if host != "" && (strings.EqualFold(name, host) || strings.EqualFold(name, bare)) {
			on = append(on, target)
		}
	}
	switch len(on) {
	case 0:
		return name, nil // place tells what is connected
	case 1:
		return on[0], nil
	}
	return "", fmt.Errorf("%w: %q is each of %s: name one of them", ErrNoTarget, name, strings.Join(on, ", "))
}

func (g *Guard) place(target string) (Place, error) {
	g.mu.RLock()
	p, ok := g.places[target]
	g.mu.RUnlock()
	if !ok {
		return Place{}, fmt.Errorf("%w: %q; connected are %s", ErrNoTarget, target, strings.Join(g.Targets(), ", "))
	}
	return p, nil
}

// admit is what every guarded call begins with. It does not use the grant up.
func (g *Guard) admit(kind tools.Kind, a tools.Action, grant tools.Grant) (Place, error) {
	if err := g.verifier.Check(a, grant); err != nil {
		return Place{}, fmt.Errorf("guard: %w", err)
	}
	if a.Kind != kind {
		return Place{}, fmt.Errorf("guard: %w: kind %s where %s is done", ErrMalformed, a.Kind, kind)
	}
	if err := wellFormed(a); err != nil {
		return Place{}, fmt.Errorf("guard: %w: %w", ErrMalformed, err)
	}
	p, err := g.place(a.Target)
	if err != nil {
		return Place{}, fmt.Errorf("guard: %w", err)
	}
	if a.User != p.User {
		return Place{}, fmt.Errorf("guard: %w", &ChangedError{"the target's user", a.User, p.User})
	}
	return p, nil
}

// redeem uses the grant up, immediately before something happens.
func (g *Guard) redeem(a tools.Action, grant tools.Grant) error {
	if err := g.verifier.Redeem(a, grant); err != nil {
		return fmt.Errorf("guard: %w", err)
	}
	return nil
}

// filled is a granted action with all that it stands for.
func (g *Guard) filled(a tools.Action) (tools.Action, error) {
	if g.fill == nil {
		return a, nil
	}
	a, err := g.fill(a)
	if err != nil {
		return a, fmt.Errorf("guard: %w", err)
	}
	return a, nil
}
