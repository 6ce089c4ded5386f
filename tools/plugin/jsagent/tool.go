package jsagent

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/harmless"
	"github.com/nod-console/nod/tools/plugin/js"
)

// tool is a tool of an agent.
type tool struct {
	of *Run
	js.Tool
}

var (
	_ tools.Tool  = (*tool)(nil)
	_ tools.Added = (*tool)(nil)
)

// Name implements [tools.Tool].
func (t *tool) Name() string { return t.Tool.Name }

// Description implements [tools.Tool].
func (t *tool) Description() string { return t.Tool.Description }

// Added implements [tools.Added].
func (*tool) Added() bool { return true }

// InputSchema implements [tools.Tool].
func (t *tool) InputSchema() map[string]any {
	var schema map[string]any
	_ = json.Unmarshal(t.Parameters, &schema) // take has done it once
	return schema
}

// Parallelizable implements [tools.Tool]: an agent's process does one thing at a time.
func (*tool) Parallelizable() bool { return false }

// waitForOthers bounds a call of an agent's code. Its own computing has a limit of its
// own; the rest is what it waits for others.
const waitForOthers = time.Hour

// Plan implements [tools.Tool]. The code has not run yet: the arguments are all there is.
func (t *tool) Plan(_ context.Context, args json.RawMessage, _ tools.Env) (tools.Action, error) {
	var object map[string]any
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if err := json.Unmarshal(args, &object); err != nil {
		return tools.Action{}, tools.Invalid("the arguments are not a JSON object: %.80q", args)
	}
	return tools.Action{Tool: t.Name(), Kind: tools.Pure, Command: string(args), Wait: waitForOthers}, nil
}

// Execute implements [tools.Tool].
func (t *tool) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	var value any
	err := t.of.host.Call(ctx, "tool", js.ToolCall{Name: t.Name(), Arguments: a.Command}, &value, t.of.effects(env))
	if err != nil {
		return tools.Failure("agent", t.of.fault(err).Error()), nil
	}
	return tools.Result{Value: harmless.Value(value), Record: tools.Record{Outcome: backends.ExitedWith(0)}}, nil
}

// Begin is the action of running the agent's entry for a goal, and what it does.
func (r *Run) Begin(goal string) (tools.Action, func(context.Context, tools.Action, tools.Env) (tools.Result, error)) {
	a := tools.Action{Tool: "agent", Kind: tools.Pure, Command: r.Name + ": " + goal, Wait: waitForOthers}
	return a, func(ctx context.Context, _ tools.Action, env tools.Env) (tools.Result, error) {
		if err := r.Main(ctx, goal, env); err != nil {
			return tools.Failure("agent", err.Error()), nil
		}
		return tools.Result{Value: "it has run", Record: tools.Record{Outcome: backends.ExitedWith(0)}}, nil
	}
}
