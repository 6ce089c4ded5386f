package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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

// By how much more tokens a text can have in a vocabulary that is not at hand than in
// OpenAI's. Models with much context have vocabularies of 100,000 entries and more; among
// those with little there are some of 32,000.
const (
	manyWords = 1.1
	fewWords  = 1.3
)

// tokensAtMost is a bound of a text's tokens: what GPT-2's vocabulary needs, the oldest and
// smallest at hand, or the most of the two later ones and the factor more.
func tokensAtMost(text string, factor float64) int {
	count := func(e tokenizer.Encoding) int {
		codec, err := tokenizer.Get(e)
		if err != nil {
			panic(err) // it is embedded
		}
		n, err := codec.Count(text)
		if err != nil {
			panic(err) // any text can be counted
		}
		return n
	}
	later := max(count(tokenizer.Cl100kBase), count(tokenizer.O200kBase))
	return max(count(tokenizer.R50kBase), int(factor*float64(later)))
}

// firstRequest is what nod sends first, with the real tools, for a model with so much
// context. hosts is an ssh_config, or empty.
func firstRequest(t *testing.T, context int, panes bool, choose desk.Asker, hosts string) (body []byte, names []string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body) // what is missing fails the test below
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	client, err := model.New(model.Config{BaseURL: s.URL + "/v1", Model: "m", ContextLimit: context})
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "ssh_config"), []byte(hosts), 0o600); err != nil {
		t.Fatal(err)
	}
	turns, talk, end := opened(t, map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "c"), "XDG_STATE_HOME": filepath.Join(home, "s"),
		"NOD_SSH_CONFIG": filepath.Join(home, "ssh_config")}, client, panes, choose)
	defer end()
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

// opened is an agent with the real tools in its environment, and a conversation. client
// is nil for the model of the environment. It is closed by end, or with the test.
func opened(t *testing.T, env map[string]string, client *model.Client, panes bool, choose desk.Asker) (turns *turn.Agent, talk string, end func()) {
	t.Helper()
	getenv := func(name string) string { return env[name] }
	c, err := config.Load(config.Source{Getenv: getenv})
	if err != nil {
		t.Fatal(err)
	}
	h, err := Open(c, getenv, Options{Options: targets.Options{Panes: panes, Warn: func(string) {}}, Choose: choose})
	if err != nil {
		t.Fatal(err)
	}
	store, err := history.Open(t.Context(), filepath.Join(env["HOME"], "h"), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mind := Model{Client: client, name: "m"}
	if client == nil {
		if mind, err = OpenModel(c, getenv); err != nil {
			t.Fatal(err)
		}
	}
	end = sync.OnceFunc(func() {
		mind.Client.Close()
		if err := errors.Join(h.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(end)
	if turns, err = h.OpenAgent(mind, store); err != nil {
		t.Fatal(err)
	}
	one, err := store.Create(t.Context(), "local", "m")
	if err != nil {
		t.Fatal(err)
	}
	return turns, one.ID, end
}

// fleetOf40 is an ssh_config.
var fleetOf40 = func() string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "Host web%02d\n", i)
	}
	return b.String() + "Host db-1 db-2 gateway\n"
}()

// TestTheFirstRequestFits: all tools in 6,000 tokens, those of a model with a small
// context in 3,000, and only tools of what there is.
func TestTheFirstRequestFits(t *testing.T) {
	t.Parallel()
	someone := func(context.Context, string, []string) (desk.Choice, error) { return desk.Choice{Given: true}, nil }
	for name, c := range map[string]struct {
		context, tools, tokens int
		panes                  bool
		choose                 desk.Asker
		hosts                  string
	}{
		"all":           {0, 23, 6000, true, someone, ""},
		"large":         {128_000, 23, 6000, true, someone, ""},
		"a fleet":       {0, 24, 6000, true, someone, fleetOf40},
		"small":         {4096, 5, 3000, true, someone, ""},
		"small, fleet":  {4096, 5, 3000, true, someone, fleetOf40},
		"nobody, bare":  {0, 16, 6000, false, nil, ""},
		"small, nobody": {8192, 3, 3000, false, nil, ""},
	} {
		body, names := firstRequest(t, c.context, c.panes, c.choose, c.hosts)
		for _, n := range names {
			if !slices.Contains(builtin, n) {
				t.Errorf("%s: %q could be a plugin's tool, too: add it to builtin", name, n)
			}
		}
		factor := manyWords
		if c.tokens == 3000 {
			factor = fewWords
		}
		tokens := tokensAtMost(string(body), factor)
		t.Logf("%s: %d tools, %d bytes, at most %d tokens", name, len(names), len(body), tokens)
		if tokens > c.tokens {
			t.Errorf("%s: %d tokens, want at most %d", name, tokens, c.tokens)
		}
		if len(names) != c.tools {
			t.Errorf("%s: %d tools, want %d: %s", name, len(names), c.tools, strings.Join(names, " "))
		}
		if said := string(body); strings.Contains(said, `"targets"`) != (c.hosts != "") || strings.Contains(said, `"session"`) != c.panes {
			t.Errorf("%s: arguments of what there is not", name)
		}
		if slices.Contains(names, "send-keys") != c.panes || slices.Contains(names, "question") != (c.choose != nil) {
			t.Errorf("%s: tools of what there is not: %s", name, strings.Join(names, " "))
		}
	}
}

// small is a server with 4,096 tokens of context, which refuses what is longer. It says of
// itself what answers hold, by path.
type small struct {
	answers map[string]string

	mu      sync.Mutex
	sizes   []int // of the chats, in tokens
	refused int
}

const smallRoom = 4096

func (s *small) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path != "/v1/chat/completions" {
		answer, ok := s.answers[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, answer)
		return
	}
	body, _ := io.ReadAll(r.Body) // what is missing makes the test below fail
	tokens := tokensAtMost(string(body), fewWords)
	s.sizes = append(s.sizes, tokens)
	if tokens > smallRoom {
		s.refused++
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"request (%d tokens) exceeds the available context size (%d tokens), try increasing it","code":400,"type":"exceed_context_size_error","n_prompt_tokens":%[1]d,"n_ctx":%[2]d}}`, tokens, smallRoom)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":60,"total_tokens":%d}}`+"\n\ndata: [DONE]\n\n",
		strings.Repeat("The disk is full of logs. ", 10), tokens, tokens+60)
}

