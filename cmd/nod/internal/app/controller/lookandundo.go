package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/tools"
)

// previews reports whether there is anything to look at.
func (d *Controller) previews(r policy.Request) bool { return app.CanLook(r) }

// preview looks around before r is decided.
func (d *Controller) preview(ctx context.Context, r policy.Request) []policy.Look {
	parts, err := d.ready(ctx)
	if err != nil {
		return []policy.Look{{Title: "it failed", Note: err.Error()}}
	}
	return parts.core.LookAround(ctx, r)
}

// tries reports whether what r asks about can be run held.
func (d *Controller) tries(r policy.Request) bool {
	h := d.core()
	return h != nil && h.CanTry(r)
}

// try runs what r asks about where it can change nothing.
func (d *Controller) try(ctx context.Context, r policy.Request) []policy.Look {
	parts, err := d.ready(ctx)
	if err != nil {
		return []policy.Look{{Title: "it failed", Note: err.Error()}}
	}
	return parts.core.Try(ctx, r)
}

// standing reports whether the pane of an action is as it was when the action
// was planned, and nobody has typed there since.
func (d *Controller) standing(ctx context.Context, a tools.Action, since time.Time) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	if err := parts.core.Guard.Standing(ctx, a); err != nil {
		return err
	}
	open, _ := parts.core.Targets.List()
	for _, s := range open {
		for _, p := range s.List() {
			if into(a, p.Target(), p.ID()) && p.OperatorTyped().After(since) {
				return fmt.Errorf("somebody has typed in the pane on %s since the action was planned", p.Target())
			}
		}
	}
	return nil
}

// into reports whether an action goes into a pane.
func into(a tools.Action, target, pane string) bool {
	return a.Target == target && a.Pane == pane ||
		slices.ContainsFunc(a.Parts, func(p tools.Action) bool { return p.Target == target && p.Pane == pane })
}

// undoable are lines about what can be taken back, the last thing first.
func (d *Controller) undoable(ctx context.Context) ([]string, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return nil, err
	}
	all, err := parts.core.Undo.List()
	if err != nil {
		return nil, err
	}
	const most = 20
	var lines []string
	for _, e := range all[:min(len(all), most)] {
		lines = append(lines, fmt.Sprintf("%s  %s  %s", e.Time.Local().Format(time.DateTime), e.Target, e.Describe()))
	}
	if len(all) > most {
		lines = append(lines, fmt.Sprintf("and %d more", len(all)-most))
	}
	return lines, nil
}

// undo takes back what was done last. The operator is asked like for anything
// else.
func (d *Controller) undo(ctx context.Context) (string, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return "", err
	}
	h := parts.core
	e, mine, err := h.Undo.Last()
	if err != nil {
		return "", err
	}
	a, err := h.PlanUndo(ctx, e)
	if errors.Is(err, app.ErrAsBefore) {
		return fmt.Sprintf("%s is as it was before: nothing to take back", e.Path), h.Undo.Drop(e.ID)
	}
	if err != nil {
		return "", err
	}
	if e.Unless != "" {
		d.screen.Notify("this takes it back, unless " + e.Unless)
	}
	if !mine {
		d.screen.Notify("this was done by another nod, or an earlier one, at " + e.Time.Local().Format(time.DateTime))
	}
	d.mu.Lock()
	talk := d.conversationID
	d.mu.Unlock()
	var output string
	answer := h.Gate.Pass(ctx, gate.Step{
		Action: a, Conversation: talk, Operator: true,
		Execute: func(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
			if a.Kind == tools.Write {
				return h.WriteBack(ctx, a, env)
			}
			ctx, cancel := context.WithTimeout(ctx, app.UndoTime)
			defer cancel()
			var record tools.Record
			var err error
			output, record, err = app.Execute(ctx, h, a, env.Grant, app.KeepRevert)
			return tools.Result{Record: record}, err
		},
	}, nil)
	record := answer.Result.Record
	switch {
	case answer.Interrupted:
		return "", errors.New("interrupted")
	case answer.Err != nil:
		return "", answer.Err
	case answer.Denied:
		return "not taken back: " + e.Describe(), nil
	case record.Failed != "":
		return "", errors.New(record.Failed)
	case record.Outcome != backends.ExitedWith(0):
		return "", fmt.Errorf("%s: %s", record.Outcome, strings.TrimSpace(output))
	}
	return "taken back: " + e.Describe(), h.Undo.Drop(e.ID)
}
