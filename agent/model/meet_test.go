package model

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/agent/contact"
)

// fixture is what package contact has recorded of a server.
type fixture struct {
	Answers  map[string]json.RawMessage `json:"answers"`
	Want     contact.Facts              `json:"want"`
	Refusals []struct {
		Status int             `json:"status"`
		Body   json.RawMessage `json:"body"`
		Kind   Kind            `json:"kind"`
		Limit  int             `json:"limit"`
		Learns contact.Refusal `json:"learns"`
	} `json:"refusals"`
}

func fixtures(t *testing.T) map[string]fixture {
	t.Helper()
	names, err := filepath.Glob("../contact/testdata/servers/*.json")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	all := map[string]fixture{}
	for _, name := range names {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var f fixture
		if err := json.Unmarshal(page, &f); err != nil {
			t.Fatal(name, err)
		}
		all[filepath.Base(name)] = f
	}
	return all
}

// TestEachServersRefusalsAreUnderstood: what can be done otherwise is done at once, and
// still known to the next client; a context that is named is taken.
func TestEachServersRefusalsAreUnderstood(t *testing.T) {
	t.Parallel()
	r := Request{Tools: []ToolSpec{{Name: "f"}}, Messages: []Message{{Role: System, Content: "S"}, {Role: User, Content: "go"},
		{Role: Assistant, Calls: []Call{{ID: "call_1", Name: "f", Arguments: json.RawMessage("{}")}}}, {Role: ToolRole, CallID: "call_1", Content: "A"}}}
	for name, f := range fixtures(t) {
		for i, c := range f.Refusals {
			s := serve(t, then(fails(c.Status, string(c.Body)), sends(hi, stop, done)))
			known := &contact.Store{Dir: t.TempDir()}
			client := dial(t, s, func(cfg *Config) { cfg.Known = known })
			_, err := client.Stream(testContext(t), r, nil)
			if kindOf(err) != c.Kind {
				t.Errorf("%s, %d: %v", name, i, err)
			}
			kept, _ := known.Load(s.URL+"/v1", "m")
			if kept.Refuses != c.Learns || kept.Context != c.Limit || client.ContextLimit() != c.Limit {
				t.Errorf("%s, %d: kept %+v; a context of %d", name, i, kept, client.ContextLimit())
			}
			before := s.requests.Load()
			next := dial(t, s, func(cfg *Config) { cfg.Known = known })
			if _, err := next.Stream(testContext(t), r, nil); err != nil || s.requests.Load() != before+1 {
				t.Errorf("%s, %d: the next client: %v after %d requests", name, i, err, s.requests.Load()-before)
			}
		}
	}
}

// lists serves answers of a fixture, and a reply to each chat.
func lists(t *testing.T, answers func(at string) (string, bool)) *server {
	t.Helper()
	reply := sends(hi, stop, done)
	return serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		at := r.Method + " " + r.URL.RequestURI()
		if at == "POST /v1/chat/completions" {
			reply(w, r, n)
			return
		}
		page, ok := answers(at)
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		write(w, page)
	})
}

// TestAServerIsMetOnce: before the first request, and once more after an answer where it
// knows better then. A limit that is configured counts unless the server has less.
func TestAServerIsMetOnce(t *testing.T) {
	t.Parallel()
	loaded := false
	s := lists(t, func(at string) (string, bool) {
		switch {
		case at == "GET /v1/models":
			return `{"data":[{"id":"m","owned_by":"library"}]}`, true
		case at == "POST /api/show":
			return `{"model_info":{"general.architecture":"x","x.context_length":131072},"capabilities":["tools"]}`, true
		case at == "GET /api/ps" && loaded:
			return `{"models":[{"model":"m","context_length":32768}]}`, true
		}
		return `{"models":[]}`, true
	})
	known := &contact.Store{Dir: t.TempDir()}
	client := dial(t, s, func(c *Config) { c.Known = known })
	configured := dial(t, s, func(c *Config) { c.Known, c.ContextLimit = known, 16384 })
	unasked := dial(t, s)
	if client.ContextLimit() != 0 {
		t.Errorf("before: %d", client.ContextLimit())
	}
	for step, want := range []struct {
		loaded                        bool
		limit, configured, asked, all int
	}{{false, 4096, 16384, 3, 7}, {true, 32768, 16384, 3, 7}, {true, 32768, 16384, 0, 1}} {
		loaded = want.loaded
		before := s.requests.Load()
		if told := client.Meet(testContext(t)); told != "" {
			t.Error(told)
		}
		if asked := s.requests.Load() - before; asked != int32(want.asked) {
			t.Errorf("%d: asked %d times", step, asked)
		}
		if client.ContextLimit() != want.limit {
			t.Errorf("%d: %d", step, client.ContextLimit())
		}
		configured.Meet(testContext(t))
		if configured.ContextLimit() != want.configured {
			t.Errorf("%d: configured: %d", step, configured.ContextLimit())
		}
		for _, c := range []*Client{client, configured} {
			if _, err := c.Stream(testContext(t), ask("x"), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := s.requests.Load()
	if unasked.Meet(testContext(t)) != "" || s.requests.Load() != before || unasked.ContextLimit() != 0 {
		t.Error("a client without a store has asked")
	}
	if fresh := dial(t, s, func(c *Config) { c.Known = known }); fresh.ContextLimit() != 32768 {
		t.Errorf("the next client begins with %d", fresh.ContextLimit())
	}
}

// TestAServerAtHomeThatSaysNothing is taken for a small one, and the operator is told once.
func TestAServerAtHomeThatSaysNothing(t *testing.T) {
	t.Parallel()
	s := lists(t, func(string) (string, bool) { return "", false })
	known := &contact.Store{Dir: t.TempDir()}
	for i := range 2 {
		client := dial(t, s, func(c *Config) { c.Known = known })
		told := client.Meet(testContext(t))
		if strings.Contains(told, "8192 tokens are assumed") != (i == 0) || client.ContextLimit() != contact.Assumed {
			t.Errorf("%d: %q, %d", i, told, client.ContextLimit())
		}
	}
	client := dial(t, s, func(c *Config) { c.Known, c.ContextLimit = &contact.Store{}, 100_000 })
	if told := client.Meet(testContext(t)); told != "" || client.ContextLimit() != 100_000 {
		t.Errorf("%q, %d", told, client.ContextLimit())
	}
	s.Close()
	client = dial(t, s, func(c *Config) { c.Known = &contact.Store{} })
	if told := client.Meet(testContext(t)); told != "" || client.ContextLimit() != 0 {
		t.Errorf("nobody there: %q, %d", told, client.ContextLimit())
	}
}

// TestFactsOfAnotherServerOfTheSameAddress do not stay.
func TestFactsOfAnotherServerOfTheSameAddress(t *testing.T) {
	t.Parallel()
	old := contact.Facts{Server: "vLLM", Context: 4096, Source: "max_model_len", Refuses: contact.Refusal{Tools: true}}
	if got := merge(contact.Facts{Server: "vLLM", Context: 8192, Source: "max_model_len"}, old); got.Context != 8192 || !got.Refuses.Tools {
		t.Errorf("%+v", got)
	}
	if got := merge(contact.Facts{Server: "Ollama", Context: 8192}, old); got.Context != 8192 || got.Refuses.Tools {
		t.Errorf("%+v", got)
	}
	if got := merge(contact.Facts{}, old); got.Context != 4096 || !got.Refuses.Tools {
		t.Errorf("%+v", got)
	}
}
