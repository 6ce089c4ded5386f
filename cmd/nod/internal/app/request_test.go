package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools/desk"
)

// tokensAtMost is a bound of a text's tokens: the most of three vocabularies. GPT-2's is
// the oldest and smallest of them; later models need fewer tokens for the same text.
func tokensAtMost(t *testing.T, text string) int {
	t.Helper()
	most := 0
	for _, e := range []tokenizer.Encoding{tokenizer.R50kBase, tokenizer.Cl100kBase, tokenizer.O200kBase} {
		codec, err := tokenizer.Get(e)
		if err != nil {
			t.Fatal(err)
		}
		n, err := codec.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, n)
	}
	return most
}

// firstRequest is what nod sends first, with the real tools, for a model with so much
// context.
func firstRequest(t *testing.T, context int, panes bool, choose desk.Asker) (body []byte, names []string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body) // what is missing fails the test below
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	turns, talk := opened(t, s.URL, context, panes, choose)
	turns.Run(t.Context(), talk, "what fills the disk?", nil)
	var q struct {
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.Unmarshal(body, &q); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	for _, tool := range q.Tools {
		names = append(names, tool.Function.Name)
	}
	return body, names
}

// opened is an agent with the real tools, and a conversation.
func opened(t *testing.T, url string, context int, panes bool, choose desk.Asker) (*turn.Agent, string) {
	t.Helper()
	home := t.TempDir()
	env := map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "c"), "XDG_STATE_HOME": filepath.Join(home, "s"),
		"NOD_BASE_URL": url + "/v1", "NOD_MODEL": "m"}
	getenv := func(name string) string { return env[name] }
	c, err := config.Load(config.Source{Getenv: getenv})
	if err != nil {
		t.Fatal(err)
	}
	h, err := Open(c, getenv, Options{Options: targets.Options{Panes: panes, Warn: func(string) {}}, Choose: choose})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	store, err := history.Open(t.Context(), filepath.Join(home, "h"), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	client, err := model.New(model.Config{BaseURL: url + "/v1", Model: "m", ContextLimit: context})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	turns, err := h.OpenAgent(Model{Client: client, name: "m"}, store)
	if err != nil {
		t.Fatal(err)
	}
	talk, err := store.Create(t.Context(), "local", "m")
	if err != nil {
		t.Fatal(err)
	}
	return turns, talk.ID
}

// TestTheFirstRequestFits: all tools in 6,000 tokens, those of a model with a small
// context in 3,000, and only tools of what there is.
func TestTheFirstRequestFits(t *testing.T) {
	t.Parallel()
	someone := func(context.Context, string, []string) (int, bool, error) { return 0, true, nil }
	for name, c := range map[string]struct {
		context, tools, tokens int
		panes                  bool
		choose                 desk.Asker
	}{
		"all":           {0, 25, 6000, true, someone},
		"large":         {128_000, 25, 6000, true, someone},
		"small":         {4096, 5, 3000, true, someone},
		"nobody, bare":  {0, 16, 6000, false, nil},
		"small, nobody": {8192, 3, 3000, false, nil},
	} {
		body, names := firstRequest(t, c.context, c.panes, c.choose)
		for _, n := range names {
			if !slices.Contains(builtin, n) {
				t.Errorf("%s: %q could be a plugin's tool, too: add it to builtin", name, n)
			}
		}
		tokens := tokensAtMost(t, string(body))
		t.Logf("%s: %d tools, %d bytes, at most %d tokens", name, len(names), len(body), tokens)
		if tokens > c.tokens {
			t.Errorf("%s: %d tokens, want at most %d", name, tokens, c.tokens)
		}
		if len(names) != c.tools {
			t.Errorf("%s: %d tools, want %d: %s", name, len(names), c.tools, strings.Join(names, " "))
		}
		if slices.Contains(names, "send-keys") != c.panes || slices.Contains(names, "question") != (c.choose != nil) {
			t.Errorf("%s: tools of what there is not: %s", name, strings.Join(names, " "))
		}
	}
}

// TestAServerWithFourThousandTokensOfContextAnswers: one that refuses more, and of which
// nothing is configured, as in README's first example.
func TestAServerWithFourThousandTokensOfContextAnswers(t *testing.T) {
	t.Parallel()
	const room = 4096
	var sizes []int
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		tokens := tokensAtMost(t, string(body))
		sizes = append(sizes, tokens)
		if tokens > room {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"error":{"message":"This model's maximum context length is %d tokens. However, you requested %d tokens.","code":400}}`, room, tokens)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	turns, talk := opened(t, s.URL, 0, true, nil)
	for range 2 {
		if ending := turns.Run(t.Context(), talk, "what fills the disk?", nil); ending != agent.Answered {
			t.Fatalf("%v after requests of %v tokens", ending, sizes)
		}
	}
	if len(sizes) != 3 || sizes[0] <= room || max(sizes[1], sizes[2]) > room {
		t.Errorf("requests of %v tokens, want one that is refused and two that fit", sizes)
	}
}
