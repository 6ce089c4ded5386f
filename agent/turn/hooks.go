package turn

import (
	"context"
	"fmt"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/tools/plugin/hook"
)

// hookedError is a hook's denial of a message.
type hookedError struct{ what, deny string }

func (e *hookedError) Error() string { return fmt.Sprintf("%s by the %s", e.what, e.deny) }

// mayHear asks the hooks whether the model may get a message. The error is a *hookedError.
func (t *turn) mayHear(ctx context.Context, text string) error {
	if t.cfg.Hooks == nil {
		return nil
	}
	if began := t.cfg.Hooks.Begin(ctx); began.Deny != "" {
		return &hookedError{"nothing is done: denied", began.Deny}
	}
	return t.message(ctx, hook.PreMessage, text, "not sent: denied")
}

// message puts a message before the hooks. What they say beside a denial is for the
// operator alone.
func (t *turn) message(ctx context.Context, event, text, what string) error {
	said := t.cfg.Hooks.Run(ctx, hook.Event{
		Event: event, Conversation: t.id, Agent: t.cfg.under.from().Agent, Text: text,
	})
	for _, n := range said.Notes {
		t.notify(agent.Notice{Text: n})
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if said.Deny != "" {
		return &hookedError{what, said.Deny}
	}
	return nil
}
