package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/memory"
	"github.com/nod-console/nod/ui/screen"
)

// MemoryLines is what is remembered for the present conversation and target.
func (h *Core) MemoryLines(ctx context.Context, store *history.Store, conversation, told string) ([]string, error) {
	target := h.Targets.Current()
	m := h.guidance.memory
	var lines []string
	entries := func(title string, found []memory.Entry) {
		if len(found) == 0 {
			return
		}
		lines = append(lines, title)
		for _, e := range found {
			text := "  " + e.ID + "  " + screen.CleanLines(e.Text)
			if e.Origin != memory.Operator {
				text += " [" + string(e.Origin) + "]"
			}
			lines = append(lines, text)
		}
	}
	noted, err := m.Noted(ctx, conversation)
	if err != nil {
		return nil, err
	}
	entries("this conversation", noted)
	for _, scope := range []memory.Scope{memory.Project, memory.Global} {
		found, err := m.Entries(scope, target)
		if err != nil {
			return nil, err
		}
		entries(string(scope)+" ("+m.Path(scope, target)+")", found)
	}
	patterns, err := store.Patterns(ctx, target, false)
	if err != nil {
		return nil, err
	}
	if len(patterns) > 0 {
		lines = append(lines, "patterns on "+target)
	}
	for _, p := range patterns[:min(len(patterns), 20)] {
		lines = append(lines, fmt.Sprintf("  %s  %s %s, in %d turns", p.ID, p.Step.Tool, screen.CleanLines(p.Step.Action), p.Turns))
	}
	if f := h.guidance.allowed(); !f.Empty() {
		lines = append(lines, "read in "+f.Dir+", as you allowed")
		for _, file := range f.Files {
			lines = append(lines, "  "+screen.CleanLines(file.Name))
		}
	}
	if told != "" {
		lines = append(lines, "told to the model in the last turn", indent(told))
	}
	if len(lines) == 0 {
		lines = []string{"nothing is remembered yet; nod memory edit writes something down"}
	}
	return lines, nil
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(screen.CleanLines(text), "\n", "\n  ")
}
