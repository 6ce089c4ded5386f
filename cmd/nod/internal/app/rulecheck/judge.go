package rulecheck

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

// HereCage stands for whatever wall this machine's kernel has.
const HereCage = "here"

// Judged is a verdict, and how a command with it would run.
type Judged struct {
	Verdict risk.Verdict
	runs    string // free, held, asks or denied
}

// MarshalJSON implements [json.Marshaler]: it writes the verdict's object with "runs" as one more member.
func (j Judged) MarshalJSON() ([]byte, error) {
	v, err := json.Marshal(j.Verdict)
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

// Judge says what commands could do, and how they would run behind a wall, L, S, M, none or
// [HereCage], for an operator with that home folder and no rules of their own.
func Judge(cage, home string, dialect risk.Dialect) (func(command string) Judged, error) {
	opt := policy.Options{Home: home}
	switch cage {
	case HereCage:
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
	return func(command string) Judged {
		runs := engine.Runs(context.Background(), policy.Proposal{Action: tools.Action{
			Tool: "risk", Kind: tools.Exec, Target: local.Name, Command: command, Dialect: dialect.String(),
			Claim: tools.Claim{Risk: risk.Low.String()},
		}})
		return Judged{risk.Command(command, dialect), runs}
	}, nil
}
