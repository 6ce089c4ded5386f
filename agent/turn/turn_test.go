package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
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
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/internal/agenttest"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/tools"
)

func TestAConversationFromThePromptToTheAnswer(t *testing.T) {
	b := newBench(t, options{Agent: func(c *turn.Config) { c.Model.ContextLimit = 20_000 }},
		callsFor(cmd("a", "look", "one"), cmd("b", "sh", "echo hello"), cmd("c", "look", "two")),
		says("It is done."), says("Again."))
	if ending := b.Run(t.Context(), "do it"); ending != agent.Answered {
		t.Fatalf("%v", ending)
	}
	if b.Text() != "It is done." {
		t.Errorf("%q", b.Text())
	}
	if got := b.Results(); len(got) != 3 || !strings.HasPrefix(got[0], "a ") || !strings.Contains(got[1], `hello\n`) || !strings.HasPrefix(got[2], "c ") {
		t.Errorf("%q", got)
	}
	if got := b.Kinds(); got != "intent exited" {
		t.Errorf("the record: %s", got)
	}
	if u := eventsOf[agent.Usage](b); len(u) != 2 || u[0].Context != 6 {
		t.Errorf("%+v", u)
	}
	b.Forget()
	if ending := b.Run(t.Context(), "and now?"); ending != agent.Answered {
		t.Fatalf("%v", ending)
	}
	q := b.Server.Asked()
	last := q[len(q)-1].Messages
	var roles []string
	for _, m := range last {
		roles = append(roles, m.Role)
	}
	if got := strings.Join(roles, " "); got != "system user assistant tool tool tool assistant user" {
		t.Errorf("the third request: %s", got)
	}
	if !strings.Contains(last[0].Content, "Posture: ask (") || !strings.Contains(last[0].Content, "Target: local") {
		t.Errorf("the situation is not in the prompt:\n%s", last[0].Content)
	}
	if len(q[0].Tools) != 2 {
		t.Errorf("%d tools", len(q[0].Tools))
	}
}

func TestParallelCallsOfAnyLengthKeepTheirOrder(t *testing.T) {
	const n = 20
	var calls []call
	for i := range n {
		tool := "slow"
		if i%7 == 3 {
			tool = "single"
		}
		calls = append(calls, cmd(fmt.Sprintf("c%02d", i), tool, fmt.Sprint(i)))
	}
	b := newBench(t, options{}, callsFor(calls...), says("ok"))
	var now, most, alone atomic.Int32
	work := func(parallel bool) func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		return func(_ context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
			running := now.Add(1)
			defer now.Add(-1)
			if parallel {
				most.Store(max(most.Load(), running))
			} else if running != 1 {
				alone.Add(1)
			}
			env.Report(tools.Progress{Note: "half"})
			time.Sleep(time.Duration(rand.IntN(15)) * time.Millisecond)
			if a.Command == "5" {
				panic("five")
			}
			if a.Command == "6" {
				return tools.Result{}, tools.Failed("six")
			}
			return tools.Result{Value: a.Command}, nil
		}
	}
	b.Add(&probe{ToolName: "slow", Kind: tools.Pure, Parallel: true, Do: work(true)})
	b.Add(&probe{ToolName: "single", Kind: tools.Pure, Do: work(false)})
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
		t.Fatal(ending)
	}
	got := b.Results()
	for i := range n {
		want := fmt.Sprintf(`"result":"%d"`, i)
		switch i {
		case 5:
			want = "slow panicked"
		case 6:
			want = `"code":"execution_failed"`
		}
		if !strings.HasPrefix(got[i], fmt.Sprintf("c%02d ", i)) || !strings.Contains(got[i], want) {
			t.Errorf("result %d: %s", i, got[i])
		}
	}
	if most.Load() < 2 {
		t.Error("nothing ran at the same time")
	}
	if alone.Load() > 0 {
		t.Error("a call that must be alone was not")
	}
	if faults := eventsOf[agent.Fault](b); len(faults) != 2 {
		t.Errorf("%+v", faults)
	}
}

