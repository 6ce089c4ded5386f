package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/undo"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/files"
)

// undoTool is the Tool of actions that take something back.
const undoTool = "undo"

// undoTime bounds a command that takes something back.
const undoTime = time.Minute

// did takes note of what can be taken back.
func (h *house) did(a tools.Action) {
	if a.Tool == undoTool || a.Target == tools.Desk {
		return
	}
	if err := h.undo.Did(a); err != nil && h.warn != nil {
		h.warn("/undo will not know of this: " + err.Error())
	}
}

// undoable are lines about what can be taken back, the last thing first.
func (d *station) undoable(ctx context.Context) ([]string, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return nil, err
	}
	all, err := parts.house.undo.List()
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
func (d *station) undo(ctx context.Context) (string, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return "", err
	}
	h := parts.house
	e, mine, err := h.undo.Last()
	if err != nil {
		return "", err
	}
	a, err := h.planUndo(ctx, e)
	if errors.Is(err, errAsBefore) {
		return fmt.Sprintf("%s is as it was before: nothing to take back", e.Path), h.undo.Drop(e.ID)
	}
	if err != nil {
		return "", err
	}
	if !mine {
		d.screen.Notify("this was done by another nod, or an earlier one, at " + e.Time.Local().Format(time.DateTime))
	}
	d.mu.Lock()
	talk := d.talk
	d.mu.Unlock()
	var output string
	answer := h.gate.Pass(ctx, agent.Step{
		Action: a, Conversation: talk, Operator: true,
		Execute: func(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
			if a.Kind == tools.Write {
				return h.writeBack(ctx, a, env)
			}
			ctx, cancel := context.WithTimeout(ctx, undoTime)
			defer cancel()
			var record tools.Record
			var err error
			output, record, err = execute(ctx, h, a, env.Grant, keepRevert)
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
	return "taken back: " + e.Describe(), h.undo.Drop(e.ID)
}

// writeBack writes a file's former content, if the file still is what nod wrote.
func (h *house) writeBack(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	if _, err := h.guard.Write(ctx, a, env.Grant); err != nil {
		if errors.Is(err, backends.ErrChanged) {
			return tools.Failure("changed_on_disk", a.Path+" has changed meanwhile; nothing was written"), nil
		}
		return tools.Result{}, tools.Failed("%w", err)
	}
	return tools.Result{Record: tools.Record{Outcome: backends.ExitedWith(0), Bytes: int64(len(a.Content))}}, nil
}

// errAsBefore says that there is nothing to take back.
var errAsBefore = errors.New("it is as it was before")

// planUndo is the action that takes an entry back.
func (h *house) planUndo(ctx context.Context, e undo.Entry) (tools.Action, error) {
	about, err := h.guard.About(e.Target)
	if err != nil {
		return tools.Action{}, fmt.Errorf("%s: %w; connect it first (/target)", e.Describe(), err)
	}
	a := tools.Action{Tool: undoTool, Target: e.Target, User: about.User}
	if e.Path == "" {
		a.Kind, a.Command, a.Dialect, a.Dir, a.Wait = tools.Exec, e.Inverse, about.Shell, e.Dir, undoTime
		return a, nil
	}
	now, present, err := h.guard.Present(ctx, e.Target, e.Path)
	if err != nil {
		return tools.Action{}, err
	}
	if present == e.Was {
		return tools.Action{}, errAsBefore
	}
	if present != e.Wrote {
		wrote, err := h.undo.Content(e.Wrote)
		if err != nil {
			return tools.Action{}, err
		}
		if !present.Exists {
			return tools.Action{}, fmt.Errorf("%s has been removed since nod wrote it", e.Path)
		}
		return tools.Action{}, fmt.Errorf("%s has changed since nod wrote it, and stays as it is:\n%s", e.Path, cut(files.Diff(e.Path, wrote, now)))
	}
	if !e.Was.Exists {
		return removal(a, e)
	}
	old, err := h.undo.Content(e.Was)
	if err != nil {
		return tools.Action{}, err
	}
	a.Kind, a.Path, a.Content, a.Expect = tools.Write, e.Path, old, e.Wrote
	a.Diff = files.Diff(e.Path, now, old)
	return a, nil
}

// removal removes a file that nod made, if it still is what nod wrote.
func removal(a tools.Action, e undo.Entry) (tools.Action, error) {
	if strings.ContainsAny(e.Path, "\n\\") {
		return a, fmt.Errorf("%q: a file of such a name cannot be removed safely; remove it by hand", e.Path)
	}
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	a.Kind, a.Dialect, a.Wait = tools.Exec, "sh", undoTime
	a.Command = "echo " + quote(e.Wrote.SHA256+"  "+e.Path) + " | sha256sum -c --status && rm -- " + quote(e.Path)
	return a, nil
}

// cut bounds a text for the chat.
func cut(text string) string {
	const most = 4000
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "\n…"
	}
	return text
}
