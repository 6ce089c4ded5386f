package plain

import (
	"context"
	"fmt"
	"strings"

	"github.com/nod-console/nod/ui/screen"
)

// past lists earlier conversations, and how to go on with one.
func (c *Conversation) past(ctx context.Context, text string) {
	if c.opt.Past == nil {
		c.Fail("/history: not available here", "")
		return
	}
	found, err := c.opt.Past.Find(ctx, text)
	if err != nil {
		c.Fail("/history: "+err.Error(), "")
		return
	}
	if len(found) == 0 {
		c.out.say(note, "nothing was found")
		return
	}
	var lines []string
	for _, h := range found {
		line := fmt.Sprintf("%s  %s  %s  %s", h.ID, h.When.Local().Format("2006-01-02 15:04"), h.Target, screen.Clean(h.Title))
		if h.Excerpt != "" {
			line += ": " + screen.Clean(h.Excerpt)
		}
		lines = append(lines, line)
	}
	c.out.say(note, strings.Join(append(lines, "nod --plain --resume=ID goes on with one."), "\n"))
}

// memory shows what is remembered, or does what the words say.
func (c *Conversation) memory(ctx context.Context, words string) {
	if c.opt.Past == nil {
		c.Fail("/memory: not available here", "")
		return
	}
	lines, err := c.opt.Past.Memory(ctx, words)
	if err != nil {
		c.Fail("/memory: "+err.Error(), "/memory shows the IDs")
		return
	}
	c.out.say(note, strings.Join(lines, "\n"))
}
