package fleet

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"slices"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/fleet/nodeset"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

// connectTime bounds a login, in which the operator may have to answer questions.
const connectTime = 5 * time.Minute

//go:embed connect_target.md
var connectGuide string

// ConnectTarget is the tool connect_target.
type ConnectTarget struct{ Fleet *Fleet }

var (
	_ tools.Tool     = (*ConnectTarget)(nil)
	_ tools.Many     = (*ConnectTarget)(nil)
	_ tools.Optional = (*ConnectTarget)(nil)
)

// Name implements [tools.Tool].
func (*ConnectTarget) Name() string { return "connect_target" }

// Description implements [tools.Tool].
func (*ConnectTarget) Description() string { return spec.Brief(connectGuide) }

// Guidance implements [tools.Documented].
func (*ConnectTarget) Guidance() string { return spec.Whole(connectGuide) }

// Parallelizable implements [tools.Tool].
func (*ConnectTarget) Parallelizable() bool { return false }

// Offered implements [tools.Optional]: there is something that could be connected.
func (c *ConnectTarget) Offered() bool { return len(c.Fleet.Apart()) > 0 }

// InputSchema implements [tools.Tool].
func (*ConnectTarget) InputSchema() map[string]any {
	return spec.Schema(spec.Acting(map[string]any{"targets": Schema()}), spec.ClaimNames("targets")...)
}

type connectArgs struct {
	Targets Names `json:"targets"`
	spec.Claim
}

// Plan implements [tools.Tool].
func (c *ConnectTarget) Plan(ctx context.Context, raw json.RawMessage, _ tools.Env) (tools.Action, error) {
	var args connectArgs
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	if args.Targets == nil {
		return tools.Action{}, spec.Missing("targets")
	}
	claim, err := args.Check()
	if err != nil {
		return tools.Action{}, err
	}
	names, err := c.Fleet.meant(ctx, args.Targets)
	if err != nil {
		return tools.Action{}, err
	}
	connected := c.Fleet.Guard.Targets()
	all := nodeset.Fold(names)
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(connected, name) })
	if len(names) == 0 {
		return tools.Action{}, tools.Reject("connected", "nothing was done: %s is connected already: name it in a call", all)
	}
	spots := make(Spots, len(names))
	for i, name := range names {
		spots[i].Target = name
	}
	return spots.Join(func(about guard.About) (tools.Action, error) {
		return tools.Action{Tool: c.Name(), Kind: tools.Connect, Target: about.Target, Wait: connectTime, Claim: claim}, nil
	})
}

// ConnectValue is the Value of connect_target's Results.
type ConnectValue struct {
	Count     string          `json:"count,omitempty"` // of several: "7 targets: 6 connected, 1 failed"
	Connected string          `json:"connected"`
	Failed    []ConnectFailed `json:"failed,omitempty"`
}

// ConnectFailed is targets that could not be connected.
type ConnectFailed struct {
	Targets string `json:"targets"`
	Error   string `json:"error"`
}

// Execute implements [tools.Tool].
func (c *ConnectTarget) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	if err := c.Fleet.Guard.Connect(a, env.Grant); err != nil {
		return tools.Result{}, tools.Denied("%w", err)
	}
	began := env.Time()
	err := c.Fleet.Roster.Connect(ctx, a.Target)
	took := env.Time().Sub(began)
	if err != nil {
		r := tools.Failure(NotConnected, err.Error())
		if ctx.Err() != nil {
			r = tools.Failure("interrupted", "not connected: it was interrupted")
		}
		r.Record.Duration = took
		return r, nil
	}
	return tools.Result{
		Value:  ConnectValue{Connected: a.Target},
		Record: tools.Record{Outcome: backends.ExitedWith(0), Duration: took},
	}, nil
}

// Fold implements [tools.Many].
func (c *ConnectTarget) Fold(_ context.Context, _ tools.Action, parts []tools.Part, _ tools.Env) tools.Result {
	groups := Groups(parts, func(tools.Part) string { return "" })
	v := ConnectValue{Count: Count(groups, func(g Group) string {
		if _, failed := Problem(g.First); failed {
			return "failed"
		}
		return "connected"
	})}
	shown, notice := Shown(groups)
	for _, g := range shown {
		if problem, failed := Problem(g.First); failed {
			v.Failed = append(v.Failed, ConnectFailed{g.Set(), problem.Error})
		} else {
			v.Connected = g.Set()
		}
	}
	if notice != "" {
		v.Failed = append(v.Failed, ConnectFailed{Error: notice})
	}
	return tools.Result{Value: v, IsError: len(v.Failed) > 0}
}
