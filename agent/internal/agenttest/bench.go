// Package agenttest has an agent on real parts for tests: only the model behind the
// socket is a script.
package agenttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/briefing"
	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
)

// Bench is an agent on real parts; only the model behind the socket is a
// script.
type Bench struct {
	T        *testing.T
	Dir      string
	Registry *tools.Registry
	Verifier *tools.Verifier
	Engine   *policy.Engine
	Ledger   *ledger.Ledger
	History  *history.Store
	Gate     *gate.Gate
	Agent    *turn.Agent
	Server   *Server
	ID       string // the conversation

	Mu     sync.Mutex
	Events []agent.Event
	Asked  []policy.Request
	Answer func(ctx context.Context, r policy.Request) (policy.Answer, error)
	Runs   []tools.Action // what was executed
}

// Options say how a Bench differs from the plain one.
type Options struct {
	Gate     func(*gate.Config)
	Agent    func(*turn.Config)
	Model    func(*model.Config)
	Recorder func(gate.Recorder) gate.Recorder
	Store    func(turn.Store) turn.Store
	Posture  policy.Posture
}

// New makes one whose model gives the scripted replies, one a request.
func New(t *testing.T, opt Options, script ...Reply) *Bench {
	t.Helper()
	b := &Bench{T: t, Dir: t.TempDir(), Registry: &tools.Registry{}, Server: Serve(t, script)}
	b.Answer = func(context.Context, policy.Request) (policy.Answer, error) { return policy.Answer{}, nil }
	minter, verifier := tools.NewMint()
	b.Verifier = verifier
	var err error
	b.Engine, err = policy.NewEngine(policy.Options{Minter: minter, Approver: b, Posture: opt.Posture})
	b.Must(err)
	b.Ledger, err = ledger.Open(filepath.Join(b.Dir, "ledger"), ledger.Options{})
	b.Must(err)
	t.Cleanup(func() { b.Must(b.Ledger.Close()) })
	b.History, err = history.Open(t.Context(), filepath.Join(b.Dir, "history"), history.Options{})
	b.Must(err)
	t.Cleanup(func() { b.Must(b.History.Close()) })
	c, err := b.History.Create(t.Context(), "local", "m")
	b.Must(err)
	b.ID = c.ID

	gc := gate.Config{Tools: b.Registry, Policy: b.Engine, Ledger: b.Ledger, Operator: "ops"}
	if opt.Recorder != nil {
		gc.Ledger = opt.Recorder(b.Ledger)
	}
	if opt.Gate != nil {
		opt.Gate(&gc)
	}
	b.Gate, err = gate.New(gc)
	b.Must(err)
	t.Cleanup(b.Gate.Close)
	mc := model.Config{BaseURL: b.Server.URL + "/v1", Model: "m", RetryPause: time.Millisecond, Tries: 2}
	if opt.Model != nil {
		opt.Model(&mc)
	}
	client, err := model.New(mc)
	b.Must(err)
	t.Cleanup(client.Close)
	ac := turn.Config{Model: turn.Model{Client: client, Name: "m"}, Gate: b.Gate, History: b.History, Situation: func() briefing.Situation {
		return briefing.Situation{Target: "local", User: "ops", Posture: "ask"}
	}}
	if opt.Store != nil {
		ac.History = opt.Store(b.History)
	}
	if opt.Agent != nil {
		opt.Agent(&ac)
	}
	b.Agent, err = turn.New(ac)
	b.Must(err)
	for _, tool := range []*Probe{
		{ToolName: "sh", Kind: tools.Exec, Do: b.Sh},
		{ToolName: "look", Kind: tools.Pure, Parallel: true},
	} {
		b.Add(tool)
	}
	return b
}

// Must ends the test if err is not nil.
func (b *Bench) Must(err error) {
	b.T.Helper()
	if err != nil {
		b.T.Fatal(err)
	}
}

// Add registers a tool.
func (b *Bench) Add(p *Probe) {
	b.T.Helper()
	p.Bench = b
	b.Must(b.Registry.Register(p))
}

// Approve is the operator.
func (b *Bench) Approve(ctx context.Context, r policy.Request) (policy.Answer, error) {
	b.Mu.Lock()
	b.Asked = append(b.Asked, r)
	answer := b.Answer
	b.Mu.Unlock()
	return answer(ctx, r)
}

