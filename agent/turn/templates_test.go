package turn_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/briefing"
	"github.com/nod-console/nod/agent/contact"
	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/internal/agenttest"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/tools"
)

// template is what is known of a published chat template: what it refuses or loses, and
// in which words it refuses. testdata/templates.json says how that was found out.
type template struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	// System: it has the system's role, or writes it in front of the first prompt.
	System bool `json:"system"`
	// Tools: it writes calls and results.
	Tools bool `json:"tools"`
	// Calls: "many" in a message, "one" (more are refused), "first" (the others are lost).
	Calls string `json:"calls"`
	// UserAfterTool: a user's message may stand behind a result.
	UserAfterTool bool `json:"user_after_tool"`
	// UserAfterUser: two messages of a user's may stand in a row.
	UserAfterUser bool `json:"user_after_user"`
	// IDs of calls are letters and digits: "any", "nine", "nine or more".
	IDs string `json:"ids"`
	// Says are the words of a refusal, by rule: system, tools, calls, roles, ids.
	Says map[string]string `json:"says"`
}

// sent is a request as the server gets it.
type sent struct {
	Messages []struct {
		Role, Content string
		ToolCallID    string                `json:"tool_call_id"`
		ToolCalls     []struct{ ID string } `json:"tool_calls"`
	}
	Tools []json.RawMessage
}

// violates says which rule a request breaks; empty if it breaks none.
func (t template) violates(q sent) string {
	speaks := "" // who has spoken last, of user and model
	for i, m := range q.Messages {
		before := ""
		if i > 0 {
			before = q.Messages[i-1].Role
		}
		switch {
		case m.Role == "system" && !t.System:
			return "system"
		case m.Role == "system" && i > 0:
			return "roles: a system's message in the middle"
		case !t.Tools && (m.Role == "tool" || len(m.ToolCalls) > 0 || len(q.Tools) > 0):
			return "tools"
		case len(m.ToolCalls) > 1 && t.Calls != "many":
			return "calls"
		case m.Role == "user" && before == "tool" && !t.UserAfterTool:
			return "roles: user behind tool"
		case m.Role == "tool" && before != "tool" && (before != "assistant" || len(q.Messages[i-1].ToolCalls) == 0):
			return "roles: a result without its call"
		case (m.Role == "user" || m.Role == "assistant") && m.Content == "" && len(m.ToolCalls) == 0:
			return "roles: an empty message"
		}
		for n, c := range m.ToolCalls {
			if at := i + 1 + n; at >= len(q.Messages) || q.Messages[at].ToolCallID != c.ID {
				return "roles: a call without its result"
			}
			if t.IDs == "nine" && len(c.ID) != 9 || t.IDs == "nine or more" && len(c.ID) < 9 {
				return "ids"
			}
		}
		if m.Role == "user" || m.Role == "assistant" && len(m.ToolCalls) == 0 {
			if !t.UserAfterUser && (m.Role == speaks || speaks == "" && m.Role != "user") {
				return "roles: " + m.Role + " behind " + speaks
			}
			speaks = m.Role
		}
	}
	if last := q.Messages[len(q.Messages)-1].Role; last != "user" && last != "tool" {
		return "roles: it ends with " + last
	}
	return ""
}

// templateServer serves a model with a template: it refuses what the template refuses, in its
// words. It counts the violations, also those that nobody notices.
type templateServer struct {
	template
	tells bool // says what its template can do, as llama.cpp does in /props

	mu         sync.Mutex
	violations []string
	chats      int
}