// TestAServerWithFourThousandTokensOfContextAnswers: the first example of README, with
// nothing set but the address and the model. A server that says what it has refuses
// nothing in a conversation that is longer than its context. One that says nothing has to
// refuse once, before its context is known; no turn fails for it, and the next start knows.
func TestAServerWithFourThousandTokensOfContextAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers map[string]string
		refusal int
	}{
		"Ollama": {map[string]string{
			"/v1/models": `{"data":[{"id":"qwen3:latest","object":"model","owned_by":"library"}]}`,
			"/api/ps":    `{"models":[{"model":"qwen3:latest","context_length":4096}]}`,
			"/api/show":  `{"model_info":{"general.architecture":"qwen3","qwen3.context_length":40960},"capabilities":["completion","tools"]}`,
		}, 0},
		"silent": {nil, 1},
	} {
		server := &small{answers: c.answers}
		s := httptest.NewServer(server)
		home := t.TempDir()
		for start := range 2 {
			env := map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "c"), "XDG_STATE_HOME": filepath.Join(home, "s"),
				"NOD_BASE_URL": s.URL + "/v1", "NOD_MODEL": "qwen3"}
			turns, talk, end := opened(t, env, nil, true, nil)
			for i := range 8 {
				prompt := fmt.Sprintf("%d: look at this line of the log. %s", i, strings.Repeat("nginx: worker process exited on signal 9; ", 30))
				var faults []string
				ending := turns.Run(t.Context(), talk, prompt, func(e agent.Event) {
					if f, ok := e.(agent.Fault); ok {
						faults = append(faults, f.Text)
					}
				})
				if ending != agent.Answered {
					t.Fatalf("%s, start %d, prompt %d: %v after requests of %v tokens: %q", name, start, i, ending, server.sizes, faults)
				}
			}
			end()
		}
		s.Close()
		t.Logf("%s: requests of %v tokens, %d refused", name, server.sizes, server.refused)
		if server.refused > c.refusal || server.sizes[0] > 3000 {
			t.Errorf("%s: requests of %v tokens, %d refused", name, server.sizes, server.refused)
		}
	}
}
