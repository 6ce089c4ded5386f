package app

import (
	"context"
	"strings"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools"
)

// CanTry reports whether what r asks about may be run held before it is decided. It does
// not ask the target.
func (h *Core) CanTry(r policy.Request) bool {
	a, _ := first(r.Action)
	return (a.Kind == tools.Exec || a.Kind == tools.Run) && a.Wall == confine.None && len(a.Inside) == 0 && h.Guard.CanClose(a.Target)
}

// Try runs what r asks about in a closed cage, without a pane, to see what it would do: it
// can change nothing, connect nowhere and open no file that holds secrets. It is recorded
// like any look before a decision.
func (h *Core) Try(ctx context.Context, r policy.Request) []policy.Look {
	a, where := first(r.Action)
	l := policy.Look{Title: "nothing holds commands on " + a.Target}
	cage := h.Guard.Cage(ctx, a.Target)
	if cage == nil || cage.For(confine.Closed) == confine.None {
		l.Note = "it was not run"
		return []policy.Look{l}
	}
	wall := cage.For(confine.Closed)
	l.Title = "it ran where it can change nothing (" + wall.String() + ")" + where
	h.runLook(ctx, &l, tools.Action{
		Tool: "preview", Kind: tools.Exec, Target: a.Target, User: a.User, Dir: a.Dir, Command: a.Command, Dialect: a.Dialect,
		Stdin: a.Stdin, Wall: wall, Grants: confine.Closed, Wait: lookTime,
	})
	if what := confine.Refusals(l.Output); what != "" {
		output := strings.TrimRight(l.Output, "\n")
		l.Output = strings.TrimRight(output[:strings.LastIndex(output, confine.Refused)], "\r\n")
		l.Note = strings.TrimPrefix(l.Note+"; the cage refused: "+what, "; ")
	}
	return []policy.Look{l}
}
