package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// hereCage stands for whatever wall this machine's kernel has.
const hereCage = "here"

// judged is a verdict and how a command with it runs.
type judged struct {
	verdict risk.Verdict
	runs    string
}

// MarshalJSON writes the verdict's object with "runs" as one more member.
func (j judged) MarshalJSON() ([]byte, error) {
	v, err := json.Marshal(j.verdict)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `%s,"runs":%q}`, v[:len(v)-1], j.runs), nil
}

// wall is a cage that a command has only in thought.
type wall confine.Wall

// For implements [policy.Cage].
func (w wall) For(string) confine.Wall { return confine.Wall(w) }

// Prefix implements [policy.Cage].
func (wall) Prefix(string) string { return "" }

// runsBy says how commands run behind a wall, L, S, M or none, on this machine.
func (a *program) runsBy(cage string, dialect risk.Dialect) (func(command string) string, error) {
	opt := policy.Options{Home: a.Getenv("HOME")}
	switch cage {
	case hereCage:
		if w := confine.Here(); w != confine.None {
			opt.Cage = func(context.Context, string) policy.Cage { return wall(w) }
		}
	case string(confine.Landlock), string(confine.SystemCalls):
		opt.Cage = func(context.Context, string) policy.Cage { return wall(cage) }
	case "none", "M": // behind read-only mounts nothing runs that is not proved by reading
	default:
		return nil, fmt.Errorf("risk: --cage %q: want L, S, M, none, or here", cage)
	}
	engine, err := app.Supposed(opt)
	if err != nil {
		return nil, err
	}
	return func(command string) string {
		return engine.Runs(context.Background(), policy.Proposal{Action: tools.Action{
			Tool: "risk", Kind: tools.Exec, Target: local.Name, Command: command, Dialect: dialect.String(),
			Claim: tools.Claim{Risk: risk.Low.String()},
		}})
	}, nil
}