// Approve answers every request with a yes, once.
func Approve(_ context.Context, r policy.Request) (policy.Answer, error) {
	return policy.Answer{RequestID: r.ID, Approved: true, Typed: r.Confirm}, nil
}

// Sink keeps an event.
func (b *Bench) Sink(e agent.Event) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	b.Events = append(b.Events, e)
}

// Run runs a turn and checks what always holds.
func (b *Bench) Run(ctx context.Context, prompt string) agent.Ending {
	b.T.Helper()
	return b.RunWith(ctx, prompt, b.Sink)
}

// RunWith runs one turn whose events go to sink.
func (b *Bench) RunWith(ctx context.Context, prompt string, sink agent.Sink) agent.Ending {
	b.T.Helper()
	ending := b.Agent.Run(ctx, b.ID, prompt, sink)
	b.CheckHistory()
	b.CheckEvents(ending)
	if _, err := ledger.Verify(filepath.Join(b.Dir, "ledger"), ""); err != nil {
		b.T.Error(err)
	}
	return ending
}

// Messages are the stored conversation.
func (b *Bench) Messages() []history.Message {
	b.T.Helper()
	said, err := b.History.Load(context.Background(), b.ID)
	b.Must(err)
	return said
}

// Results are the contents of the stored results, in order.
func (b *Bench) Results() []string {
	b.T.Helper()
	var all []string
	for _, m := range b.Messages() {
		if m.Role == history.Tool {
			all = append(all, m.Call+" "+m.Content)
		}
	}
	return all
}

// CheckHistory checks that each call has exactly one result, in call order and
// before anything else is said.
func (b *Bench) CheckHistory() {
	b.T.Helper()
	said := b.Messages()
	for i := 0; i < len(said); i++ {
		for n, c := range said[i].Calls {
			at := i + 1 + n
			if at >= len(said) || said[at].Role != history.Tool || said[at].Call != c.ID {
				b.T.Errorf("the result of call %s is not message %d of %s", c.ID, at, Outline(said))
			}
		}
		if said[i].Role == history.Tool {
			b.T.Errorf("a result without a call at %d of %s", i, Outline(said))
		}
		i += len(said[i].Calls)
	}
}

// Outline is a conversation in short: each message by its role and text.
func Outline(said []history.Message) string {
	var parts []string
	for _, m := range said {
		parts = append(parts, fmt.Sprintf("%s(%s%d)", m.Role, m.Call, len(m.Calls)))
	}
	return strings.Join(parts, " ")
}

// CheckEvents checks the order that the package promises.
func (b *Bench) CheckEvents(ending agent.Ending) {
	b.T.Helper()
	b.Mu.Lock()
	defer b.Mu.Unlock()
	stage := map[string]string{} // the last event of each call
	for i, e := range b.Events {
		if done, ok := e.(agent.Done); ok && (i != len(b.Events)-1 || done.Ending != ending) {
			b.T.Errorf("event %d of %d is %+v; Run returned %v", i, len(b.Events), e, ending)
		}
		call, after := followed(e)
		if after == nil {
			continue
		}
		if !slices.Contains(after, stage[call]) {
			b.T.Errorf("call %s: %s after %q", call, e.Kind(), stage[call])
		}
		stage[call] = e.Kind()
	}
	for call, last := range stage {
		if last != "call_finished" {
			b.T.Errorf("call %s: the last event is %s", call, last)
		}
	}
	if len(b.Events) == 0 || b.Events[len(b.Events)-1].Kind() != "done" {
		b.T.Error("the last event is not Done")
	}
}

// followed are the events of its call that can come right before an event; "" is none of
// them. It is nil for an event that is of no call.
func followed(e agent.Event) (call string, after []string) {
	switch e := e.(type) {
	case agent.CallProposed:
		return e.Call, []string{""}
	case agent.ApprovalAsked:
		return e.Call, []string{"call_proposed", "approval_answered"}
	case agent.ApprovalAnswered:
		return e.Call, []string{"approval_asked"}
	case agent.CallStarted:
		return e.Call, []string{"call_proposed", "approval_answered"}
	case agent.CallProgress:
		return e.Call, []string{"call_started", "call_progress"}
	case agent.CallFinished:
		return e.Call, []string{"call_proposed", "approval_answered", "call_started", "call_progress"}
	}
	return "", nil
}

