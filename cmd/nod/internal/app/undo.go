package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/agent/undo"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/files"
)

// undoTool is the Tool of actions that take something back.
const undoTool = "undo"

// UndoTime bounds a command that takes something back.
const UndoTime = time.Minute

// absentTime bounds the look whether a file is there that a command would make.
const absentTime = 5 * time.Second

// absent reports whether a target is known to have nothing of this name.
func (h *Core) absent(target, name string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), absentTime)
	defer cancel()
	absent, err := h.Guard.Absent(ctx, target, name)
	return err == nil && absent
}

// remember takes note of what can be taken back.
func (h *Core) remember(a tools.Action) {
	if a.Tool == undoTool || a.Target == tools.Desk {
		return
	}
	if err := h.Undo.Did(a); err != nil && h.warn != nil {
		h.warn("/undo will not know of this: " + err.Error())
	}
}

// WriteBack writes a file's former content, if the file still is what nod wrote.
func (h *Core) WriteBack(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	if _, err := h.Guard.Write(ctx, a, env.Grant); err != nil {
		if errors.Is(err, backends.ErrChanged) {
			return tools.Failure("changed_on_disk", a.Path+" has changed meanwhile; nothing was written"), nil
		}
		return tools.Result{}, tools.Failed("%w", err)
	}
	return tools.Result{Record: tools.Record{Outcome: backends.ExitedWith(0), Bytes: int64(len(a.Content))}}, nil
}

// ErrAsBefore says that there is nothing to take back.
var ErrAsBefore = errors.New("it is as it was before")

// PlanUndo is the action that takes an entry back.
func (h *Core) PlanUndo(ctx context.Context, e undo.Entry) (tools.Action, error) {
	about, err := h.Guard.About(e.Target)
	if err != nil {
		return tools.Action{}, fmt.Errorf("%s: %w; connect it first (/target)", e.Describe(), err)
	}
	a := tools.Action{Tool: undoTool, Target: e.Target, User: about.User}
	if e.Path == "" {
		a.Kind, a.Command, a.Dialect, a.Dir, a.Wait = tools.Exec, e.Inverse, about.Shell, e.Dir, UndoTime
		return a, nil
	}
	now, present, err := h.Guard.Present(ctx, e.Target, e.Path)
	if err != nil {
		return tools.Action{}, err
	}
	if present == e.Was {
		return tools.Action{}, ErrAsBefore
	}
	if present != e.Wrote {
		wrote, err := h.Undo.Content(e.Wrote)
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
	old, err := h.Undo.Content(e.Was)
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
	a.Kind, a.Dialect, a.Wait = tools.Exec, "sh", UndoTime
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
