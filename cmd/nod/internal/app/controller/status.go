package controller

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// report is the lines of /status.
func (d *Controller) report(ctx context.Context) []string {
	parts, err := d.ready(ctx)
	if err != nil {
		return []string{err.Error()}
	}
	h := parts.core
	lines := []string{
		"tools    " + strings.Join(toolNames(h), ", "),
		"record   " + config.LedgerDir(h.State) + ", " + config.RecordingsDir(h.State),
		"config   " + d.Config.Path(),
	}
	if state, _ := app.RecordState(h); state != "" {
		lines = append(lines, "         "+state)
	}
	if pace := h.Policy.Pace(); pace.Approvals > 0 {
		lines = append(lines, fmt.Sprintf("approved %d in the last hour; the median of the time to decide is %s", pace.Approvals, pace.Median.Round(100*time.Millisecond)))
	}
	if window := h.Policy.Window(); window > 0 {
		lines = append(lines, "window   open for "+window.Round(time.Second).String())
	}
	lines = append(lines, d.engineReport(h)...)
	lines = append(lines, serversReport(h.Servers)...)
	for _, s := range h.Hooks.Statuses() {
		lines = append(lines, "hook     "+s.Line())
	}
	lines = append(lines, pluginsReport(h.Plugins)...)
	open, _ := h.Targets.List()
	lines = append(lines, heldReport(h, open)...)
	for _, s := range open {
		for _, p := range s.List() {
			lines = append(lines, fmt.Sprintf("pane     %s %s %s/%s: %s", s.Name(), p.ID(), p.Session(), p.Name(), p.Attach()))
			if err := p.Degraded(); err != nil {
				lines = append(lines, "         "+err.Error())
			}
		}
	}
	return lines
}

func toolNames(h *app.Core) []string {
	var names []string
	for _, t := range h.Tools.All() {
		names = append(names, t.Name())
	}
	return names
}
