package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/internal/agenttest"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
)

// helpers gives a bench the tool task; change says what is special about the
// sub-agents.
func (b *bench) helpers(change func(*turn.Delegation)) {
	b.T.Helper()
	b.Must(b.Registry.Register(&desk.Task{
		Helpers: func() []desk.Helper { return []desk.Helper{{Name: "scout", Description: "looks"}} },
		Send: func(ctx context.Context, e desk.Errand) (desk.Report, error) {
			d := turn.Delegation{
				From: gate.From{Agent: e.Agent, Parent: e.Conversation}, Task: e.Task, Prompt: "Be a scout.",
				Never: desk.NotForHelpers(), Progress: e.Progress,
			}
			if change != nil {
				change(&d)
			}
			got, err := b.Agent.Delegate(ctx, d)
			return desk.Report{Conversation: got.Conversation, Ending: got.Ending.String(), Text: got.Answer, Fault: got.Fault, Steps: got.Steps}, err
		},
	}))
}

func errand(id, task string) call {
	args, _ := json.Marshal(map[string]string{"agent": "scout", "task": task}) // strings: cannot fail
	return call{id, "task", string(args)}
}

// route answers a request by the script of whose it is: that of the first word of a
// sub-agent's task, or of the one that sends them.
func route(scripts map[string][]reply) []reply {
	at := map[string]*atomic.Int32{}
	for name := range scripts {
		at[name] = &atomic.Int32{}
	}
	one := func(w io.Writer, r *http.Request) {
		who, _ := r.Context().Value(agenttest.AskedKey{}).(modelRequest)
		name := "main"
		if strings.Contains(who.Messages[0].Content, "sub-agent") {
			name, _, _ = strings.Cut(who.Messages[1].Content, " ")
		}
		n := int(at[name].Add(1)) - 1
		if n >= len(scripts[name]) {
			http.Error(w.(agenttest.Flushing).ResponseWriter, `{"error":{"message":"the script is over"}}`, http.StatusTeapot)
			return
		}
		scripts[name][n](w, r)
	}
	all := make([]reply, 60)
	for i := range all {
		all[i] = one
	}
	return all
}

// children are the conversations of the sub-agents, by their titles.
func (b *bench) children() map[string]history.Conversation {
	b.T.Helper()
	all, err := b.History.List(context.Background(), 0)
	b.Must(err)
	below := map[string]history.Conversation{}
	for _, c := range all {
		if c.Agent != "" {
			below[c.Title] = c
		}
	}
	return below
}

func TestSubAgentsWorkAtTheSameTimeAndReport(t *testing.T) {
	met := make(chan struct{}, 2)
	together := func(w io.Writer, r *http.Request) { // both are asked before one is answered
		met <- struct{}{}
		for len(met) < 2 {
			time.Sleep(time.Millisecond)
		}
		callsFor(cmd("x", "sh", "echo 4711-found"))(w, r)
	}
	b := newBench(t, options{Agent: func(c *turn.Config) {
		c.Model.Price, c.Model.ContextLimit = turn.Price{Input: 1e6, Output: 1e6}, 10_000
	}}, route(map[string][]reply{
		"main": {callsFor(errand("a", "disk of this host"), errand("b", "logs of this host")), says("Both are done.")},
		"disk": {together, says("The disk is full.")},
		"logs": {together, says("The logs are quiet.")},
	})...)
	b.helpers(nil)
	if ending := b.Run(t.Context(), "look at both"); ending != agent.Answered || b.Text() != "Both are done." {
		t.Fatal(ending, b.Text())
	}
	got := b.Results()
	if len(got) != 2 || !strings.HasPrefix(got[0], "a ") || !strings.Contains(got[0], `"report":"The disk is full."`) || !strings.Contains(got[1], "The logs are quiet.") {
		t.Errorf("%q", got)
	}
	// Nothing of the conversation goes along, and neither does the tool.
	for _, q := range b.Server.Asked() {
		text, sub := q.Messages[len(q.Messages)-1].Content, strings.Contains(q.Messages[0].Content, "Be a scout.")
		for _, tool := range q.Tools {
			if sub && strings.Contains(string(tool), `"name":"task"`) {
				t.Error("a sub-agent can send sub-agents")
			}
		}
		if sub && (strings.Contains(fmt.Sprint(q.Messages), "look at both") || q.Messages[1].Role != "user") {
			t.Errorf("%s: %+v", text, q.Messages)
		}
	}
	below := b.children()
	for _, title := range []string{"disk of this host", "logs of this host"} {
		c := below[title]
		if c.Parent != b.ID || c.Agent != "scout" || c.Open || c.Messages != 4 {
			t.Errorf("%s: %+v", title, c)
		}
	}
	if _, err := b.History.Latest(t.Context()); err == nil {
		t.Error("a sub-agent's conversation is offered to go on with")
	}
	for _, r := range b.Record() {
		if i := r.Intent; i != nil && (i.Agent != "scout" || i.Parent != b.ID || i.Conversation == b.ID) {
			t.Errorf("%+v", i)
		}
	}
	if got := strings.Count(b.Kinds(), "intent"); got != 2 {
		t.Errorf("the record: %s", b.Kinds())
	}
	// Six requests of 100 tokens, four of them the sub-agents'.
	usage, theirs := eventsOf[agent.Usage](b), 0
	for _, u := range usage {
		if u.Agent == "scout" {
			theirs++
			if u.Context != 0 {
				t.Errorf("%+v", u)
			}
		}
	}
	if last := usage[len(usage)-1]; len(usage) != 6 || theirs != 4 || last.Total != 600 {
		t.Errorf("%d, %d, %+v", len(usage), theirs, last)
	}
	steps := 0
	for _, p := range eventsOf[agent.CallProgress](b) {
		if p.Progress.Step && strings.Contains(p.Progress.Note, "scout: sh echo 4711-found") {
			steps++
		}
	}
	if steps != 2 {
		t.Errorf("%d steps are told", steps)
	}
}

