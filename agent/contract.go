package agent

import (
	"context"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/policy"
)

// Approver asks the operator; see [policy.Approver].
type Approver = policy.Approver

// Streamer is the model; [model.Client] is one. Its reply has calls only if it
// was complete, and each call has arguments only if they parse. The sink is
// called on the caller's goroutine.
type Streamer interface {
	Stream(ctx context.Context, r model.Request, sink func(model.Delta)) (model.Reply, error)
}

// Store is where conversations are kept; [history.Store] is one. What Append
// acknowledges is on disk.
type Store interface {
	Load(ctx context.Context, conversation string) ([]history.Message, error)
	Append(ctx context.Context, conversation string, messages ...history.Message) error
	Outputs(conversation string) history.Outputs
}

// Recorder is the record of what was allowed to run; [ledger.Ledger] is one.
type Recorder interface {
	Healthy() error
	Intend(ctx context.Context, i ledger.Intent) (ledger.Ref, error)
	Conclude(ref ledger.Ref, c ledger.Conclusion) error
	Note(n ledger.Note) error
}

// Decider decides what may run; [policy.Engine] is one.
type Decider interface {
	Decide(ctx context.Context, p policy.Proposal) (policy.Decision, error)
}

var (
	_ Streamer = (*model.Client)(nil)
	_ Store    = (*history.Store)(nil)
	_ Recorder = (*ledger.Ledger)(nil)
	_ Decider  = (*policy.Engine)(nil)
)