func (s *templateServer) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := func(status int, kind, page string) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(page)), Request: r}, nil
	}
	const page = "application/json"
	switch {
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models") && s.tells:
		return answer(http.StatusOK, page, `{"data":[{"id":"m","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}`)
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models"):
		return answer(http.StatusOK, page, `{"data":[{"id":"m","owned_by":"vllm","max_model_len":131072}]}`)
	case r.Method == http.MethodGet && r.URL.Path == "/props" && s.tells:
		text, err := json.Marshal(map[string]any{
			"default_generation_settings": map[string]int{"n_ctx": 131072},
			"chat_template":               fmt.Sprint(s.Says),
			"chat_template_caps":          map[string]bool{"supports_system_role": s.System, "supports_parallel_tool_calls": s.Calls == "many", "supports_tools": s.Tools},
		})
		if err != nil {
			return nil, err
		}
		return answer(http.StatusOK, page, string(text))
	case r.Method != http.MethodPost:
		return answer(http.StatusNotFound, page, "{}")
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var q sent
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chats++
	why := s.violates(q)
	rule, _, _ := strings.Cut(why, ":")
	words, spoken := s.Says[rule]
	if why != "" && (spoken || s.tells || rule == "roles") { // of what is lost without a word, nobody can know
		s.violations = append(s.violations, why)
		if spoken {
			text, err := json.Marshal(map[string]any{"error": map[string]any{"message": words, "type": "BadRequestError", "code": 400}})
			if err != nil {
				return nil, err
			}
			return answer(http.StatusBadRequest, page, string(text))
		}
	}
	return answer(http.StatusOK, "text/event-stream", `data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

// recording keeps the requests of a model.
type recording struct {
	turn.Streamer
	mu  *sync.Mutex
	all *[]model.Request
}

func (r recording) Stream(ctx context.Context, q model.Request, sink func(model.Delta)) (model.Reply, error) {
	r.mu.Lock()
	*r.all = append(*r.all, q)
	r.mu.Unlock()
	return r.Streamer.Stream(ctx, q, sink)
}

// aLongDay is what nod sends in the conversations that operators have: several calls in a
// reply, pictures of the pane, words of the operator in between, runs that end later, calls
// that fail and that cannot be read, faults, interruptions, conversations that are taken up
// again, and summaries at each place where they can stand.
func aLongDay(t *testing.T) []model.Request {
	t.Helper()
	var all []model.Request
	running := &agenttest.Background{Ended: make(chan struct{})}
	told := make(chan agent.RunEnded, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	broken := func(w io.Writer, _ *http.Request) { chunk(w, map[string]any{"content": "I wa"}, nil) }
	b := newBench(t, options{
		Gate: func(c *gate.Config) { c.Ended = func(e agent.RunEnded) { told <- e } },
		Agent: func(c *turn.Config) {
			c.MaxIterations = 5
			c.Model.Client = recording{c.Model.Client, &sync.Mutex{}, &all}
			c.Snapshot = func(context.Context) briefing.Snapshot {
				return briefing.Snapshot{Target: "local", Pane: "%1", Text: "$ make"}
			}
		},
	},
		callsFor(cmd("call_with_a_long_id_1", "start", "make"), cmd("call_with_a_long_id_2", "look", "x"), cmd("c", "look", "y")),
		callsFor(cmd("d", "wait", "")),
		callsFor(cmd("e", "nudge", ""), cmd("f", "nosuch", "")),
		callsFor(call{ID: "g", ToolName: "look", Args: `{"command":`}),
		says("It is done."),
		callsFor(cmd("h", "look", "1")), broken, // a turn that fails
		callsFor(cmd("i", "stop", ""), cmd("j", "look", "2")), // one that is interrupted
		callsFor(cmd("k", "look", "3")), callsFor(cmd("l", "look", "4")), callsFor(cmd("m", "look", "5")), callsFor(cmd("n", "look", "6")), callsFor(cmd("o", "look", "7")), says("No more."),
		says("- goal: to see"), says("Resumed."), says("In the middle."), says("Lost."),
	)
	b.Answer = approve
	do := func(name string, kind tools.Kind, f func() tools.Result) {
		b.Add(&probe{ToolName: name, Kind: kind, Do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) { return f(), nil }})
	}
	do("start", tools.Run, func() tools.Result { return tools.Result{Value: "dispatched", Running: running} })
	do("wait", tools.Pure, func() tools.Result { close(running.Ended); <-told; return tools.Result{} })
	do("nudge", tools.Pure, func() tools.Result {
		b.Must(b.Agent.Steer(b.ID, "only /var"))
		b.Must(b.Agent.Steer(b.ID, "and be quick"))
		return tools.Result{IsError: true, Value: "no"}
	})
	do("stop", tools.Pure, func() tools.Result { cancel(); return tools.Result{} })
	turns := func(prompts ...string) {
		for _, p := range prompts {
			b.Run(ctx, p)
			if ctx.Err() != nil {
				ctx = t.Context()
			}
			b.Forget()
		}
	}
	turns("build", "look", "stop here", "and again")
	if ending := b.Agent.Compact(ctx, b.ID, nil); ending != agent.Answered {
		t.Fatalf("compacting: %v", ending)
	}
	turns("go on")
	b.Must(b.History.Append(ctx, b.ID, // a summary within a turn, whose end nod did not see
		history.Message{Role: history.User, Content: "count"},
		history.Message{Role: history.Assistant, Calls: []history.Call{{ID: "p", Name: "look", Arguments: "{}"}}},
		history.Message{Role: history.Tool, Call: "p", Tool: "look", Content: "1"}))
	b.Must(b.History.Append(ctx, b.ID, history.Message{Role: history.Summary, Content: "it was counted", Through: len(b.Messages())},
		history.Message{Role: history.Assistant, Calls: []history.Call{{ID: "q", Name: "look", Arguments: "{}"}, {ID: "r", Name: "look", Arguments: "{}"}}}))
	turns("how many?", "sure?")
	return all
}

// TestRealRequestsFitEveryTemplate: no request of nod's breaks a rule of a published chat
// template. What a server does not say of its template is learnt from one refusal for each
// rule, and known to the next start.
func TestRealRequestsFitEveryTemplate(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("testdata/templates.json")
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Templates []template `json:"templates"`
	}
	if err := json.NewDecoder(bytes.NewReader(page)).Decode(&table); err != nil || len(table.Templates) < 40 {
		t.Fatal(len(table.Templates), err)
	}
	stores := map[string]*contact.Store{}
	var rules []template // of the table, each once
	seen := map[string]bool{}
	for _, one := range table.Templates {
		name := one.Name
		one.Name, one.Source = "", ""
		if key := fmt.Sprint(one); !seen[key] {
			seen[key] = true
			one.Name = name + " and others like it"
			rules = append(rules, one)
		}
	}
	requests := aLongDay(t)
	if len(requests) != 18 {
		t.Fatalf("%d requests", len(requests))
	}
	// A server that says what its template can do is asked for the whole day. Of one that does
	// not, the first start meets what the day begins with, the second one is the whole day.
	for _, c := range []struct {
		tells    bool
		requests []model.Request
		start    string
	}{{true, requests, "first"}, {false, requests[:6], "first"}, {false, requests, "second"}} {
		refused := 0
		for _, one := range rules {
			known, ok := stores[one.Name]
			if !ok || c.tells {
				known = &contact.Store{Dir: t.TempDir()}
				stores[one.Name] = known
			}
			s := &templateServer{template: one, tells: c.tells}
			client, err := model.New(model.Config{BaseURL: "http://gpu-1/v1", Model: "m", Known: known, Transport: s, Tries: 1})
			if err != nil {
				t.Fatal(err)
			}
			for i, q := range c.requests {
				client.Meet(t.Context())
				if _, err := client.Stream(t.Context(), q, nil); err != nil {
					t.Errorf("%s, request %d: %v", one.Name, i, err)
				}
			}
			client.Close()
			most := 0
			switch {
			case c.tells:
				most = min(len(one.Says), 1) // whether it writes calls at all is not told
			case c.start == "first":
				most = len(one.Says)
			}
			refused += len(s.violations)
			if len(s.violations) > most {
				t.Errorf("%s, told %v, %s start: %q", one.Name, c.tells, c.start, s.violations)
			}
		}
		t.Logf("told %v, %s start: %d sets of rules of %d templates, %d requests each, %d refused", c.tells, c.start, len(rules), len(table.Templates), len(c.requests), refused)
	}
}