func TestASubAgentHasNoMoreThanItsSender(t *testing.T) {
	b := newBench(t, options{}, route(map[string][]reply{
		"main": {callsFor(errand("a", "disk please")), says("I see.")},
		"disk": {callsFor(errand("x", "logs please"), cmd("y", "secretive", "x"), cmd("z", "sh", "touch made"), cmd("w", "sh", "echo fine")), says("I could not.")},
	})...)
	b.Add(&probe{ToolName: "secretive", Kind: tools.Pure})
	b.helpers(func(d *turn.Delegation) {
		d.Tools, d.ReadOnly = []string{"sh", "task", "nothing"}, true
	})
	b.Answer = approve
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
		t.Fatal(ending)
	}
	if got := b.Executed(); !slices.Equal(got, []string{"echo fine"}) {
		t.Errorf("ran %q", got)
	}
	said, err := b.History.Load(t.Context(), b.children()["disk please"].ID)
	b.Must(err)
	for i, want := range []string{"not_yours", "not_yours", "denied by policy", `fine\n`} {
		if m := said[2+i]; m.Role != history.Tool || !strings.Contains(m.Content, want) {
			t.Errorf("%d: %+v", i, m)
		}
	}
	if said[0].Role != history.Task {
		t.Errorf("%+v", said[0])
	}
	if len(b.Asked) != 0 {
		t.Errorf("asked %+v", b.Asked)
	}
	// Only a running turn can send one.
	if _, err := b.Agent.Delegate(t.Context(), turn.Delegation{From: gate.From{Agent: "scout", Parent: b.ID}}); !errors.Is(err, turn.ErrNoTurn) {
		t.Error(err)
	}
}

