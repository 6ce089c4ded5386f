package app

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
)

func TestTheRosterHasProfilesLocalServersAndTheGuide(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"qwen3:8b"},{"id":"llama3"}]}`))
	}))
	t.Cleanup(s.Close)
	found := model.Discover(t.Context(), strings.TrimPrefix(s.URL, "http://"))
	price := float32(1.5)
	r := ModelList{
		Config: &config.Config{Models: map[string]config.Model{
			"work": {BaseURL: "https://models.example.org/v1", Model: "large", APIKeyEnv: "WORK", ContextLimit: 1000, PriceInput: &price},
			"bad":  {BaseURL: "https://models.example.org/v1", Model: "large", APIKeyEnv: "MISSING"},
		}},
		Getenv: func(name string) string { return map[string]string{"WORK": "key"}[name] },
		Local:  found,
	}
	lines := strings.Join(r.List("work"), "\n")
	for _, want := range []string{"▸ work", "large at https://models.example.org/v1", "  qwen3:8b", "runs on this machine", "  guide"} {
		if !strings.Contains(lines, want) {
			t.Errorf("%q is not in\n%s", want, lines)
		}
	}
	for name, shown := range map[string]string{"work": "large", "llama3": "llama3", "guide": "guide"} {
		b, err := r.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Client.Close)
		if b.ShownName() != shown || b.IsGuide != (name == "guide") {
			t.Errorf("%s: %+v", name, b)
		}
		if name == "work" && (b.ForTurn().Price.Input != 1.5 || b.ForTurn().ContextLimit != 1000) {
			t.Errorf("%+v", b.ForTurn())
		}
	}
	for name, want := range map[string]string{"bad": "MISSING", "none": `there is no model "none"`} {
		if _, err := r.Open(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOpenTodosStandInASummary(t *testing.T) {
	t.Parallel()
	result := func(items ...desk.TodoItem) history.Message {
		raw, err := json.Marshal(items)
		if err != nil {
			t.Fatal(err)
		}
		r, err := desk.Todo{}.Execute(t.Context(), tools.Action{Command: string(raw)}, tools.Env{})
		if err != nil {
			t.Fatal(err)
		}
		return history.Message{Role: history.Tool, Tool: "todo", Content: tools.Envelope(time.Unix(0, 0), r)}
	}
	said := []history.Message{
		result(desk.TodoItem{Content: "old", State: desk.Pending}),
		result(desk.TodoItem{Content: "free space", State: desk.InProgress}, desk.TodoItem{Content: "look", State: desk.Completed}),
		{Role: history.Tool, Tool: "run_shell", Content: "{}"},
	}
	if got := todos(said); got != "- free space (in_progress)" {
		t.Errorf("%q", got)
	}
	if got := todos(said[2:]); got != "" {
		t.Errorf("%q", got)
	}
}