func TestCallsThatCannotRunGetErrorResults(t *testing.T) {
	b := newBench(t, options{},
		callsFor(cmd("a", "nothing", "x"), call{"b", "sh", `{"command":`}, call{"", "look", `{"command":"no id"}`},
			cmd("a", "look", "twice"), call{"d", "sh", `[1]`}, call{"e", "picky", `{}`}, call{"f", "rude", `{}`}, call{"g", "odd", `{}`}),
		says("I see."))
	b.Add(&probe{ToolName: "picky", Planned: func(json.RawMessage) error { return tools.Reject("not_read", "read it first") }})
	b.Add(&probe{ToolName: "rude", Planned: func(json.RawMessage) error { panic("in the plan") }})
	b.Add(&probe{ToolName: "odd", Planned: func(json.RawMessage) error { return errors.New("not of the contract") }})
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
		t.Fatal(ending)
	}
	got := b.Results()
	for i, want := range []string{"there is no tool", "not run: the arguments", "", "", "not run: the arguments", "not_read", "panicked", "not of the contract"} {
		if i >= len(got) || !strings.Contains(got[i], want) {
			t.Errorf("result %d lacks %q: %q", i, want, got)
		}
	}
	for _, c := range b.Executed() {
		if c != "no id" && c != "twice" {
			t.Errorf("ran %q", c)
		}
	}
}

func TestUnreadableCallsEndTheTurnTheThirdTime(t *testing.T) {
	bad := callsFor(call{"a", "sh", `{"comm`})
	b := newBench(t, options{}, bad, bad, bad)
	if ending := b.Run(t.Context(), "go"); ending != agent.Failed {
		t.Fatal(ending)
	}
	if f := eventsOf[agent.Fault](b); len(f) != 1 || !strings.Contains(f[0].Text, "3 times") || f[0].Hint == "" {
		t.Errorf("%+v", f)
	}
	if len(b.Results()) != 3 {
		t.Errorf("%q", b.Results())
	}
}

func TestTheSameFailingCallIsNotRunAThirdTime(t *testing.T) {
	one := callsFor(call{"", "sh", `{"command":"exit 3","x":1}`})
	two := callsFor(call{"", "sh", `{ "x": 1, "command": "exit 3" }`})
	b := newBench(t, options{}, one, two, one, callsFor(cmd("", "sh", "exit 4")), says("I give up."))
	b.Answer = approve
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
		t.Fatal(ending)
	}
	if got := b.Executed(); !slices.Equal(got, []string{"exit 3", "exit 3", "exit 4"}) {
		t.Errorf("%q", got)
	}
	if got := b.Results(); !strings.Contains(got[2], "has failed 2 times") {
		t.Errorf("%q", got)
	}
}

func TestATurnHasAtMostFiftyCalls(t *testing.T) {
	var many []call
	for i := range 30 {
		many = append(many, cmd(fmt.Sprint("c", i), "look", fmt.Sprint(i)))
	}
	again := slices.Clone(many)
	for i := range again {
		again[i].ID = fmt.Sprint("d", i)
	}
	b := newBench(t, options{}, callsFor(many...), callsFor(again...), says("enough"))
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
		t.Fatal(ending)
	}
	if n := len(b.Executed()); n != 50 {
		t.Errorf("%d calls ran", n)
	}
	if got := b.Results(); len(got) != 60 || !strings.Contains(got[59], "at most 50 calls") {
		t.Errorf("%d results, the last is %s", len(got), got[len(got)-1])
	}
	if q := b.Server.Asked(); len(q[1].Tools) == 0 || len(q[2].Tools) != 0 {
		t.Error("the last request must have no tools, the ones before must")
	}
}

