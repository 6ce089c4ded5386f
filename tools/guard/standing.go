package guard

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
)

// Standing reports whether a's pane still stands as it did when a was planned,
// so that whoever is asked about a can be told as soon as it does not: a
// [ChangedError] then, or what hinders looking. It is nil for actions on no pane,
// and while the target cannot be reached: how the pane stands is seen once it can.
// Nothing rests on it: Run and Type look for themselves. Of keys for several targets, it is
// that of the first whose pane stands otherwise.
func (g *Guard) Standing(ctx context.Context, a tools.Action) error {
	for _, part := range a.Parts {
		if err := g.Standing(ctx, part); err != nil {
			return fmt.Errorf("on %s: %w", part.Target, err)
		}
	}
	if len(a.Parts) > 0 || a.Kind != tools.Run && a.Kind != tools.Type {
		return nil
	}
	if err := g.stands(ctx, a); !errors.Is(err, backends.ErrUnreachable) {
		return err
	}
	return nil
}

func (g *Guard) stands(ctx context.Context, a tools.Action) error {
	p, err := g.place(a.Target)
	if err != nil {
		return err
	}
	at, err := find(ctx, p, "", a.Pane)
	if err != nil {
		return err
	}
	now, err := at.Look(ctx)
	if err != nil {
		return err
	}
	return standing(a, now)
}

// standing compares how a pane stood when a was planned with how it does now. Which
// program reads the keys is compared by still.
func standing(a tools.Action, now State) error {
	if a.Kind == tools.Run {
		return same([]ChangedError{
			{"the pane", a.Pane, now.ID},
			{"the shell that is meant", within(a.Inside), within(now.Inside)},
			{shellInPane, number(a.Shell), number(now.Generation)},
			{"the pane's shell", a.Dialect, now.Shell},
			{paneDir, a.Dir, now.Dir},
			{"the pane's prompt line", "", now.Pending},
			{"where the pane stands", spot(a.Prompt), spot(a.Prompt && (now.AtPrompt || now.Busy != ""))},
		})
	}
	line := a.Pending
	if a.Program != "" {
		line = "" // it is the program's
	}
	return same([]ChangedError{
		{"the pane", a.Pane, now.ID},
		{"the shell that is meant", within(a.Inside), within(now.Inside)},
		{shellInPane, number(a.Shell), number(now.Generation)},
		{"where the pane stands", spot(a.Prompt), spot(now.AtPrompt)},
		{"the pane's shell", a.Dialect, now.Shell},
		{paneDir, a.Dir, now.Dir},
		{"the pane's prompt line", line, now.Pending},
		{paneCommand, a.Busy, now.Busy},
	})
}

// within says which shell of a pane is meant.
func within(inside []string) string {
	if len(inside) == 0 {
		return "the pane's own"
	}
	return "in " + strings.Join(inside, ", in ")
}

func number(n uint64) string { return "number " + strconv.FormatUint(n, 10) }
