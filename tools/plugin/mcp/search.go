package mcp

import (
	"cmp"
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/internal/spec"
	"github.com/nod-console/nod/tools/plugin/harmless"
)

//go:embed search_tools.md
var searchToolsGuide string

// maxFound bounds the tools that one search returns.
const maxFound = 10

// SearchTools is the tool search_tools. It is offered where the servers have more tools
// than stand in a request.
type SearchTools struct{ set *Set }

var (
	_ tools.Tool     = (*SearchTools)(nil)
	_ tools.Optional = (*SearchTools)(nil)
	_ tools.Added    = (*SearchTools)(nil)
)

// Name implements [tools.Tool].
func (*SearchTools) Name() string { return "search_tools" }

// Offered implements [tools.Optional].
func (t *SearchTools) Offered() bool {
	t.set.mu.Lock()
	defer t.set.mu.Unlock()
	return len(t.set.registered) > MaxOffered
}

// Description implements [tools.Tool].
func (*SearchTools) Description() string { return spec.Brief(searchToolsGuide) }

// Added implements [tools.Added].
func (*SearchTools) Added() bool { return true }

// Guidance implements [tools.Documented].
func (*SearchTools) Guidance() string { return spec.Whole(searchToolsGuide) }

// Parallelizable implements [tools.Tool].
func (*SearchTools) Parallelizable() bool { return false }

// InputSchema implements [tools.Tool].
func (*SearchTools) InputSchema() map[string]any {
	return spec.Schema(map[string]any{"query": spec.String("Words of what the tool should do.")}, "query")
}

// Plan implements [tools.Tool].
func (t *SearchTools) Plan(_ context.Context, raw json.RawMessage, _ tools.Env) (tools.Action, error) {
	var args struct {
		Query *string `json:"query"`
	}
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	if args.Query == nil || strings.TrimSpace(*args.Query) == "" {
		return tools.Action{}, spec.Missing("query")
	}
	return tools.Action{Tool: t.Name(), Kind: tools.Pure, Command: *args.Query}, nil
}

// FoundTool is a tool that a search has found.
type FoundTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Execute implements [tools.Tool].
func (t *SearchTools) Execute(_ context.Context, a tools.Action, _ tools.Env) (tools.Result, error) {
	found := t.set.search(a.Command)
	if len(found) == 0 {
		return tools.Failure("not_found", fmt.Sprintf("no tool of the servers has anything of %q; try other words, or do without", harmless.Line(a.Command, 80))), nil
	}
	all := make([]FoundTool, 0, len(found))
	for _, f := range found {
		all = append(all, FoundTool{f.name, harmless.Line(f.def.Description, 200)})
	}
	for _, f := range slices.Backward(found) {
		t.set.used(f.name)
	}
	return tools.Result{Value: struct {
		Tools []FoundTool `json:"tools"`
	}{all}}, nil
}

// search finds registered tools by words of their names and descriptions, the best
// first.
func (s *Set) search(query string) []*Tool {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return r == ' ' || r == '_' || r == '-' || r == ',' || r == '\t' || r == '\n' })
	type hit struct {
		tool  *Tool
		score int
	}
	var hits []hit
	s.mu.Lock()
	for _, name := range sortedKeys(s.registered) {
		t := s.registered[name]
		text, score := strings.ToLower(t.def.Title+" "+t.def.Description), 0
		for _, w := range words {
			if strings.Contains(name, w) {
				score += 3
			}
			if strings.Contains(text, w) {
				score++
			}
		}
		if score > 0 {
			hits = append(hits, hit{t, score})
		}
	}
	s.mu.Unlock()
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	var all []*Tool
	for _, h := range hits[:min(len(hits), maxFound)] {
		all = append(all, h.tool)
	}
	return all
}

// used notes that a tool is wanted, so that it stands in the next requests.
func (s *Set) used(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.registered[name] == nil || len(s.registered) <= MaxOffered {
		return
	}
	s.recent = slices.DeleteFunc(s.recent, func(n string) bool { return n == name })
	s.recent = append(s.recent, name)
	if extra := len(s.recent) - MaxOffered; extra > 0 {
		s.recent = slices.Delete(s.recent, 0, extra)
	}
}

// offers reports whether a tool stands in a request: those that were wanted last, and
// then the first ones by name.
func (s *Set) offers(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.registered) <= MaxOffered || slices.Contains(s.recent, name) {
		return true
	}
	room := MaxOffered - len(s.recent)
	for _, n := range sortedKeys(s.registered) {
		if room == 0 {
			return false
		}
		if slices.Contains(s.recent, n) {
			continue
		}
		if n == name {
			return true
		}
		room--
	}
	return false
}
