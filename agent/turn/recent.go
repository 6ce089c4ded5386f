package turn

import (
	"context"
	"slices"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/taint"
)

// recent is a conversation as a turn has left it, so that the next one need not read
// and take apart all of it again.
type recent struct {
	id       string
	messages []history.Message
	seen     *taint.Memory
	foreign  []string // what seen was told of other conversations, before all else
}

// leave keeps a conversation for its next turn.
func (t *turn) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = &recent{t.id, t.messages, t.seen, t.foreign}
}

// recent is the conversation as the turn before has left it, if nobody has added to it
// since; else nil. The turn has it alone from then on.
func (t *turn) recent(ctx context.Context, foreign []string) *recent {
	t.mu.Lock()
	r := t.last
	t.last = nil
	t.mu.Unlock()
	if r == nil || r.id != t.id || r.seen == nil || !slices.Equal(r.foreign, foreign) {
		return nil
	}
	if n, err := t.cfg.History.Count(ctx, t.id); err != nil || n != len(r.messages) {
		return nil
	}
	return r
}
