package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/agent"
)

// digest is a summary that stands for earlier messages, folded unless opened.
type digest struct {
	fixed
	event agent.Compaction
	open  bool
}

func newDigest(e agent.Compaction) *digest { return &digest{event: e} }

func (b *digest) layout(width int, _ time.Time) int {
	return b.set(width, func() []line {
		head := fmt.Sprintf("compacted · a summary stands for %d messages", b.event.Messages)
		if b.event.Before > 0 {
			head += fmt.Sprintf(" · context %d %% → %d %%", b.event.Before, b.event.After)
		}
		if b.event.Own {
			head += " · without the model"
		}
		lines := prefixed(wrap([]span{{text: head, tone: muted}}, width-gutter),
			span{text: sign(b.open), tone: muted}, span{text: margin})
		if b.open {
			in := span{text: margin}
			body := wrap([]span{{text: strings.TrimSpace(b.event.Summary)}}, width-gutter)
			lines = append(lines, prefixed(body, in, in)...)
		}
		return lines
	})
}

func (b *digest) raw() string { return b.event.Summary }
func (b *digest) fold() bool  { b.open = !b.open; b.stale(); return true }
