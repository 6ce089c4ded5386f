package terminal

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"fmt"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

//go:embed kill_job.md
var killJobGuide string

// KillJob is the tool kill_job. Its action is the Ctrl-C that the operator sees; the
// guard types it only while the same command runs.
type KillJob struct {
	Guard *guard.Guard
	Jobs  *Jobs // the same as run_shell's
}

var _ tools.Tool = (*KillJob)(nil)

// Name implements [tools.Tool].
func (*KillJob) Name() string { return "kill_job" }

// Description implements [tools.Tool].
func (*KillJob) Description() string { return spec.Brief(killJobGuide) }

// Guidance implements [tools.Documented].
func (*KillJob) Guidance() string { return spec.Whole(killJobGuide) }

// Parallelizable implements [tools.Tool].
func (*KillJob) Parallelizable() bool { return false }

// InputSchema implements [tools.Tool].
func (*KillJob) InputSchema() map[string]any {
	return spec.Schema(spec.Acting(map[string]any{"job": spec.String("")}), spec.ClaimNames("job")...)
}

type killArgs struct {
	Job *string `json:"job"`
	spec.Claim
}

// Plan implements [tools.Tool].
func (t *KillJob) Plan(ctx context.Context, raw json.RawMessage, _ tools.Env) (tools.Action, error) {
	var args killArgs
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	if args.Job == nil {
		return tools.Action{}, spec.Missing("job")
	}
	claim, err := args.Check()
	if err != nil {
		return tools.Action{}, err
	}
	k, err := t.Jobs.find(*args.Job)
	if err != nil {
		return tools.Action{}, err
	}
	at := selector{Target: k.action.Target, Pane: k.action.Pane}
	state, err := at.look(ctx, t.Guard)
	switch {
	case err != nil:
		return tools.Action{}, err
	case isDone(k.run):
		return tools.Action{}, tools.Reject("ended", "%s has ended: %s", k.handle, running{k.run, k.action}.end())
	}
	return tools.Action{
		Tool: t.Name(), Kind: tools.Type, Target: k.action.Target, User: k.action.User, Pane: state.ID,
		Dialect: state.Shell, Dir: state.Dir, Inside: state.Inside, Shell: state.Generation, Prompt: state.AtPrompt, Pending: state.Pending, Busy: state.Busy,
		Keys: []string{"C-c"}, Claim: claim,
	}, nil
}

// Execute implements [tools.Tool].
func (t *KillJob) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	k := t.Jobs.in(a.Target, a.Pane)
	if k == nil || k.action.Command != a.Busy {
		return tools.Failure("changed", fmt.Sprintf("nothing happened: %q does not run in pane %s any more", line(a.Busy), a.Pane)), nil
	}
	began := env.Time()
	if err := t.Guard.Type(ctx, a, env.Grant); err != nil {
		return outcome(ctx, err)
	}
	bounded, cancel := context.WithTimeout(ctx, interruptWait)
	defer cancel()
	select {
	case <-k.run.Done():
	case <-bounded.Done():
	}
	v, _, done := k.report(ctx, a, env, wakening{why: looked})
	if !done {
		v.notice("it has not ended on C-c: send-keys reaches it; tmux-kill-pane ends a pane of yours with what runs there")
	}
	return tools.Result{Value: v, IsError: !done, Record: tools.Record{Outcome: backends.ExitedWith(0), Duration: env.Time().Sub(began)}}, nil
}