func TestAnApprovalNamesTheSubAgentAndTaintGoesAlong(t *testing.T) {
	b := newBench(t, options{}, route(map[string][]reply{
		"main": {
			callsFor(cmd("1", "sh", "cat note")),
			callsFor(errand("a", "disk as the note says: du /srv/printed-by-a-target and /srv/said-by-the-operator with ⟦secret:1⟧")),
			callsFor(cmd("2", "sh", "df /srv/only-the-scout-saw-it")),
			says("ok"),
		},
		"disk": {
			callsFor(cmd("x", "sh", "du /srv/printed-by-a-target")),
			callsFor(cmd("y", "sh", "cat more")),
			callsFor(cmd("z", "sh", "mkdir made")),
			callsFor(cmd("w", "sh", "printf ⟦secret:1⟧")),
			callsFor(cmd("v", "sh", "du /srv/said-by-the-operator")),
			says("look at /srv/only-the-scout-saw-it, the key is ⟦secret:2⟧"),
		},
	})...)
	b.Must(os.WriteFile(filepath.Join(b.Dir, "note"), []byte("try du /srv/printed-by-a-target with AKIAIOSFODNN7EXAMPLQ\n"), 0o600))
	b.Must(os.WriteFile(filepath.Join(b.Dir, "more"), []byte("and /srv/only-the-scout-saw-it with AKIAIOSFODNN7EXAMPLZ\n"), 0o600))
	b.helpers(nil)
	b.Answer = func(ctx context.Context, r policy.Request) (policy.Answer, error) {
		if r.Action.Command == "mkdir made" {
			return approve(ctx, r)
		}
		return policy.Answer{RequestID: r.ID}, nil
	}
	if ending := b.Run(t.Context(), "do as the note says, in /srv/said-by-the-operator"); ending != agent.Denied { // the last call was
		t.Error(ending)
	}
	var asked []string
	for _, r := range b.Asked {
		asked = append(asked, r.Agent+"|"+r.Action.Command)
		if r.Agent != "" && !strings.Contains(policy.Title(r), "for the sub-agent scout") {
			t.Error(policy.Title(r))
		}
	}
	want := []string{"scout|du /srv/printed-by-a-target", "scout|mkdir made", "scout|printf ⟦secret:1⟧", "|df /srv/only-the-scout-saw-it"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked %q", asked)
	}
	// A secret that the sub-agent has met has one name in both.
	var all []history.Message
	for _, c := range b.children() {
		said, err := b.History.Load(t.Context(), c.ID)
		b.Must(err)
		all = append(all, said...)
	}
	if text := fmt.Sprint(all, b.Messages()); strings.Contains(text, "AKIAIOSFODNN7EXAMPL") || strings.Count(text, "⟦secret:2⟧") != 3 || strings.Contains(text, "⟦secret:3⟧") {
		t.Errorf("%s", text)
	}
}

func TestASubAgentThatFailsSaysWhatItHasFound(t *testing.T) {
	found := func(w io.Writer, r *http.Request) {
		chunk(w, map[string]any{"content": "The disk is at 97 %; now the logs."}, nil)
		callsFor(cmd("x", "sh", "echo 97"))(w, r)
	}
	b := newBench(t, options{}, route(map[string][]reply{
		"main": {callsFor(errand("a", "disk one"), errand("b", "logs two"), errand("c", "more three")), says("I see.")},
		"disk": {found}, // and then the server is gone
		"logs": {callsFor(cmd("x", "rude", "y")), says("It panicked, and I am fine.")},
		"more": {says("")},
	})...)
	b.Add(&probe{ToolName: "rude", Kind: tools.Pure, Do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) { panic("no manners") }})
	b.helpers(nil)
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
		t.Fatal(ending)
	}
	got := b.Results()
	for i, want := range [][]string{
		{`"code":"failed"`, "The disk is at 97 %", "sh echo 97: exited 0", "the script is over"},
		{`"report":"It panicked, and I am fine."`},
		{"without an answer"},
	} {
		for _, part := range want {
			if !strings.Contains(got[i], part) {
				t.Errorf("result %d lacks %q: %s", i, part, got[i])
			}
		}
	}
	if below := b.children(); len(below) != 3 || below["disk one"].Messages == 0 {
		t.Errorf("%+v", below)
	}
}

