package guard

import (
	"context"

	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk/typed"
)

// readable is a pane that can say which program reads its keys.
type readable interface {
	Reading(ctx context.Context) pane.Reading
}

var _ readable = keptPane{}

// LookInto is Look, and says besides which program reads the keys where no shell waits for a
// command, and what stands on its line. That costs a process on the target.
func (g *Guard) LookInto(ctx context.Context, target, session, name string) (State, error) {
	p, err := g.place(target)
	if err != nil {
		return State{}, err
	}
	at, err := find(ctx, p, session, name)
	if err != nil {
		return State{}, err
	}
	s, err := at.Look(ctx)
	if err != nil {
		return State{}, err
	}
	return into(ctx, at, s), nil
}

// into adds to a state which program reads the keys.
func into(ctx context.Context, at Pane, s State) State {
	r, ok := at.(readable)
	if !ok || s.AtPrompt {
		return s
	}
	program := typed.Recognize(evidence(r.Reading(ctx), s.Busy))
	s.Program, s.Pending = program.Program, program.Pending
	return s
}

// evidence is what a reading of a pane says, for package typed.
func evidence(r pane.Reading, tracked string) typed.Evidence {
	e := typed.Evidence{Tracked: tracked, Screen: typed.Screen{
		Line: r.Line, Behind: r.Behind, Above: r.Above, Last: r.Last, Bottom: r.Rows > 0 && r.Row == r.Rows-1, Alternate: r.Alternate,
	}}
	for _, p := range r.Group {
		e.Group = append(e.Group, typed.Process{PID: p.PID, Parent: p.Parent, Name: p.Name, File: p.File, Own: p.Own, Argv: p.Argv})
	}
	return e
}

// still checks that the program which a's keys were planned for reads them now, and that its
// line is as it was: the error is a ChangedError otherwise.
func still(ctx context.Context, at Pane, a tools.Action, now State) error {
	if a.Program == "" {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	now = into(ctx, at, now)
	return same([]ChangedError{
		{paneProgram, a.Program, now.Program},
		{"what stands on its line", a.Pending, now.Pending},
	})
}
