package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is an agent on real parts; only the model behind the socket is a
// script.
type bench struct {
	t        *testing.T
	dir      string
	registry *tools.Registry
	verifier *tools.Verifier
	engine   *policy.Engine
	ledger   *ledger.Ledger
	history  *history.Store
	gate     *agent.Gate
	agent    *agent.Agent
	server   *server
	id       string // the conversation

	mu     sync.Mutex
	events []agent.Event
	asked  []policy.Request
	answer func(ctx context.Context, r policy.Request) (policy.Answer, error)
	runs   []tools.Action // what was executed
}

type options struct {
	gate     func(*agent.GateConfig)
	agent    func(*agent.Config)
	model    func(*model.Config)
	recorder func(agent.Recorder) agent.Recorder
	store    func(agent.Store) agent.Store
	posture  policy.Posture
}

// newBench makes one whose model gives the scripted replies, one a request.
func newBench(t *testing.T, opt options, script ...reply) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), registry: &tools.Registry{}, server: serve(t, script)}
	b.answer = func(context.Context, policy.Request) (policy.Answer, error) { return policy.Answer{}, nil }
	minter, verifier := tools.NewMint()
	b.verifier = verifier
	var err error
	b.engine, err = policy.NewEngine(policy.Options{Minter: minter, Approver: b, Posture: opt.posture})
	b.must(err)
	b.ledger, err = ledger.Open(filepath.Join(b.dir, "ledger"), ledger.Options{})
	b.must(err)
	t.Cleanup(func() { b.must(b.ledger.Close()) })
	b.history, err = history.Open(t.Context(), filepath.Join(b.dir, "history"), history.Options{})
	b.must(err)
	t.Cleanup(func() { b.must(b.history.Close()) })
	c, err := b.history.Create(t.Context(), "local", "m")
	b.must(err)
	b.id = c.ID

	gc := agent.GateConfig{Tools: b.registry, Policy: b.engine, Ledger: b.ledger, Operator: "ops"}
	if opt.recorder != nil {
		gc.Ledger = opt.recorder(b.ledger)
	}
	if opt.gate != nil {
		opt.gate(&gc)
	}
	b.gate, err = agent.NewGate(gc)
	b.must(err)
	t.Cleanup(b.gate.Close)
	mc := model.Config{BaseURL: b.server.URL + "/v1", Model: "m", RetryPause: time.Millisecond, Tries: 2}
	if opt.model != nil {
		opt.model(&mc)
	}
	client, err := model.New(mc)
	b.must(err)
	t.Cleanup(client.Close)
	ac := agent.Config{Brain: agent.Brain{Model: client, Name: "m"}, Gate: b.gate, History: b.history, Situation: func() agent.Situation {
		return agent.Situation{Target: "local", User: "ops", Posture: "ask"}
	}}
	if opt.store != nil {
		ac.History = opt.store(b.history)
	}
	if opt.agent != nil {
		opt.agent(&ac)
	}
	b.agent, err = agent.New(ac)
	b.must(err)
	for _, tool := range []*probe{
		{name: "sh", kind: tools.Exec, do: b.sh},
		{name: "look", kind: tools.Pure, parallel: true},
	} {
		b.add(tool)
	}
	return b
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) add(p *probe) {
	b.t.Helper()
	p.bench = b
	b.must(b.registry.Register(p))
}

// Approve is the operator.
func (b *bench) Approve(ctx context.Context, r policy.Request) (policy.Answer, error) {
	b.mu.Lock()
	b.asked = append(b.asked, r)
	answer := b.answer
	b.mu.Unlock()
	return answer(ctx, r)
}

func approve(_ context.Context, r policy.Request) (policy.Answer, error) {
	return policy.Answer{RequestID: r.ID, Approved: true, Typed: r.Confirm}, nil
}

func (b *bench) sink(e agent.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, e)
}

// run runs a turn and checks what always holds.
func (b *bench) run(ctx context.Context, prompt string) agent.Ending {
	b.t.Helper()
	return b.runWith(ctx, prompt, b.sink)
}

