package controller

import (
	"context"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
)

// tendCage has what holds commands on a target ready before the first command needs it,
// and shows what it is.
func (d *Controller) tendCage(ctx context.Context, h *app.Core, s *targets.Target) {
	if h.Policy.Cages(s.Name()).Cage == policy.CageOff {
		return
	}
	_, _ = s.Cage.Cage(ctx) // what came of it is asked for by holding
	if ctx.Err() == nil && !s.Dropped() {
		d.targetsChanged()
	}
}

// holding says in words what holds looks on a target, and whether anything does; no words
// while that is not known.
func holding(h *app.Core, s *targets.Target) (words string, held bool) {
	if h.Policy.Cages(s.Name()).Cage == policy.CageOff {
		return `looks are not held: [policy] cage is "off"`, false
	}
	wall, known, err := s.Cage.Known()
	switch {
	case !known:
		return "", false
	case err != nil:
		return "looks are not held: " + err.Error(), false
	}
	return wall.Holds(), true
}

// heldReport are the lines of /status about what holds looks on each target.
func heldReport(h *app.Core, open []*targets.Target) []string {
	var lines []string
	for _, s := range open {
		words, _ := holding(h, s)
		if words == "" {
			words = "it is not known yet whether looks are held"
		}
		lines = append(lines, "held     "+s.Name()+": "+words)
	}
	return lines
}
