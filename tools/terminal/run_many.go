package terminal

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/fleet"
	"github.com/nod-console/nod/tools/guard"
)

// keepOfPart is how much of each output is kept of one target of several, from its beginning.
const keepOfPart = 256 << 10

// planMany plans a command on several targets: in a shell of its own on each, over its
// connection, whatever stands in the panes.
func (r *RunShell) planMany(ctx context.Context, args shellArgs, w wait, claim tools.Claim) (tools.Action, error) {
	switch {
	case args.Target != "":
		return tools.Action{}, tools.Invalid("target and targets are two places: give one of them")
	case args.explicit():
		return tools.Action{}, tools.Invalid("targets run it without panes: leave session and pane out")
	case w.background || w.until.Waits():
		return tools.Action{}, tools.Invalid("on several targets a command is waited for until its end: leave wait=false and wait_for out, or start it with nohup and &")
	case r.Fleet == nil:
		return tools.Action{}, tools.Reject("no_target", "there is one target only: leave targets out")
	}
	spots, err := r.Fleet.Find(ctx, args.Targets)
	if err != nil {
		return tools.Action{}, err
	}
	return spots.Join(func(about guard.About) (tools.Action, error) {
		about.Panes = false // it does not run in one
		return r.planExec(tools.Action{Tool: r.Name(), Target: about.Target, User: about.User, Command: *args.Command, Claim: claim}, about, args, w)
	})
}

// partValue is the Value of what one target of several came to.
type partValue struct {
	ShellValue        // with all of the output that was kept
	sums       string // of all of it
}

// Fold implements [tools.Many]: each distinct outcome once, headed by its targets.
func (r *RunShell) Fold(ctx context.Context, a tools.Action, parts []tools.Part, env tools.Env) tools.Result {
	groups := fleet.Groups(parts, func(p tools.Part) string {
		v, _ := p.Result.Value.(partValue)
		key, _ := json.Marshal([]any{v.ExitCode, v.Signal, v.Notices}) // cannot fail
		return string(key) + v.sums
	})
	value := fleet.Value{Targets: a.Target, Count: fleet.Count(groups, ended)}
	shown, notice := fleet.Shown(groups)
	share := fleet.Share(budget(a), len(shown))
	cut := notice != ""
	for _, g := range shown {
		o := fleet.Outcome{Targets: g.Set()}
		if problem, failed := fleet.Problem(g.First); failed {
			o.Value = problem
		} else {
			v, _ := g.First.Result.Value.(partValue)
			for _, text := range []*string{&v.Stdout, &v.Stderr} {
				c := cutMiddle(*text, share)
				cut = cut || c.omitted > 0
				*text = c.String()
			}
			o.Value = v.ShellValue
		}
		value.Outcomes = append(value.Outcomes, o)
	}
	if notice != "" {
		value.Notices = append(value.Notices, notice)
	}
	if cut {
		value.Notices = append(value.Notices, "outputs are cut in their middle"+r.keepAll(ctx, env, groups))
	}
	return tools.Result{Value: value, IsError: slices.ContainsFunc(parts, func(p tools.Part) bool { return p.Result.IsError })}
}

// ended says how a group's commands ended, in two words.
func ended(g fleet.Group) string {
	v, ok := g.First.Result.Value.(partValue)
	problem, failed := fleet.Problem(g.First)
	switch {
	case failed:
		return fleet.Word(problem)
	case ok && v.ExitCode != nil:
		return fmt.Sprintf("exited %d", *v.ExitCode)
	case ok && v.Signal != "":
		return "ended by " + v.Signal
	case g.First.Result.Record.TimedOut:
		return "took too long"
	}
	return "with an unknown end"
}

// keepAll stores all that is known of the outcomes, and says how to read it.
func (r *RunShell) keepAll(ctx context.Context, env tools.Env, groups []fleet.Group) string {
	if env.Outputs == nil {
		return "; run it again with its output filtered"
	}
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "=== %s (%d): %s\n", g.Set(), len(g.Targets), ended(g))
		v, _ := g.First.Result.Value.(partValue)
		if problem, failed := fleet.Problem(g.First); failed {
			v.Stderr = problem.Error
		}
		b.WriteString(v.Stdout)
		if v.Stderr != "" {
			fmt.Fprintf(&b, "--- stderr\n%s\n", v.Stderr)
		}
	}
	ref, err := env.Outputs.Keep(context.WithoutCancel(ctx), env.Call, "targets", b.String())
	if err != nil {
		return fmt.Sprintf("; the rest could not be kept: %v", err)
	}
	return fmt.Sprintf(`; read all with read_file {"path": %q}`, ref)
}
