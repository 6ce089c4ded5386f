package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/tools/files"
	"github.com/nod-console/nod/tools/web"
	"github.com/nod-console/nod/ui/question"
)

// fileTools are the tools for files, within the bounds that the operator has set.
func (h *house) fileTools() ([]tools.Tool, error) {
	bounds, err := h.bounds()
	if err != nil {
		return nil, err
	}
	return []tools.Tool{
		&files.ReadFile{Guard: h.guard, Seen: h.seen, Bounds: bounds},
		&files.WriteFile{Guard: h.guard, Seen: h.seen, Keeper: h.undo, Bounds: bounds},
		&files.EditFile{Guard: h.guard, Seen: h.seen, Keeper: h.undo, Bounds: bounds},
		&files.Grep{Guard: h.guard, Hides: h.policy.Hides, Bounds: bounds},
		&files.Glob{Guard: h.guard, Bounds: bounds},
	}, nil
}

// bounds are where the tools for files may go. A workspace must be there.
func (h *house) bounds() (files.Bounds, error) {
	var b files.Bounds
	if dir := h.config.Tools.Workspace; dir != "" {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return b, fmt.Errorf("tools.workspace: %w; make the folder, or correct the path", err)
		}
		b.Workspace = real
	}
	for _, name := range h.config.Tools.AllowedPaths {
		b.Allowed = append(b.Allowed, filepath.Clean(name))
		if real, err := filepath.EvalSymlinks(name); err == nil && real != filepath.Clean(name) {
			b.Allowed = append(b.Allowed, real) // paths are resolved before they are judged
		}
	}
	return b, nil
}

// webTools are the tools for the public network.
func (h *house) webTools() []tools.Tool {
	c := h.config.Tools
	domains := web.Domains{Allowed: c.FetchAllowed, Blocked: c.FetchBlocked}
	var all []tools.Tool
	if c.Fetch {
		all = append(all, &web.FetchURL{Guard: h.guard, Client: web.New(web.Options{Domains: domains})})
	}
	if c.Search {
		all = append(all, &web.WebSearch{Guard: h.guard, Client: web.New(web.Options{}), Key: c.BraveKey, Domains: domains})
	}
	return all
}

// todos are what is still to be done, in lines, for whoever sums a conversation
// up.
func todos(said []history.Message) string {
	for i := len(said) - 1; i >= 0; i-- {
		if said[i].Role != history.Tool || said[i].Tool != (desk.Todo{}).Name() || said[i].IsError {
			continue
		}
		items, _ := desk.TodosOf(said[i].Content)
		var lines []string
		for _, item := range items {
			if item.State.Open() {
				lines = append(lines, fmt.Sprintf("- %s (%s)", item.Content, item.State))
			}
		}
		return strings.Join(lines, "\n")
	}
	return ""
}

// chooseIn lets the operator choose in the console's dialogs.
func chooseIn(ask func(context.Context, question.Question) (question.Answer, error)) desk.Asker {
	return func(ctx context.Context, text string, options []string) (int, bool, error) {
		said, err := ask(ctx, question.Question{Kind: question.Choice, Title: "the model asks", Text: text, Options: options})
		return said.Option, said.Given, err
	}
}

// choose lets the operator choose on the terminal, by a number.
func (t *ttyQuestions) choose(ctx context.Context, text string, options []string) (int, bool, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe model asks: %s\n", text)
	for i, o := range options {
		fmt.Fprintf(&b, "  %d  %s\n", i+1, o)
	}
	line, err := t.ask(ctx, fmt.Sprintf("%sWhich one? [1-%d, nothing for none] ", b.String(), len(options)), true)
	if err != nil {
		return 0, false, err
	}
	line = strings.TrimSpace(line)
	if len(line) != 1 || line[0] < '1' || int(line[0]-'1') >= len(options) {
		return 0, false, nil
	}
	return int(line[0] - '1'), true, nil
}
