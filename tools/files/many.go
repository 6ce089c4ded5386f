package files

import (
	"context"
	"encoding/json"
	"fmt"
	"path"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/fleet"
	"github.com/nod-console/nod/tools/guard"
)

// several adds the argument for several targets where there are some.
func several(f *fleet.Fleet, properties map[string]any) map[string]any {
	if f.Offered() {
		properties["targets"] = fleet.Schema()
	}
	return properties
}

// locateOn is locateAny on several targets. A target that has no such path, or that does
// not answer, takes part with the path as it was named, and fails when its turn comes.
func locateOn(ctx context.Context, f *fleet.Fleet, names fleet.Names, target, name string) (tools.Action, error) {
	switch {
	case target != "":
		return tools.Action{}, tools.Invalid("target and targets are two places: give one of them")
	case f == nil:
		return tools.Action{}, tools.Reject("no_target", "there is one target only: leave targets out")
	}
	if err := named(name); err != nil {
		return tools.Action{}, err
	}
	spots, err := f.Find(ctx, names)
	if err != nil {
		return tools.Action{}, err
	}
	return spots.Join(func(about guard.About) (tools.Action, error) {
		a := tools.Action{Target: about.Target, User: about.User, Path: path.Clean(name)}
		if real, err := f.Guard.Resolve(ctx, about.Target, name); err == nil {
			a.Path = real
		} else if ctx.Err() != nil {
			return a, tools.Denied("interrupted while looking at %s: %w", name, context.Cause(ctx))
		}
		return a, nil
	})
}

// all completes an action and each of its parts.
func all(a tools.Action, complete func(*tools.Action) error) (tools.Action, error) {
	if len(a.Parts) == 0 {
		err := complete(&a)
		return a, err
	}
	for i := range a.Parts {
		if err := complete(&a.Parts[i]); err != nil {
			return a, err
		}
	}
	return tools.Join(a.Target, a.Parts), nil
}

// folded is the result of parts, each distinct outcome once. did says what was done, and show
// cuts a value to so many characters.
func folded(f *fleet.Fleet, a tools.Action, parts []tools.Part, did string, budget int, show func(value any, share int) any) tools.Result {
	groups := fleet.Groups(parts, func(p tools.Part) string {
		key, _ := json.Marshal(p.Result.Value) // it goes to the model as JSON
		return string(key)
	})
	v := fleet.Value{Targets: a.Target, Count: fleet.Count(groups, func(g fleet.Group) string {
		if problem, failed := fleet.Problem(g.First); failed {
			return fleet.Word(f.Explained(problem, g.Targets[0]))
		}
		return did
	})}
	shown, notice := fleet.Shown(groups)
	share := fleet.Share(budget, len(shown))
	failed := false
	for _, g := range shown {
		value := g.First.Result.Value
		if problem, no := fleet.Problem(g.First); no {
			value, failed = f.Explained(problem, g.Targets[0]), true
		} else {
			value = show(value, share)
		}
		v.Outcomes = append(v.Outcomes, fleet.Outcome{Targets: g.Set(), Value: value})
	}
	if notice != "" {
		v.Notices = append(v.Notices, notice)
	}
	return tools.Result{Value: v, IsError: failed}
}

// Fold implements [tools.Many].
func (r *ReadFile) Fold(_ context.Context, a tools.Action, parts []tools.Part, _ tools.Env) tools.Result {
	return folded(r.Fleet, a, parts, "read", MaxCharacters, func(value any, share int) any {
		v, _ := value.(ReadValue)
		head, omitted := tools.Head(v.Content, share)
		if v.Content = head; omitted > 0 {
			v.Notices = append(v.Notices, fmt.Sprintf("%d characters more are left out: read it on one of the targets alone", omitted))
		}
		return v
	})
}

// Fold implements [tools.Many].
func (g *Grep) Fold(_ context.Context, a tools.Action, parts []tools.Part, _ tools.Env) tools.Result {
	return folded(g.Fleet, a, parts, "searched", grepCharacters, func(value any, share int) any {
		v, _ := value.(GrepValue)
		used := 0
		for i, m := range v.Matches {
			if used += len(m.File) + len(m.Text); used > share {
				v.Notices = append(v.Notices, fmt.Sprintf("%d matches more are left out: search one of the targets alone", len(v.Matches)-i))
				v.Matches = v.Matches[:i]
				break
			}
		}
		return v
	})
}