func TestTheLastStepAsksForAnAnswerWithoutTools(t *testing.T) {
	step := callsFor(cmd("", "look", "x"))
	b := newBench(t, options{Agent: func(c *turn.Config) { c.MaxIterations = 3 }}, step, step, step, says("so far"))
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered || b.Text() != "so far" {
		t.Fatal(ending, b.Text())
	}
	for i, q := range b.Server.Asked() {
		if none := len(q.Tools) == 0; none != (i == 3) {
			t.Errorf("request %d has %d tools", i, len(q.Tools))
		}
	}

	b = newBench(t, options{Agent: func(c *turn.Config) { c.MaxIterations = 1 }}, step, step)
	if ending := b.Run(t.Context(), "go"); ending != agent.Failed {
		t.Errorf("calls even then: %v", ending)
	}
	if n := len(b.Executed()); n != 1 {
		t.Errorf("%d calls ran", n)
	}
}

func TestTheTokensOfATurnAreBounded(t *testing.T) {
	step := callsFor(cmd("", "look", "x"))
	b := newBench(t, options{Agent: func(c *turn.Config) { c.MaxTokens = 150 }}, step, step)
	if ending := b.Run(t.Context(), "go"); ending != agent.Failed {
		t.Fatal(ending)
	}
	if f := eventsOf[agent.Fault](b); len(f) != 1 || !strings.Contains(f[0].Hint, "max_tokens_per_turn") {
		t.Errorf("%+v", f)
	}
	if n := len(b.Executed()); n != 1 {
		t.Errorf("%d calls ran", n)
	}
}

func TestACutReplyKeepsItsTextAndRunsNothing(t *testing.T) {
	b := newBench(t, options{}, func(w io.Writer, _ *http.Request) {
		chunk(w, map[string]any{"content": "I will "}, nil)
		chunk(w, map[string]any{"tool_calls": []any{piece(0, "a", "sh", `{"command":"touch made"}`)}}, nil)
	}, says("hello again"))
	if ending := b.Run(t.Context(), "go"); ending != agent.Failed {
		t.Fatal(ending)
	}
	if f := eventsOf[agent.Fault](b); len(f) != 1 || f[0].Hint == "" {
		t.Errorf("%+v", f)
	}
	said := b.Messages()
	if len(b.Executed()) != 0 || len(said) != 3 || said[1].Content != "I will" || said[2].Role != history.Note {
		t.Errorf("%s: %+v", outline(said), said)
	}
	b.Forget()
	if ending := b.Run(t.Context(), "go on"); ending != agent.Answered {
		t.Error(ending)
	}
}

func TestAModelThatCannotBeReachedIsOneFault(t *testing.T) {
	b := newBench(t, options{})
	b.Server.Close()
	if ending := b.Run(t.Context(), "go"); ending != agent.Failed {
		t.Fatal(ending)
	}
	if f := eventsOf[agent.Fault](b); len(f) != 1 || f[0].Hint == "" || !strings.Contains(f[0].Text, "127.0.0.1") {
		t.Errorf("%+v", f)
	}
}

func TestARetryIsTold(t *testing.T) {
	b := newBench(t, options{}, func(w io.Writer, _ *http.Request) {
		w.(agenttest.Flushing).WriteHeader(http.StatusServiceUnavailable)
	}, says("hello"))
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
		t.Fatal(ending)
	}
	if r := eventsOf[agent.Retrying](b); len(r) != 1 || r[0].Try != 2 || r[0].Reason == "" {
		t.Errorf("%+v", r)
	}
}

func TestAConversationHasOneTurnAtATime(t *testing.T) {
	running, release := make(chan struct{}), make(chan struct{})
	b := newBench(t, options{}, callsFor(cmd("a", "wait", "")), says("ok"))
	b.Add(&probe{ToolName: "wait", Do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		close(running)
		<-release
		return tools.Result{}, nil
	}})
	var wg sync.WaitGroup
	wg.Go(func() { b.Run(t.Context(), "go") })
	<-running
	var faults []agent.Event
	if ending := b.Agent.Run(t.Context(), b.ID, "me too", func(e agent.Event) { faults = append(faults, e) }); ending != agent.Failed || len(faults) != 2 {
		t.Errorf("%v %+v", ending, faults)
	}
	close(release)
	wg.Wait()
}

// failing is a store whose appends fail from the n-th on.
type failing struct {
	turn.Store
	after atomic.Int32
}

