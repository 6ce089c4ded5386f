package controller

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/ui/console"
)

// discover looks for a local model server if no model is configured, and offers
// what it finds.
func (d *Controller) discover(ctx context.Context) {
	addresses := strings.Fields(d.Config.Agent.Discover)
	if !d.brain.IsGuide || len(addresses) == 0 {
		return
	}
	found := model.Discover(ctx, addresses...)
	if len(found) == 0 || ctx.Err() != nil {
		return
	}
	d.mu.Lock()
	d.local = found
	d.mu.Unlock()
	for _, l := range found {
		d.screen.Notify(fmt.Sprintf("A model server runs on this machine, at %s: %s. /model %s lets it answer.",
			l.BaseURL, several(l.Models), l.Models[0]))
	}
}

// several are the first of many names.
func several(names []string) string {
	const shown = 4
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

func (d *Controller) roster() app.ModelList {
	d.mu.Lock()
	defer d.mu.Unlock()
	return app.ModelList{Config: d.Config, Getenv: d.Sys.Getenv, Local: d.local}
}

func (d *Controller) listModels(ctx context.Context) ([]string, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return nil, err
	}
	lines := d.roster().List(parts.turns.Model().Name)
	return append(lines, "/model NAME: another one answers, from the next request on"), nil
}

// useModel lets another model answer. The one before is closed with nod: a request
// of its may still run.
func (d *Controller) useModel(ctx context.Context, name string) (console.ModelStatus, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return console.ModelStatus{}, err
	}
	b, err := d.roster().Open(name)
	if err != nil {
		return console.ModelStatus{}, err
	}
	d.mu.Lock()
	d.used = append(d.used, b)
	talk := d.conversationID
	d.mu.Unlock()
	parts.turns.Use(b.ForTurn())
	status := console.ModelStatus{Name: b.ShownName(), Limit: b.Client.ContextLimit()}
	if talk != "" {
		m, err := parts.turns.Measure(ctx, talk)
		if err != nil {
			return status, err
		}
		status.Context = m.Percent
	}
	return status, nil
}

// closeModels lets go of the models that were used.
func (d *Controller) closeModels() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.brain.Client.Close()
	for _, b := range d.used {
		b.Client.Close()
	}
}

// steer says something to the turn that runs.
func (d *Controller) steer(ctx context.Context, text string) error {
	turns, talk, err := d.talking(ctx)
	if err != nil {
		return err
	}
	return turns.Steer(talk, text)
}

// compact has the conversation compacted.
func (d *Controller) compact(ctx context.Context, sink agent.Sink) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	d.mu.Lock()
	talk := d.conversationID
	d.mu.Unlock()
	if talk == "" {
		return errors.New("/compact: nothing was said yet")
	}
	parts.turns.Compact(ctx, talk, sink)
	return nil
}

// measured tells how full the context is that the conversation is sent in.
func (d *Controller) measured(ctx context.Context, sink agent.Sink) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	d.mu.Lock()
	talk := d.conversationID
	d.mu.Unlock()
	m, err := parts.turns.Measure(ctx, talk)
	if err != nil {
		return err
	}
	sink(agent.Usage{Context: m.Percent, Limit: m.Limit})
	return nil
}

// contextLines are the lines of /context.
func (d *Controller) contextLines(ctx context.Context) ([]string, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	talk := d.conversationID
	d.mu.Unlock()
	m, err := parts.turns.Measure(ctx, talk)
	if err != nil {
		return nil, err
	}
	return meterLines(parts.turns.Model(), m), nil
}

func meterLines(b turn.Model, m turn.Meter) []string {
	head := thousands(m.Used()) + " tokens"
	if m.Limit > 0 {
		head += fmt.Sprintf(" of %s, %d %%", thousands(m.Limit), m.Percent)
	} else {
		head += "; the model's limit is not known: set context_limit"
	}
	name := b.Name
	if c, ok := b.Client.(*model.Client); ok && !b.Plain {
		name = c.Name()
	}
	lines := []string{"context of " + name + ": " + head}
	part := func(word string, n int) {
		if n > 0 {
			lines = append(lines, fmt.Sprintf("  %-24s %9s", word, thousands(n)))
		}
	}
	part("nod's prompt", m.System)
	part("tools", m.Tools)
	part(fmt.Sprintf("%d messages", m.Messages), m.Said)
	part("reasoning of this turn", m.Thought)
	part("kept free for the answer", m.Reserve)
	if m.Left > 0 {
		lines = append(lines, fmt.Sprintf("a summary stands for the first %d messages; they are still in nod history show", m.Left))
	}
	if m.Priced {
		lines = append(lines, fmt.Sprintf("cost of this conversation since nod was started: $%.4f", m.Cost))
	}
	if limits := m.Limits.String(); limits != "" {
		lines = append(lines, "the server takes: "+limits)
	}
	return lines
}

// thousands is a number as people read it: 12,400.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
