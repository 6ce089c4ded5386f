package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/ui/console"
)

// roster are the models that can answer: those of the configuration, those of a
// local server that was found, and the guide.
type roster struct {
	config *config.Config
	getenv func(string) string
	local  []model.Local
}

// open makes the brain of a profile, of a local server's model, or the guide.
func (r roster) open(name string) (brain, error) {
	if m, ok := r.config.Models[name]; ok {
		return openProfile(name, m, r.getenv)
	}
	if name == guideName {
		return openGuide()
	}
	for _, l := range r.local {
		if slices.Contains(l.Models, name) {
			client, err := model.New(model.Config{BaseURL: l.BaseURL, Model: name})
			return brain{client: client, name: name}, err
		}
	}
	return brain{}, fmt.Errorf("there is no model %q", name)
}

// list is a line for each model; present is the name of the one that answers.
func (r roster) list(present string) []string {
	var lines []string
	line := func(name, detail string) {
		mark := "  "
		if name == present {
			mark = "▸ "
		}
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%s%-16s %s", mark, name, detail), " "))
	}
	for _, name := range slices.Sorted(maps.Keys(r.config.Models)) {
		m := r.config.Models[name]
		line(name, m.Model+" at "+m.BaseURL)
	}
	for _, l := range r.local {
		for _, name := range l.Models {
			if _, taken := r.config.Models[name]; !taken {
				line(name, "at "+l.BaseURL+" (runs on this machine)")
			}
		}
	}
	line(guideName, "built in: rules, no language model")
	return lines
}

// discover looks for a local model server if no model is configured, and offers
// what it finds.
func (d *station) discover(ctx context.Context) {
	addresses := strings.Fields(d.config.Agent.Discover)
	if !d.brain.guide || len(addresses) == 0 {
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

func (d *station) roster() roster {
	d.mu.Lock()
	defer d.mu.Unlock()
	return roster{config: d.config, getenv: d.app.getenv, local: d.local}
}

func (d *station) listModels(ctx context.Context) ([]string, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return nil, err
	}
	lines := d.roster().list(parts.turns.Brain().Name)
	return append(lines, "/model NAME: another one answers, from the next request on"), nil
}

// useModel lets another model answer. The one before is closed with nod: a request
// of its may still run.
func (d *station) useModel(ctx context.Context, name string) (console.ModelStatus, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return console.ModelStatus{}, err
	}
	b, err := d.roster().open(name)
	if err != nil {
		return console.ModelStatus{}, err
	}
	d.mu.Lock()
	d.used = append(d.used, b)
	talk := d.talk
	d.mu.Unlock()
	parts.turns.Use(b.brain())
	status := console.ModelStatus{Name: b.shown(), Limit: b.client.ContextLimit()}
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
func (d *station) closeModels() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.brain.client.Close()
	for _, b := range d.used {
		b.client.Close()
	}
}

// steer says something to the turn that runs.
func (d *station) steer(ctx context.Context, text string) error {
	turns, talk, err := d.talking(ctx)
	if err != nil {
		return err
	}
	return turns.Steer(talk, text)
}

// compact has the conversation compacted.
func (d *station) compact(ctx context.Context, sink agent.Sink) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	d.mu.Lock()
	talk := d.talk
	d.mu.Unlock()
	if talk == "" {
		return errors.New("/compact: nothing was said yet")
	}
	parts.turns.Compact(ctx, talk, sink)
	return nil
}

// measured tells how full the context is that the conversation is sent in.
func (d *station) measured(ctx context.Context, sink agent.Sink) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	d.mu.Lock()
	talk := d.talk
	d.mu.Unlock()
	m, err := parts.turns.Measure(ctx, talk)
	if err != nil {
		return err
	}
	sink(agent.Usage{Context: m.Percent, Limit: m.Limit})
	return nil
}

// contextLines are the lines of /context.
func (d *station) contextLines(ctx context.Context) ([]string, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	talk := d.talk
	d.mu.Unlock()
	m, err := parts.turns.Measure(ctx, talk)
	if err != nil {
		return nil, err
	}
	return meterLines(parts.turns.Brain(), m), nil
}

func meterLines(b agent.Brain, m agent.Meter) []string {
	head := thousands(m.Used()) + " tokens"
	if m.Limit > 0 {
		head += fmt.Sprintf(" of %s, %d %%", thousands(m.Limit), m.Percent)
	} else {
		head += "; the model's limit is not known: set context_limit"
	}
	name := b.Name
	if c, ok := b.Model.(*model.Client); ok && !b.Plain {
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

// picture is what the pane shows in which the model works.
func (h *house) picture(context.Context) agent.Picture {
	current := h.sites.current()
	open, _ := h.sites.list()
	for _, s := range open {
		if s.name() != current {
			continue
		}
		panes := s.list()
		at := slices.IndexFunc(panes, isShared)
		if at < 0 && len(panes) > 0 {
			at = 0 // the operator's own
		}
		if _, wrong := s.link(); at < 0 || wrong != "" {
			return agent.Picture{}
		}
		screen := panes[at].Screen()
		if screen == nil {
			return agent.Picture{}
		}
		var text strings.Builder
		for y := range screen.Size.Rows {
			text.WriteString(screen.RowText(y) + "\n")
		}
		return agent.Picture{Target: current, Pane: panes[at].ID(), Text: text.String()}
	}
	return agent.Picture{}
}
