package turn

import (
	"context"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/model"
)

// Streamer is the model; [model.Client] is one. Its reply has calls only if it
// was complete, and each call has arguments only if they parse. The sink is
// called on the caller's goroutine.
type Streamer interface {
	Stream(ctx context.Context, r model.Request, sink func(model.Delta)) (model.Reply, error)
}

// Acquaintance is a model that asks its server what it takes, before it is sent
// anything; [model.Client] is one.
type Acquaintance interface {
	// Meet is called before each request. It costs nothing but the first time. What the
	// operator should know of it, it returns for a line.
	Meet(ctx context.Context) string
	// ContextLimit is the context in tokens as far as it is known; 0 if it is not.
	ContextLimit() int
}

// Store is where conversations are kept; [history.Store] is one. What Append
// acknowledges is on disk.
type Store interface {
	Load(ctx context.Context, conversation string) ([]history.Message, error)
	Append(ctx context.Context, conversation string, messages ...history.Message) error
	Outputs(conversation string) history.Outputs
	// Count is how many messages a conversation has. It costs little.
	Count(ctx context.Context, conversation string) (int, error)
	// CreateUnder begins a sub-agent's conversation under the one that sent it; End
	// marks it as over.
	CreateUnder(ctx context.Context, parent, agent, target, model string) (history.Conversation, error)
	End(ctx context.Context, id string) error
}

var (
	_ Streamer     = (*model.Client)(nil)
	_ Acquaintance = (*model.Client)(nil)
	_ Store        = (*history.Store)(nil)
)
