package briefing

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
)

// fake is a tool of a name and a size.
type fake struct {
	name, text string
	added      bool
}

func (f fake) Name() string              { return f.name }
func (f fake) Description() string       { return f.text }
func (fake) InputSchema() map[string]any { return map[string]any{"type": "object"} }
func (fake) Parallelizable() bool        { return false }
func (f fake) Added() bool               { return f.added }
func (fake) Plan(context.Context, json.RawMessage, tools.Env) (tools.Action, error) {
	return tools.Action{}, nil
}
func (fake) Execute(context.Context, tools.Action, tools.Env) (tools.Result, error) {
	return tools.Result{}, nil
}

// TestASmallContextGetsFewTools: nod's most useful ones with short texts, and those of the
// operator's own that fit, whole.
func TestASmallContextGetsFewTools(t *testing.T) {
	t.Parallel()
	var r tools.Registry
	for _, f := range []fake{
		{name: "run_shell", text: "Run.\n\n## When to use\n- always"}, {name: "todo", text: "List.\n\n## When to use\n- at times"},
		{name: "tickets_list", text: "Tickets.\n\n## When to use\n- for tickets", added: true},
		{name: "huge", text: strings.Repeat("x", 3000), added: true}, {name: "wiki", text: strings.Repeat("y", 900), added: true},
	} {
		if err := r.Register(f); err != nil {
			t.Fatal(err)
		}
	}
	for context, want := range map[int]string{
		0:     "huge run_shell tickets_list todo wiki",
		16384: "huge run_shell tickets_list todo wiki",
		8192:  "run_shell tickets_list wiki",
		4096:  "run_shell tickets_list wiki",
		2048:  "run_shell tickets_list",
	} {
		var names []string
		for _, s := range Tools(&r, Offer{Context: context}) {
			names = append(names, s.Name)
			if cut := s.Name == "run_shell" && context > 0 && context < 16384; strings.Contains(s.Description, "When to use") == cut && len(s.Description) < 500 {
				t.Errorf("%d: %s: %q", context, s.Name, s.Description)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%d: %s, want %s", context, got, want)
		}
	}
}
