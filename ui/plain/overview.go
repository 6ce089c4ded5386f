package plain

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/ui/overview"
)

// overview asks all connected targets how they do, and says of each how it stands.
func (c *Conversation) overview(ctx context.Context) {
	if c.opt.Overview == nil || c.opt.Overview.Look == nil {
		c.Fail("/overview: not available here", "")
		return
	}
	c.turn(ctx, func(ctx context.Context) error {
		tiles, err := c.opt.Overview.Look(ctx)
		if err != nil {
			return fmt.Errorf("/overview: %w", err)
		}
		lines := overview.Lines(tiles, c.now())
		head := fmt.Sprintf("%d connected targets, what needs you first:", len(tiles))
		c.out.say(note, strings.Join(append([]string{head}, lines...), "\n"))
		return nil
	})
}

func (c *Conversation) now() time.Time {
	if c.opt.Now != nil {
		return c.opt.Now()
	}
	return time.Now()
}