// Forget drops the events so far.
func (b *Bench) Forget() {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	b.Events = nil
}

// Text is all streamed text.
func (b *Bench) Text() string {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	var all strings.Builder
	for _, e := range b.Events {
		if e, ok := e.(agent.Text); ok {
			all.WriteString(e.Text)
		}
	}
	return all.String()
}

// EventsOf returns the events of one type, in order.
func EventsOf[E agent.Event](b *Bench) []E {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	var all []E
	for _, e := range b.Events {
		if e, ok := e.(E); ok {
			all = append(all, e)
		}
	}
	return all
}

// Record is what the ledger holds.
func (b *Bench) Record() []ledger.Record {
	b.T.Helper()
	var all []ledger.Record
	b.Must(ledger.Read(filepath.Join(b.Dir, "ledger"), func(r ledger.Record) error {
		all = append(all, r)
		return nil
	}))
	return all
}

// Kinds are the record's types, with the outcomes of conclusions.
func (b *Bench) Kinds() string {
	b.T.Helper()
	var all []string
	for _, r := range b.Record() {
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

// Probe is a tool for tests. Its argument "command" becomes the action's.
type Probe struct {
	Bench    *Bench
	ToolName string
	Kind     tools.Kind
	Parallel bool
	Planned  func(args json.RawMessage) error
	Do       func(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error)
}

// Name implements [tools.Tool].
func (p *Probe) Name() string { return p.ToolName }

// Description implements [tools.Tool].
func (p *Probe) Description() string { return "a probe" }

// InputSchema implements [tools.Tool].
func (p *Probe) InputSchema() map[string]any { return map[string]any{"type": "object"} }

// Parallelizable implements [tools.Tool].
func (p *Probe) Parallelizable() bool { return p.Parallel }

// Plan implements [tools.Tool].
func (p *Probe) Plan(_ context.Context, args json.RawMessage, env tools.Env) (tools.Action, error) {
	if p.Planned != nil {
		if err := p.Planned(args); err != nil {
			return tools.Action{}, err
		}
	}
	var a struct{ Command string }
	if err := json.Unmarshal(args, &a); err != nil {
		return tools.Action{}, tools.Invalid("%w", err)
	}
	action := tools.Action{Tool: p.ToolName, Kind: p.Kind, Command: a.Command}
	if p.Kind != tools.Pure {
		action.Target, action.User, action.Dialect = env.Target, "ops", "sh"
		action.Claim = tools.Claim{Risk: "low", Why: "a test"}
	}
	return action, nil
}

// Execute implements [tools.Tool].
func (p *Probe) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	b := p.Bench
	b.Mu.Lock()
	b.Runs = append(b.Runs, a)
	b.Mu.Unlock()
	if err := b.Verifier.Redeem(a, env.Grant); err != nil {
		return tools.Result{}, tools.Denied("%w", err)
	}
	if p.Do == nil {
		return tools.Result{Value: a.Command}, nil
	}
	return p.Do(ctx, a, env)
}

// Sh runs the command in a real shell and interrupts it when ctx ends.
func (b *Bench) Sh(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	env.Report(tools.Progress{Note: "running"})
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", "-c", a.Command)
	cmd.Dir, cmd.Stdout, cmd.Stderr = b.Dir, &out, &out
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

// Pass sends one call of a tool through the gate.
func (b *Bench) Pass(ctx context.Context, tool, command string) gate.Answer {
	b.T.Helper()
	args, err := json.Marshal(map[string]string{"command": command})
	b.Must(err)
	return b.Gate.Call(ctx, gate.Call{ID: "a", Tool: tool, Arguments: args, Conversation: b.ID, Target: "local"}, b.Sink)
}

// Executed returns the names of the tools that ran, in order.
func (b *Bench) Executed() []string {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	var all []string
	for _, a := range b.Runs {
		all = append(all, a.Command)
	}
	return all
}

// Background is a command that goes on after its call.
type Background struct{ Ended chan struct{} }

// Done implements [tools.Background].
func (r *Background) Done() <-chan struct{} { return r.Ended }

// Record implements [tools.Background].
func (r *Background) Record() tools.Record { return tools.Record{Outcome: backends.ExitedWith(2)} }

// Describe implements [tools.Background].
func (r *Background) Describe() string { return "make in %3: exited 2" }
