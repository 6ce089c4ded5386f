package overview

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/ui/screen"
	"github.com/nod-console/nod/ui/targets"
)

// Lines says in a line for each target how it stands, what needs a person first, without
// anything that must be seen: for screen readers, logs and models.
func Lines(tiles []Tile, now time.Time) []string {
	o := New(func() time.Time { return now })
	o.Set(tiles)
	lines := make([]string, len(o.all))
	for i := range o.all {
		lines[i] = o.sentence(&o.all[i], now)
	}
	return lines
}

// sentence is all of a tile in a line.
func (o *Overview) sentence(t *Tile, now time.Time) string {
	words := []string{t.Name}
	if t.Trust != "" {
		words[0] += " (" + t.Trust + ")"
	}
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if state := (targets.Target{State: t.State, Word: t.Word}).Standing(); state != "" {
		add("%s", state)
	}
	if t.Detail != "" {
		add("%s", t.Detail)
	}
	for _, a := range t.Approvals {
		add("waits for your nod: %s", oneLine(a.What))
	}
	if t.Asks != "" {
		add("asks: %s", t.Asks)
	}
	for _, g := range t.gauges() {
		switch {
		case !g.Known:
		case g.level() == alarming:
			add("DANGER %s %s", spoken(g.name), g.Text)
		default:
			add("%s %s", spoken(g.name), g.Text)
		}
	}
	if !slices.ContainsFunc(t.gauges(), func(g gauge) bool { return g.Known }) {
		add("%s", strings.TrimSuffix("no figures: "+t.Silent, ": "))
	}
	if t.Latency > 0 {
		add("answers in %s", targets.Latency(t.Latency))
	}
	if t.Running != "" {
		add("runs for %s", o.running(t))
	}
	if t.Last.Command != "" {
		add("last command %s, %s: %s", t.Last.Outcome, ago(now.Sub(t.Last.At)), oneLine(t.Last.Command))
	}
	return screen.Clean(strings.Join(words, ", "))
}

func spoken(name string) string {
	if name == "mem" {
		return "memory"
	}
	return name
}
