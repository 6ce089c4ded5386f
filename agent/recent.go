package agent

import (
	"context"
	"slices"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/taint"
)

// recent is a conversation as a turn has left it, so that the next one need not read
// and take apart all of it again.
type recent struct {
	id      string
	said    []history.Message
	seen    *taint.Memory
	foreign []string // what seen was told of other conversations, before all else
}

// counter is a Store that can say cheaply how many messages a conversation has.
type counter interface {
	Count(ctx context.Context, conversation string) (int, error)
}

var _ counter = (*history.Store)(nil)

// leave keeps a conversation for its next turn.
func (t *turn) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = &recent{t.id, t.said, t.seen, t.foreign}
}

// recent is the conversation as the turn before has left it, if nobody has added to it
// since; else nil. The turn has it alone from then on.
func (t *turn) recent(ctx context.Context, foreign []string) *recent {
	t.mu.Lock()
	r := t.last
	t.last = nil
	t.mu.Unlock()
	c, ok := t.cfg.History.(counter)
	if r == nil || !ok || r.id != t.id || r.seen == nil || !slices.Equal(r.foreign, foreign) {
		return nil
	}
	if n, err := c.Count(ctx, t.id); err != nil || n != len(r.said) {
		return nil
	}
	return r
}
