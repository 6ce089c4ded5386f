package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/tools/terminal"
)

// submit runs one turn of the conversation.
func (d *Controller) submit(ctx context.Context, prompt string, sink agent.Sink) error {
	turns, talk, err := d.talking(ctx)
	if err != nil {
		return err
	}
	d.parts.core.ReadGuidance(ctx)
	turns.Run(ctx, talk, prompt, sink)
	return nil
}

// command runs a command that the operator gives himself, in the terminal that
// the model works in.
func (d *Controller) command(ctx context.Context, command string, sink agent.Sink) error {
	turns, talk, err := d.talking(ctx)
	if err != nil {
		return err
	}
	arguments, err := json.Marshal(map[string]any{
		"command": command,
		// Of a command that the operator gives, nobody claims anything.
		"risk": "high", "mutation": true, "privesc": true, "why": "the operator's own command",
	})
	if err != nil {
		return err
	}
	turns.Own(ctx, talk, "!"+command, (*terminal.RunShell)(nil).Name(), arguments, sink)
	return nil
}

// conversation is the present one, begun if there is none.
func (d *Controller) conversation(ctx context.Context) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.spare.Settle(ctx, d.store) {
		d.screen.Notify("the state folder can be written again, and this conversation is kept from now on")
	}
	if d.conversationID != "" {
		return d.conversationID, nil
	}
	c, err := d.store.Create(ctx, d.currentTarget(), d.brain.ShownName())
	if err != nil {
		return "", err
	}
	d.conversationID = c.ID
	d.parts.core.Runs.Fresh(c.ID)
	return d.conversationID, nil
}

// end finishes the present conversation.
func (d *Controller) end(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conversationID == "" {
		return nil
	}
	id := d.conversationID
	d.conversationID = ""
	return d.store.End(ctx, id)
}

func (d *Controller) newConversation(ctx context.Context) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	parts.core.FilesRead.Forget()
	return d.end(ctx)
}

func (d *Controller) setPosture(ctx context.Context, word string) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	posture, err := policy.ParsePosture(word)
	if err != nil {
		return err
	}
	if err := parts.core.Ledger.Note(ledger.Note{Kind: "posture", Text: word, By: process.Operator()}); err != nil {
		return fmt.Errorf("the posture stays: it cannot be put on record: %w", err)
	}
	parts.core.Policy.SetPosture(posture)
	return nil
}

// openWindow opens or closes the timed window, on record.
func (d *Controller) openWindow(ctx context.Context, length time.Duration) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	h := parts.core
	if err := h.Policy.OpenWindow(length); err != nil {
		return err
	}
	if err := h.Ledger.Note(ledger.Note{Kind: "window", Text: length.String(), By: process.Operator()}); err != nil {
		return errors.Join(fmt.Errorf("the window stays closed: it cannot be put on record: %w", err), h.Policy.OpenWindow(0))
	}
	return nil
}