func (b *bench) runWith(ctx context.Context, prompt string, sink agent.Sink) agent.Ending {
	b.t.Helper()
	ending := b.agent.Run(ctx, b.id, prompt, sink)
	b.checkHistory()
	b.checkEvents(ending)
	if _, err := ledger.Verify(filepath.Join(b.dir, "ledger"), ""); err != nil {
		b.t.Error(err)
	}
	return ending
}

// said is the stored conversation.
func (b *bench) said() []history.Message {
	b.t.Helper()
	said, err := b.history.Load(context.Background(), b.id)
	b.must(err)
	return said
}

// results are the contents of the stored results, in order.
func (b *bench) results() []string {
	b.t.Helper()
	var all []string
	for _, m := range b.said() {
		if m.Role == history.Tool {
			all = append(all, m.Call+" "+m.Content)
		}
	}
	return all
}

// checkHistory checks that each call has exactly one result, in call order and
// before anything else is said.
func (b *bench) checkHistory() {
	b.t.Helper()
	said := b.said()
	for i := 0; i < len(said); i++ {
		for n, c := range said[i].Calls {
			at := i + 1 + n
			if at >= len(said) || said[at].Role != history.Tool || said[at].Call != c.ID {
				b.t.Errorf("the result of call %s is not message %d of %s", c.ID, at, outline(said))
			}
		}
		if said[i].Role == history.Tool {
			b.t.Errorf("a result without a call at %d of %s", i, outline(said))
		}
		i += len(said[i].Calls)
	}
}

func outline(said []history.Message) string {
	var parts []string
	for _, m := range said {
		parts = append(parts, fmt.Sprintf("%s(%s%d)", m.Role, m.Call, len(m.Calls)))
	}
	return strings.Join(parts, " ")
}

// checkEvents checks the order that the package promises.
func (b *bench) checkEvents(ending agent.Ending) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	stage := map[string]string{} // the last event of each call
	for i, e := range b.events {
		var call string
		var after []string
		switch e := e.(type) {
		case agent.CallProposed:
			call, after = e.Call, []string{""}
		case agent.ApprovalAsked:
			call, after = e.Call, []string{"call_proposed", "approval_answered"}
		case agent.ApprovalAnswered:
			call, after = e.Call, []string{"approval_asked"}
		case agent.CallStarted:
			call, after = e.Call, []string{"call_proposed", "approval_answered"}
		case agent.CallProgress:
			call, after = e.Call, []string{"call_started", "call_progress"}
		case agent.CallFinished:
			call, after = e.Call, []string{"call_proposed", "approval_answered", "call_started", "call_progress"}
		case agent.Done:
			if i != len(b.events)-1 || e.Ending != ending {
				b.t.Errorf("event %d of %d is %+v; Run returned %v", i, len(b.events), e, ending)
			}
			continue
		default:
			continue
		}
		if !slices.Contains(after, stage[call]) {
			b.t.Errorf("call %s: %s after %q", call, e.Kind(), stage[call])
		}
		stage[call] = e.Kind()
	}
	for call, last := range stage {
		if last != "call_finished" {
			b.t.Errorf("call %s: the last event is %s", call, last)
		}
	}
	if len(b.events) == 0 || b.events[len(b.events)-1].Kind() != "done" {
		b.t.Error("the last event is not Done")
	}
}

// forget drops the events so far.
func (b *bench) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = nil
}

// text is all streamed text.
func (b *bench) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all strings.Builder
	for _, e := range b.events {
		if e, ok := e.(agent.Text); ok {
			all.WriteString(e.Text)
		}
	}
	return all.String()
}

func eventsOf[E agent.Event](b *bench) []E {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []E
	for _, e := range b.events {
		if e, ok := e.(E); ok {
			all = append(all, e)
		}
	}
	return all
}

// record is what the ledger holds.
func (b *bench) record() []ledger.Record {
	b.t.Helper()
	var all []ledger.Record
	b.must(ledger.Read(filepath.Join(b.dir, "ledger"), func(r ledger.Record) error {
		all = append(all, r)
		return nil
	}))
	return all
}

