package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/memory"
	"github.com/nod-console/nod/ui/console"
)

// pastShown is how many conversations can be chosen from.
const pastShown = 200

// past is what the console can do with earlier conversations.
func (d *station) past() *console.Past {
	return &console.Past{Find: d.findPast, Resume: d.resume, Prompts: d.prompts, Fork: d.fork, Memory: d.memory}
}

func (d *station) present() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.talk
}

func (d *station) findPast(ctx context.Context, text string) ([]console.Held, error) {
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

func (d *station) prompts(ctx context.Context) ([]console.Said, error) {
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
func (d *station) fork(ctx context.Context, before int, prompt func(string), sink agent.Sink) error {
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
	d.talk = c.ID
	d.mu.Unlock()
	agent.Replay(said, prompt, sink)
	return nil
}

// memory is the lines of /memory.
func (d *station) memory(ctx context.Context, words string) ([]string, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return nil, err
	}
	if word, id, _ := strings.Cut(words, " "); word == "strike" && id != "" {
		p, err := d.store.Strike(ctx, strings.TrimSpace(id), false)
		if err != nil {
			return nil, err
		}
		return []string{"struck: " + p.Step.Tool + " " + printable(p.Step.Action)}, nil
	}
	if words != "" {
		return nil, fmt.Errorf("%q: want nothing, or strike and an ID", words)
	}
	now := d.present()
	return parts.house.knownLines(ctx, d.store, now, parts.turns.Told(now))
}

// knownLines is what is remembered for the present conversation and target.
func (h *house) knownLines(ctx context.Context, store *history.Store, conversation, told string) ([]string, error) {
	target := h.sites.current()
	m := h.known.memory
	var lines []string
	entries := func(title string, found []memory.Entry) {
		if len(found) == 0 {
			return
		}
		lines = append(lines, title)
		for _, e := range found {
			text := "  " + e.ID + "  " + printable(e.Text)
			if e.Origin != memory.Operator {
				text += " [" + string(e.Origin) + "]"
			}
			lines = append(lines, text)
		}
	}
	noted, err := m.Noted(ctx, conversation)
	if err != nil {
		return nil, err
	}
	entries("this conversation", noted)
	for _, scope := range []memory.Scope{memory.Project, memory.Global} {
		found, err := m.Entries(scope, target)
		if err != nil {
			return nil, err
		}
		entries(string(scope)+" ("+m.Path(scope, target)+")", found)
	}
	patterns, err := store.Patterns(ctx, target, false)
	if err != nil {
		return nil, err
	}
	if len(patterns) > 0 {
		lines = append(lines, "patterns on "+target)
	}
	for _, p := range patterns[:min(len(patterns), 20)] {
		lines = append(lines, fmt.Sprintf("  %s  %s %s, in %d turns", p.ID, p.Step.Tool, printable(p.Step.Action), p.Turns))
	}
	if f := h.known.allowed(); !f.Empty() {
		lines = append(lines, "read in "+f.Dir+", as you allowed")
		for _, file := range f.Files {
			lines = append(lines, "  "+printable(file.Name))
		}
	}
	if told != "" {
		lines = append(lines, "told to the model in the last turn", indent(told))
	}
	if len(lines) == 0 {
		lines = []string{"nothing is remembered yet; nod memory edit writes something down"}
	}
	return lines, nil
}

func indent(text string) string { return "  " + strings.ReplaceAll(printable(text), "\n", "\n  ") }