func (f *failing) Append(ctx context.Context, id string, m ...history.Message) error {
	if f.after.Add(-1) < 0 {
		return &history.Error{Problem: history.Full, Path: "history.db", Message: "the disk is full", Hint: "free some space"}
	}
	return f.Store.Append(ctx, id, m...)
}

func TestAFullDiskEndsTheTurnAndTheNextOneHealsIt(t *testing.T) {
	for after := range int32(4) {
		f := &failing{}
		f.after.Store(after)
		b := newBench(t, options{Store: func(s turn.Store) turn.Store { f.Store = s; return f }},
			callsFor(cmd("a", "sh", "echo one"), cmd("b", "sh", "echo two")), says("fine"))
		b.Agent.Run(t.Context(), b.ID, "go", b.Sink)
		if got := eventsOf[agent.Fault](b); len(got) != 1 || got[0].Hint != "free some space" {
			t.Errorf("%d: %+v", after, got)
		}
		if ran := b.Executed(); len(ran) != max(0, int(after)-1) {
			t.Errorf("%d appends, and ran %q", after, ran)
		}
		f.after.Store(100)
		b.Forget()
		if after < 2 {
			continue // the script was not begun, or its calls are not stored
		}
		if ending := b.Run(t.Context(), "again"); ending != agent.Answered {
			t.Errorf("%d: %v", after, ending)
		}
		if got := b.Results(); len(got) != 2 || !strings.Contains(got[1], "unknown: the result was lost") {
			t.Errorf("%d: %q", after, got)
		}
	}
}

func TestReplayTellsWhatTheTurnTold(t *testing.T) {
	b := newBench(t, options{}, callsFor(cmd("a", "look", "one")), says("Done."))
	b.Run(t.Context(), "go")
	var prompts, kinds []string
	agent.Replay(b.Messages(), func(p string) { prompts = append(prompts, p) }, func(e agent.Event) { kinds = append(kinds, e.Kind()) })
	if !slices.Equal(prompts, []string{"go"}) || !slices.Equal(kinds, []string{"call_proposed", "call_finished", "text"}) {
		t.Errorf("%q %q", prompts, kinds)
	}
}

// What the guard has voided is not called the operator's denial.
func TestWhatHasBecomeVoidIsNotTheOperatorsDenial(t *testing.T) {
	b := newBench(t, options{}, callsFor(cmd("a", "sh", "touch made")), says("I look again."))
	b.Answer = func(_ context.Context, r policy.Request) (policy.Answer, error) {
		return policy.Answer{RequestID: r.ID, Void: "somebody has typed in the pane", Reason: "that was me"}, nil
	}
	b.Run(t.Context(), "go")
	if _, err := os.Stat(filepath.Join(b.Dir, "made")); err == nil {
		t.Error("it ran")
	}
	got := b.Results()[0]
	for _, want := range []string{`"code":"changed"`, "because somebody has typed in the pane; the operator says: that was me. Look with capture-pane"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q misses %q", got, want)
		}
	}
	if strings.Contains(got, "denied by") {
		t.Errorf("%q", got)
	}
}

func TestADeniedCallEndsTheTurnAsDenied(t *testing.T) {
	b := newBench(t, options{}, callsFor(cmd("a", "sh", "touch made")), says("As you wish."))
	b.Answer = func(_ context.Context, r policy.Request) (policy.Answer, error) {
		return policy.Answer{RequestID: r.ID, Reason: "not on a Friday"}, nil
	}
	if ending := b.Run(t.Context(), "go"); ending != agent.Denied {
		t.Fatal(ending)
	}
	if _, err := os.Stat(filepath.Join(b.Dir, "made")); err == nil {
		t.Error("it ran")
	}
	if got := b.Results(); !strings.Contains(got[0], "denied by the operator: not on a Friday") {
		t.Errorf("%q", got)
	}
	if got := b.Kinds(); got != "denied" {
		t.Errorf("the record: %s", got)
	}
	if m := b.Messages()[2]; !m.Denied || !m.IsError {
		t.Errorf("%+v", m)
	}
}