// TestEscEndsAllSubAgents presses Esc while more of them work than may at the same
// time.
func TestEscEndsAllSubAgents(t *testing.T) {
	const n = turn.MaxSubAgents + 2
	scripts := map[string][]reply{}
	var calls []call
	var first atomic.Bool
	for i := range n {
		name := fmt.Sprint("n", i)
		calls = append(calls, errand(name, name+" please"))
		scripts[name] = nil
	}
	shell := callsFor(cmd("x", "sh", "exec sleep 60"))
	for name := range scripts { // whoever comes first has the command
		scripts[name] = []reply{func(w io.Writer, r *http.Request) {
			if first.CompareAndSwap(false, true) {
				shell(w, r)
				return
			}
			stall(map[string]any{"content": "so far, nothing"})(w, r)
		}}
	}
	scripts["main"] = []reply{callsFor(calls...), says("I am back.")}
	b := newBench(t, options{}, route(scripts)...)
	b.helpers(nil)
	b.Answer = approve
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var waiting, working atomic.Int32
	var pressed time.Time
	var presser sync.WaitGroup
	presser.Go(func() { // once all places are taken, a command runs and the others wait
		for working.Load() == 0 || waiting.Load() < n-turn.MaxSubAgents || len(b.Server.Asked()) < 1+turn.MaxSubAgents {
			if t.Context().Err() != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
		pressed = time.Now()
		cancel()
	})
	ending := b.RunWith(ctx, "go", func(e agent.Event) {
		b.Sink(e)
		if p, ok := e.(agent.CallProgress); ok && strings.Contains(p.Progress.Note, "work already") {
			waiting.Add(1)
		} else if ok && strings.Contains(p.Progress.Note, "sleep 60") {
			working.Add(1)
		}
	})
	presser.Wait()
	took := time.Since(pressed)
	t.Logf("%d sub-agents ended in %s", n, took.Round(time.Millisecond))
	limit := 10 * time.Second
	if os.Getenv("NOD_E2E") == "1" {
		limit = 100 * time.Millisecond
	}
	if ending != agent.Interrupted || took > limit {
		t.Error(ending, took)
	}
	if got := b.Results(); len(got) != n || strings.Count(strings.Join(got, ""), "interrupted") < n {
		t.Errorf("%q", got)
	}
	if _, err := ledger.Verify(filepath.Join(b.Dir, "ledger"), ""); err != nil {
		t.Error(err)
	}
	b.Forget()
	if ending := b.Run(t.Context(), "and now?"); ending != agent.Answered {
		t.Error(ending)
	}
}

// TestASubAgentsCallsThatMustBeAloneAre has sub-agents use the same shell.
func TestASubAgentsCallsThatMustBeAloneAre(t *testing.T) {
	scripts := map[string][]reply{}
	var calls []call
	for i := range 4 {
		name := fmt.Sprint("n", i)
		calls = append(calls, errand(name, name+" please"))
		scripts[name] = []reply{callsFor(cmd("1", "single", "x"), cmd("2", "single", "y")), says("done")}
	}
	scripts["main"] = []reply{callsFor(calls...), says("ok")}
	b := newBench(t, options{}, route(scripts)...)
	var now, crowd, ran atomic.Int32
	b.Add(&probe{ToolName: "single", Kind: tools.Pure, Do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		if now.Add(1) > 1 {
			crowd.Add(1)
		}
		time.Sleep(2 * time.Millisecond)
		now.Add(-1)
		ran.Add(1)
		return tools.Result{}, nil
	}})
	b.helpers(nil)
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
		t.Fatal(ending)
	}
	if ran.Load() != 8 || crowd.Load() != 0 {
		t.Errorf("%d ran, %d of them beside another", ran.Load(), crowd.Load())
	}
}

// TestWhatOnlySubAgentsAreOffered: a tool that is offered to nobody else, and its
// conversation is known before it begins.
func TestWhatOnlySubAgentsAreOffered(t *testing.T) {
	b := newBench(t, options{}, route(map[string][]reply{
		"main": {callsFor(errand("a", "disk please")), callsFor(call{"r", "team_room", `{"do":"read"}`}), says("ok")},
		"disk": {callsFor(call{"x", "team_room", `{"do":"read"}`}), says("done")},
	})...)
	var begun, called []string
	b.Must(b.Registry.Register(&desk.TeamRoom{Call: func(conversation string, _ desk.RoomCall) (any, error) {
		called = append(called, conversation)
		if !slices.Contains(begun, conversation) {
			return nil, errors.New("no seat")
		}
		return "nothing", nil
	}}))
	b.helpers(func(d *turn.Delegation) {
		d.Tools, d.Extra = []string{"look"}, []string{"team_room"}
		d.Begun = func(conversation string) { begun = append(begun, conversation) }
	})
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
		t.Fatal(ending)
	}
	for _, q := range b.Server.Asked() {
		sub := strings.Contains(q.Messages[0].Content, "sub-agent")
		if offered := strings.Contains(fmt.Sprintf("%s", q.Tools), "team_room"); offered != sub {
			t.Errorf("offered %v to a sub-agent %v", offered, sub)
		}
	}
	if len(begun) != 1 || begun[0] != b.children()["disk please"].ID || len(called) != 2 || called[0] != begun[0] || !strings.Contains(b.Results()[1], "no seat") {
		t.Errorf("begun %q, called %q, %q", begun, called, b.Results())
	}
}

