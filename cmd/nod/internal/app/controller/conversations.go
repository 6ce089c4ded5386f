package controller

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/screen"
	"github.com/nod-console/nod/ui/timeline"
)

// pastShown is how many conversations can be chosen from.
const pastShown = 200

// past is what the console can do with earlier conversations.
func (d *Controller) past() *console.Past {
	return &console.Past{Find: d.findPast, Resume: d.resume, Prompts: d.prompts, Fork: d.fork, Memory: d.memory}
}

func (d *Controller) present() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.conversationID
}

// runs are what ran in the present conversation.
func (d *Controller) runs(ctx context.Context) ([]timeline.Run, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return nil, err
	}
	return parts.core.Runs.List(d.present())
}

func (d *Controller) findPast(ctx context.Context, text string) ([]console.Held, error) {
	now := d.present()
	var found []console.Held
	if text == "" {
		all, err := d.store.List(ctx, pastShown)
		for _, c := range all {
			if c.Agent != "" {
				continue // nod history list has them
			}
			found = append(found, console.Held{
				ID: c.ID, Title: c.Title, Target: c.Target, When: c.Updated, InUse: c.ID == now || c.InUse,
			})
		}
		return found, err
	}
	hits, err := d.store.Search(ctx, text, pastShown)
	known := map[string]bool{}
	for _, h := range hits {
		if known[h.Conversation] {
			continue
		}
		known[h.Conversation] = true
		c, err := d.store.Get(ctx, h.Conversation)
		if errors.Is(err, history.ErrNotFound) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		if c.Agent != "" {
			continue
		}
		found = append(found, console.Held{
			ID: c.ID, Title: c.Title, Excerpt: h.Excerpt, Target: c.Target, When: h.Time, InUse: c.ID == now || c.InUse,
		})
	}
	return found, err
}

func (d *Controller) prompts(ctx context.Context) ([]console.Said, error) {
	now := d.present()
	if now == "" {
		return nil, nil
	}
	messages, err := d.store.Load(ctx, now)
	var said []console.Said
	for _, m := range messages {
		if m.Role == history.User {
			said = append(said, console.Said{Place: m.Place, Text: m.Content, When: m.Time})
		}
	}
	return said, err
}

// fork goes on in a copy of the present conversation, with what was said before a
// message.
func (d *Controller) fork(ctx context.Context, before int, prompt func(string), sink agent.Sink) error {
	now := d.present()
	if now == "" {
		return errors.New("nothing was said yet")
	}
	if before <= 1 {
		return d.newConversation(ctx)
	}
	c, said, err := d.store.Fork(ctx, now, before-1)
	if err != nil {
		return err
	}
	if err := d.newConversation(ctx); err != nil {
		return errors.Join(err, d.store.Delete(ctx, c.ID))
	}
	d.mu.Lock()
	d.conversationID = c.ID
	d.mu.Unlock()
	agent.Replay(said, prompt, sink)
	return nil
}

// memory is the lines of /memory.
func (d *Controller) memory(ctx context.Context, words string) ([]string, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return nil, err
	}
	if word, id, _ := strings.Cut(words, " "); word == "strike" && id != "" {
		p, err := d.store.Strike(ctx, strings.TrimSpace(id), false)
		if err != nil {
			return nil, err
		}
		return []string{"struck: " + p.Step.Tool + " " + screen.CleanLines(p.Step.Action)}, nil
	}
	if words != "" {
		return nil, fmt.Errorf("%q: want nothing, or strike and an ID", words)
	}
	now := d.present()
	return parts.core.MemoryLines(ctx, d.store, now, parts.turns.Recalled(now))
}
