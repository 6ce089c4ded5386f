package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MostTargets bounds the targets of one action.
const MostTargets = 2_000

// Many is a tool whose calls can be one action on several targets: a plan with parts. Each
// part is executed by Execute like an action of its own, several at once; then Fold makes
// one result of theirs.
type Many interface {
	// Fold returns the result of a from those of its parts, which are in their order. Its
	// Record is not used. It must not fail.
	Fold(ctx context.Context, a Action, parts []Part, env Env) Result
}

// Part is what came of a part of an action.
type Part struct {
	Action Action
	// Result is what Execute returned, or the failure in its place.
	Result Result
	// Begun reports whether Execute was called: nothing has happened otherwise.
	Begun bool
}

// Join makes one action of the same one on several targets. folded is the name of all of
// them together. What the parts have in common stands in the action, too. Of keys, that is
// also how the panes stand into which they are typed; each is a pane of its own.
func Join(folded string, parts []Action) Action {
	parts = slices.Clone(parts)
	slices.SortFunc(parts, func(a, b Action) int { return strings.Compare(a.Target, b.Target) })
	all := parts[0]
	all.Target, all.Parts = folded, parts
	for _, p := range parts {
		if p.User != all.User {
			all.User = ""
		}
		if p.Dialect != all.Dialect {
			all.Dialect = ""
		}
		if p.Path != all.Path {
			all.Path = ""
		}
		all = all.meet(p)
	}
	return all
}

// meet leaves of how an action's pane stands what is the same for p. Only keys go into
// panes on several targets.
func (a Action) meet(p Action) Action {
	if a.Kind != Type {
		return a
	}
	a.Pane, a.Shell, a.Prompt = "", 0, a.Prompt && p.Prompt
	for _, of := range []struct{ all, one *string }{{&a.Dir, &p.Dir}, {&a.Pending, &p.Pending}, {&a.Program, &p.Program}, {&a.Busy, &p.Busy}} {
		if *of.all != *of.one {
			*of.all = ""
		}
	}
	if !slices.Equal(a.Inside, p.Inside) {
		a.Inside = nil
	}
	return a
}

// Unclaimed is the action without what a model says of it, as the operator's own are.
func (a Action) Unclaimed() Action {
	a.Claim = Claim{}
	a.Parts = slices.Clone(a.Parts)
	for i := range a.Parts {
		a.Parts[i].Claim = Claim{}
	}
	return a
}

// Targets are the names of the targets that an action is for.
func (a Action) Targets() []string {
	if len(a.Parts) == 0 {
		return []string{a.Target}
	}
	names := make([]string, len(a.Parts))
	for i, p := range a.Parts {
		names[i] = p.Target
	}
	return names
}

// Same reports how the parts of an action differ where they must not: what is shown of the
// action has to be what each part does. It is nil for an action without parts.
func (a Action) Same() error {
	if len(a.Parts) == 0 {
		return nil
	}
	if len(a.Parts) > MostTargets {
		return fmt.Errorf("%d targets: one action is for at most %d", len(a.Parts), MostTargets)
	}
	for i, p := range a.Parts {
		switch {
		case len(p.Parts) > 0:
			return errors.New("a part of the action has parts itself")
		case i > 0 && a.Parts[i-1].Target >= p.Target:
			return fmt.Errorf("the target %q is there twice, or not in its place", p.Target)
		case p.Kind != Exec && p.Kind != Read && p.Kind != Connect && p.Kind != Type:
			return fmt.Errorf("an action of kind %s is for one target", p.Kind)
		case !a.does(p):
			return fmt.Errorf("the part for %q is another action", p.Target)
		}
	}
	return nil
}

// does reports whether a part does what the action shows.
func (a Action) does(p Action) bool {
	return p.Tool == a.Tool && p.Kind == a.Kind && p.Command == a.Command && bytes.Equal(p.Stdin, a.Stdin) && p.Claim == a.Claim &&
		(a.Path == "" || p.Path == a.Path) && (a.User == "" || p.User == a.User) &&
		p.Literal == a.Literal && slices.Equal(p.Keys, a.Keys) && p.Enter == a.Enter && p.Wait == a.Wait && p.Until == a.Until && a.stands(p)
}

// stands reports whether a part's folder and, of keys, its pane stand as the action shows.
func (a Action) stands(p Action) bool {
	if a.Kind != Type {
		return p.Dir == a.Dir
	}
	return a.Pane == "" && a.Shell == 0 && (!a.Prompt || p.Prompt) && (a.Inside == nil || slices.Equal(p.Inside, a.Inside)) &&
		(a.Dir == "" || p.Dir == a.Dir) && (a.Pending == "" || p.Pending == a.Pending) &&
		(a.Program == "" || p.Program == a.Program) && (a.Busy == "" || p.Busy == a.Busy)
}
