package oneshot

import (
	"context"
	"fmt"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
)

// Question is one question to the model.
type Question struct {
	Prompt, Target string
	Pane           string // one that is there, such as %3; empty: none
	JSON           bool   // the events, one object a line
	ApproveAll     bool
}

// Ask has one turn of the model on a target: the answer goes to standard output, what
// happens meanwhile to standard error. How it ended is an exit status.
func (n *Nod) Ask(ctx context.Context, q Question) error {
	there, err := targets.FindOwnPane(n.Config, n.Getenv, n.Socket, q.Pane)
	if err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	opt := app.Options{Options: targets.Options{Panes: there != nil, Existing: there}, ApproveAll: q.ApproveAll, Chunks: q.JSON}
	return n.turn(ctx, "ask", q.Target, opt, &reporter{sys: n.System, json: q.JSON}, func(t *oneTurn) (agent.Ending, error) {
		if err := t.Servers.Start(); err != nil {
			return agent.Failed, err
		}
		if err := t.Plugins.Tried(ctx); err != nil {
			return agent.Failed, fmt.Errorf("ask: %w", err)
		}
		if err := t.Servers.Ready(ctx); err != nil {
			return agent.Failed, fmt.Errorf("ask: %w", err)
		}
		t.ReadGuidance(ctx)
		return t.turns.Run(ctx, t.talk, q.Prompt, t.out.take), nil
	})
}
