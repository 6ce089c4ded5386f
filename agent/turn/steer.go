package turn

import (
	"context"
	"errors"
	"sync"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
)

// ErrIdle: there is no turn that could be steered.
var ErrIdle = errors.New("nothing is running")

// inbox holds what the operator says to a running turn until its next step.
type inbox struct {
	mu       sync.Mutex
	closed   bool
	messages []string
	turn     *turn
	compact  bool // the model wants the conversation compacted
}

// Steer says something to the model while it works: it goes in with the next
// request of the conversation's turn, behind the results of the calls that are
// under way. Steered tells when it does. The error is ErrIdle if no turn runs.
// What a turn does not come to any more is dropped without a Steered.
func (a *Agent) Steer(conversation, text string) error {
	a.mu.Lock()
	in := a.busy[conversation]
	a.mu.Unlock()
	if in == nil || !in.put(text) {
		return ErrIdle
	}
	return nil
}

func (in *inbox) put(text string) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.closed {
		return false
	}
	in.messages = append(in.messages, text)
	return true
}

func (in *inbox) take() []string {
	in.mu.Lock()
	defer in.mu.Unlock()
	messages := in.messages
	in.messages = nil
	return messages
}

// waiting reports whether something was said. If nothing was, nothing can be any
// more: the turn is about to end.
func (in *inbox) waiting() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = len(in.messages) == 0
	return !in.closed
}

// steer takes in what the operator has said since the last step.
func (t *turn) steer(ctx context.Context) error {
	for _, text := range t.inbox.take() {
		text = t.secrets().Text(text)
		if err := t.mayHear(ctx, text); err != nil {
			t.fault(err)
			continue
		}
		if err := t.add(ctx, history.Message{Role: history.Steer, Content: text}); err != nil {
			return err
		}
		t.notify(agent.Steered{Text: text})
	}
	return nil
}
