package turn

import (
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/redact"
)

// secrets are those of the turn's conversation.
func (t *turn) secrets() *redact.Vault { return t.cfg.Gate.Secrets(t.id) }

// adopt keeps the placeholders of an earlier process from getting new meanings.
func adopt(v *redact.Vault, messages []history.Message) {
	for _, m := range messages {
		v.Adopt(m.Content)
		v.Adopt(m.Reasoning)
		for _, c := range m.Calls {
			v.Adopt(c.Arguments)
		}
	}
}
