package terminal

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/fleet"
	"github.com/nod-console/nod/tools/guard"
)

// planMany plans the same keys for the shared panes of several targets. Each part holds how
// its own pane stands, so that each is judged by what reads the keys there.
func (s *SendKeys) planMany(ctx context.Context, a tools.Action, args keyArgs) (tools.Action, error) {
	switch {
	case args.Target != "":
		return tools.Action{}, tools.Invalid("target and targets are two places: give one of them")
	case args.explicit():
		return tools.Action{}, tools.Invalid("targets have it typed into their shared panes: leave session and pane out")
	case s.Fleet == nil:
		return tools.Action{}, tools.Reject("no_target", "there is one target only: leave targets out")
	}
	spots, err := s.Fleet.Find(ctx, args.Targets)
	if err != nil {
		return tools.Action{}, err
	}
	return spots.Join(func(about guard.About) (tools.Action, error) {
		return s.into(ctx, a, about, selector{Target: about.Target})
	})
}

// Fold implements [tools.Many]: what became of the keys, once for all targets where it is
// the same.
func (s *SendKeys) Fold(_ context.Context, a tools.Action, parts []tools.Part, _ tools.Env) tools.Result {
	groups := fleet.Groups(parts, func(p tools.Part) string {
		v, _ := p.Result.Value.(KeysValue)
		key, _ := json.Marshal([]any{v.Message, v.Screen, v.ExitCode, v.Notices}) // cannot fail
		return string(key)
	})
	value := fleet.Value{Targets: a.Target, Count: fleet.Count(groups, typedOrNot)}
	shown, notice := fleet.Shown(groups)
	share := fleet.Share(budget(a), len(shown))
	cut := false
	for _, g := range shown {
		o := fleet.Outcome{Targets: g.Set()}
		if problem, failed := fleet.Problem(g.First); failed {
			o.Value = problem
		} else {
			v, _ := g.First.Result.Value.(KeysValue)
			v.Pane, v.Job = "", "" // of the first of them only
			c := cutMiddle(v.Screen, share)
			v.Screen, cut = c.String(), cut || c.omitted > 0
			o.Value = v
		}
		value.Outcomes = append(value.Outcomes, o)
	}
	if notice != "" {
		value.Notices = append(value.Notices, notice)
	}
	if cut {
		value.Notices = append(value.Notices, "screens are cut in their middle: capture-pane shows each")
	}
	return tools.Result{Value: value, IsError: slices.ContainsFunc(parts, func(p tools.Part) bool { return p.Result.IsError })}
}

// typedOrNot says in a word or two what became of a group's keys.
func typedOrNot(g fleet.Group) string {
	switch problem, failed := fleet.Problem(g.First); {
	case !failed:
		return "typed"
	case problem.Code == "unknown":
		return "perhaps typed"
	}
	return "not typed"
}
