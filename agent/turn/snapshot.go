package turn

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/nod-console/nod/agent/briefing"
	"github.com/nod-console/nod/agent/model"
)

// withSnapshot adds the terminal's snapshot to a request. It is part of this request
// alone: the next one has another snapshot, and the history has none.
func (t *turn) withSnapshot(ctx context.Context, to Model, messages []model.Message) []model.Message {
	if t.cfg.Snapshot == nil || to.Plain {
		return messages
	}
	s := t.cfg.Snapshot(ctx)
	s.Text = strings.TrimRight(t.secrets().Text(s.Text), " \n")
	if strings.TrimSpace(s.Text) == "" {
		return messages
	}
	t.seen.Printed(s.Text)
	if t.mark == "" {
		t.mark = strings.ToLower(rand.Text()[:12])
	}
	return briefing.WithSnapshot(messages, s, t.mark, to.ContextLimit)
}
