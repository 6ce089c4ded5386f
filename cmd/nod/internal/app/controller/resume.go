package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/ui/console"
)

// LastConversation is the value of --resume without an ID.
const LastConversation = "last"

// earlier is the conversation that can be taken up: the one that --resume
// names, or one that was left open, or the last one.
func (d *Controller) earlier(ctx context.Context) (*console.Resume, error) {
	id := d.Options.Resume
	if id != "" && d.spare.Reason() != nil {
		return nil, fmt.Errorf("console: --resume: %w; nod history show prints a conversation", d.spare.Why)
	}
	c, err := d.store.Latest(ctx)
	switch {
	case id != "" && id != LastConversation:
		if c, err = d.store.Get(ctx, id); errors.Is(err, history.ErrNotFound) {
			return nil, fmt.Errorf("console: --resume=%s: %w; nod history list shows which there are", id, err)
		}
	case errors.Is(err, history.ErrNotFound):
		var all []history.Conversation
		if all, err = d.store.List(ctx, 0); err == nil {
			all = slices.DeleteFunc(all, func(c history.Conversation) bool { return c.Agent != "" })
		}
		if err == nil && len(all) == 0 {
			if id != "" {
				return nil, errors.New("console: --resume: there is no conversation yet; start nod without it")
			}
			return nil, nil //nolint:nilnil // nothing to take up is no error
		}
		if err == nil {
			c = all[0]
		}
	}
	if err != nil {
		return nil, err
	}
	return &console.Resume{
		Title: c.Title, When: c.Updated, LeftOpen: c.Open, Now: id != "",
		Accept: func(ctx context.Context, prompt func(string), sink agent.Sink) error {
			return d.resume(ctx, c.ID, prompt, sink)
		},
	}, nil
}

// resume takes an earlier conversation up in place of the present one.
func (d *Controller) resume(ctx context.Context, id string, prompt func(string), sink agent.Sink) error {
	_, said, err := d.store.Resume(ctx, id)
	if err != nil {
		return err
	}
	if err := d.newConversation(ctx); err != nil {
		return err
	}
	d.mu.Lock()
	d.conversationID = id
	d.mu.Unlock()
	agent.Replay(said, prompt, sink)
	return d.measured(ctx, sink)
}