// kinds are the record's types, with the outcomes of conclusions.
func (b *bench) kinds() string {
	b.t.Helper()
	var all []string
	for _, r := range b.record() {
		switch r.Type {
		case ledger.TypeConclusion:
			all = append(all, r.Conclusion.Outcome)
		case ledger.TypeNote:
			all = append(all, r.Note.Kind)
		default:
			all = append(all, r.Type)
		}
	}
	return strings.Join(all, " ")
}

// probe is a tool for tests. Its argument "command" becomes the action's.
type probe struct {
	bench    *bench
	name     string
	kind     tools.Kind
	parallel bool
	plan     func(args json.RawMessage) error
	do       func(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error)
}

func (p *probe) Name() string                { return p.name }
func (p *probe) Description() string         { return "a probe" }
func (p *probe) InputSchema() map[string]any { return map[string]any{"type": "object"} }
func (p *probe) Parallelizable() bool        { return p.parallel }

func (p *probe) Plan(_ context.Context, args json.RawMessage, env tools.Env) (tools.Action, error) {
	if p.plan != nil {
		if err := p.plan(args); err != nil {
			return tools.Action{}, err
		}
	}
	var a struct{ Command string }
	if err := json.Unmarshal(args, &a); err != nil {
		return tools.Action{}, tools.Invalid("%w", err)
	}
	action := tools.Action{Tool: p.name, Kind: p.kind, Command: a.Command}
	if p.kind != tools.Pure {
		action.Target, action.User, action.Dialect = env.Target, "ops", "sh"
		action.Claim = tools.Claim{Risk: "low", Why: "a test"}
	}
	return action, nil
}

func (p *probe) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	b := p.bench
	b.mu.Lock()
	b.runs = append(b.runs, a)
	b.mu.Unlock()
	if err := b.verifier.Redeem(a, env.Grant); err != nil {
		return tools.Result{}, tools.Denied("%w", err)
	}
	if p.do == nil {
		return tools.Result{Value: a.Command}, nil
	}
	return p.do(ctx, a, env)
}

// sh runs the command in a real shell and interrupts it when ctx ends.
func (b *bench) sh(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	env.Report(tools.Progress{Note: "running"})
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", "-c", a.Command)
	cmd.Dir, cmd.Stdout, cmd.Stderr = b.dir, &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return tools.Result{Value: out.String(), Record: tools.Record{Outcome: backends.ExitedWith(0), Bytes: int64(out.Len())}}, nil
	case errors.As(err, &exit) && exit.Exited():
		r := tools.Result{Value: out.String(), IsError: true}
		r.Record.Outcome = backends.ExitedWith(exit.ExitCode())
		return r, nil
	case ctx.Err() != nil:
		r := tools.Failure("interrupted", "interrupted")
		r.Record = tools.Record{Outcome: backends.EndedBy(backends.KILL)}
		return r, nil
	}
	return tools.Result{}, tools.Failed("%w", err)
}

func (b *bench) executed() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []string
	for _, a := range b.runs {
		all = append(all, a.Command)
	}
	return all
}

// reply is what the scripted model does with one request.
type reply func(w io.Writer, r *http.Request)

// server is an OpenAI-compatible server on loopback that follows a script.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []modelRequest
	count    int
	spent    time.Duration // answering, since busy was asked
}

// busy is how long the server has worked on answers since it was last asked.
func (s *server) busy() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	spent := s.spent
	s.spent = 0
	return spent
}

// forget drops what was asked so far.
func (s *server) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// askedKey is where a reply finds what was asked.
type askedKey struct{}

