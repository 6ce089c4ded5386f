package desk_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/tools/internal/spec/spectest"
)

// TestHelpHasWhatRequestsLeaveOut: the whole guidance, which is longer than the
// description, and the names of all tools where one is not known.
func TestHelpHasWhatRequestsLeaveOut(t *testing.T) {
	registry := &tools.Registry{}
	h := &desk.Help{Tools: registry}
	for _, tool := range []tools.Tool{desk.Todo{}, h} {
		if err := registry.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	spectest.Misfits(t, h, tools.Env{}, spectest.Tool(t, h)[0])
	a, err := h.Plan(t.Context(), json.RawMessage(`{"tool":"todo"}`), tools.Env{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := h.Execute(t.Context(), a, tools.Env{})
	text, _ := r.Value.(string)
	if err != nil || len(text) <= len(desk.Todo{}.Description()) || !strings.Contains(text, "## Examples") {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := h.Plan(t.Context(), json.RawMessage(`{"tool":"todos"}`), tools.Env{}); err == nil || !strings.Contains(err.Error(), "todo") {
		t.Errorf("%v", err)
	}
}