// rudeModel panics when a sub-agent asks it.
type rudeModel struct{ turn.Streamer }

func (m rudeModel) Stream(ctx context.Context, r model.Request, sink func(model.Delta)) (model.Reply, error) {
	if strings.Contains(r.Messages[0].Content, "sub-agent") {
		panic("not with you")
	}
	return m.Streamer.Stream(ctx, r, sink)
}

func TestASubAgentWhoseModelPanicsHasFailed(t *testing.T) {
	b := newBench(t, options{Agent: func(c *turn.Config) { c.Model.Client = rudeModel{c.Model.Client} }},
		callsFor(errand("a", "disk please")), says("I see."))
	b.helpers(nil)
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
		t.Fatal(ending)
	}
	if got := b.Results()[0]; !strings.Contains(got, "the sub-agent panicked: not with you") {
		t.Error(got)
	}
}

// TestWhatASkillLeavesHoldsForSubAgents: so do the tokens that are left, and the
// posture is told.
func TestWhatASkillLeavesHoldsForSubAgents(t *testing.T) {
	b := newBench(t, options{Agent: func(c *turn.Config) { c.MaxTokens = 450 }}, route(map[string][]reply{
		"main": {callsFor(cmd("1", "skill", "x")), callsFor(errand("a", "disk please")), callsFor(cmd("2", "look", "more"))},
		"disk": {callsFor(cmd("x", "sh", "echo no")), callsFor(cmd("y", "look", "yes")), says("done")},
	})...)
	b.Add(&probe{ToolName: "skill", Kind: tools.Pure, Do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		return tools.Result{Value: "look only", Only: []string{"look", "task"}}, nil
	}})
	b.helpers(func(d *turn.Delegation) { d.ReadOnly = true })
	if ending := b.Run(t.Context(), "go"); ending != agent.Failed { // five requests of 100 tokens are too many
		t.Error(ending)
	}
	if f := eventsOf[agent.Fault](b); len(f) != 1 || !strings.Contains(f[0].Text, "tokens") {
		t.Errorf("%+v", f)
	}
	if got := b.Executed(); !slices.Equal(got, []string{"x", "yes"}) {
		t.Errorf("ran %q", got)
	}
	for _, q := range b.Server.Asked() {
		if system := q.Messages[0].Content; strings.Contains(system, "sub-agent") && (len(q.Tools) > 1 || !strings.Contains(system, "Posture: read-only")) {
			t.Errorf("%d tools; %s", len(q.Tools), system)
		}
	}
}

// lasting is a command that goes on after its call.
type lasting struct{ done chan struct{} }

func (l lasting) Done() <-chan struct{} { return l.done }
func (l lasting) Record() tools.Record {
	return tools.Record{Outcome: backends.ExitedWith(3)}
}
func (lasting) Describe() string { return "make all: exited 3" }

func TestTheSenderHearsOfWhatASubAgentLeftRunning(t *testing.T) {
	heard := make(chan agent.RunEnded, 1)
	b := newBench(t, options{Gate: func(c *gate.Config) { c.Ended = func(e agent.RunEnded) { heard <- e } }}, route(map[string][]reply{
		"main": {callsFor(errand("a", "disk please")), says("It is being made."), says("I heard.")},
		"disk": {callsFor(cmd("x", "begin", "make all")), says("It runs.")},
	})...)
	made := lasting{make(chan struct{})}
	b.Add(&probe{ToolName: "begin", Kind: tools.Exec, Do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		return tools.Result{Value: "begun", Running: made}, nil
	}})
	b.helpers(nil)
	b.Answer = approve
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
		t.Fatal(ending)
	}
	close(made.done)
	<-heard
	b.Forget()
	if ending := b.Run(t.Context(), "and?"); ending != agent.Answered {
		t.Fatal(ending)
	}
	if ended := eventsOf[agent.RunEnded](b); len(ended) != 1 || ended[0].Text != "make all: exited 3" {
		t.Errorf("%+v", ended)
	}
}