type modelRequest struct {
	Messages []struct {
		Role       string `json:"role"`
		Content    string `json:"content"`
		Reasoning  string `json:"reasoning_content"`
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID    string          `json:"id"`
			Extra json.RawMessage `json:"extra_content"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []json.RawMessage `json:"tools"`
}

func serve(t *testing.T, script []reply) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		defer func() {
			s.mu.Lock()
			s.spent += time.Since(began)
			s.mu.Unlock()
		}()
		var q modelRequest
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		n := s.count
		s.count++
		s.requests = append(s.requests, q)
		s.mu.Unlock()
		if why := q.unsound(); why != "" {
			t.Errorf("request %d: %s", n, why)
		}
		if n >= len(script) {
			http.Error(w, `{"error":{"message":"the script is over"}}`, http.StatusTeapot)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		script[n](flushing{w}, r.WithContext(context.WithValue(r.Context(), askedKey{}, q)))
	}))
	t.Cleanup(s.Close)
	return s
}

// unsound says what strict servers reject: calls without exactly their results
// behind them, and prompts that do not follow an answer.
func (q modelRequest) unsound() string {
	for i, m := range q.Messages {
		for n, c := range m.ToolCalls {
			at := i + 1 + n
			if at >= len(q.Messages) || q.Messages[at].Role != "tool" || q.Messages[at].ToolCallID != c.ID {
				return fmt.Sprintf("call %s has no result at message %d", c.ID, at)
			}
		}
		if m.Role == "user" && i > 1 && q.Messages[i-1].Role == "user" {
			return fmt.Sprintf("message %d: user after user", i)
		}
		if m.Role == "user" && i > 1 && q.Messages[i-1].Role != "assistant" && !strings.HasPrefix(m.Content, "steer:") {
			return fmt.Sprintf("message %d: user after %s", i, q.Messages[i-1].Role)
		}
	}
	return ""
}

// notice is how a notice of nod's stands in a request: with the mark that its prompt
// names.
func (b *bench) notice(q modelRequest, text string) string {
	b.t.Helper()
	_, rest, ok := strings.Cut(q.Messages[0].Content, `<notice from="nod" mark="`)
	mark, _, _ := strings.Cut(rest, `"`)
	if !ok || len(mark) < 12 {
		b.t.Errorf("no mark in the prompt: %q", mark)
	}
	return `<notice from="nod" mark="` + mark + `">` + text + "</notice>"
}

func (s *server) asked() []modelRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

type flushing struct{ http.ResponseWriter }

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.ResponseWriter.Write(p)
	f.ResponseWriter.(http.Flusher).Flush()
	return n, err
}

// says answers with text, a few bytes a chunk.
func says(text string) reply {
	return func(w io.Writer, _ *http.Request) {
		for len(text) > 0 {
			n := character(text, min(7, len(text)))
			chunk(w, map[string]any{"content": text[:n]}, nil)
			text = text[n:]
		}
		finish(w, "stop")
	}
}

// character is the first place from at on where no character is cut in two.
func character(s string, at int) int {
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return at
}

type call struct{ id, name, args string }

// cmd is a call with a command as its argument.
func cmd(id, name, command string) call {
	args, _ := json.Marshal(map[string]string{"command": command}) // strings: cannot fail
	return call{id, name, string(args)}
}

// callsFor asks for tool calls whose arguments arrive in pieces, all at the
// same time.
func callsFor(calls ...call) reply {
	return func(w io.Writer, _ *http.Request) {
		for i, c := range calls {
			chunk(w, map[string]any{"tool_calls": []any{piece(i, c.id, c.name, "")}}, nil)
		}
		for at, more := 0, true; more; at += 5 {
			more = false
			for i, c := range calls {
				if at < len(c.args) {
					chunk(w, map[string]any{"tool_calls": []any{piece(i, "", "", c.args[character(c.args, at):character(c.args, min(at+5, len(c.args)))])}}, nil)
					more = true
				}
			}
		}
		finish(w, "tool_calls")
	}
}

func piece(i int, id, name, args string) map[string]any {
	p := map[string]any{"index": i, "function": map[string]any{"arguments": args}}
	if name != "" {
		p["id"], p["type"] = id, "function"
		p["function"] = map[string]any{"name": name, "arguments": args}
	}
	return p
}

func chunk(w io.Writer, delta map[string]any, finish any) {
	text, err := json.Marshal(map[string]any{
		"id": "x", "object": "chat.completion.chunk", "model": "m",
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
	})
	if err != nil {
		panic(err)
	}
	_, _ = fmt.Fprintf(w, "data: %s\n\n", text) // the client may have gone, as some tests want
}

func finish(w io.Writer, reason string) {
	chunk(w, map[string]any{}, reason)
	_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n",
		`{"id":"x","object":"chat.completion.chunk","model":"m","choices":[],"usage":{"prompt_tokens":90,"completion_tokens":10,"total_tokens":100}}`)
}
