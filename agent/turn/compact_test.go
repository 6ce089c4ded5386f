package turn_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/internal/agenttest"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/tools"
)

// talk stores n turns of a prompt, a call with a result, and an answer. Every
// other call has failed.
func (b *bench) talk(n int, result string) {
	b.T.Helper()
	for i := range n {
		id := fmt.Sprint("old", i)
		b.Must(b.History.Append(b.T.Context(), b.ID,
			history.Message{Role: history.User, Content: fmt.Sprintf("prompt-%d of the operator", i)},
			history.Message{Role: history.Assistant, Calls: []history.Call{{ID: id, Name: "look", Arguments: fmt.Sprintf(`{"command":"look %d"}`, i)}}},
			history.Message{Role: history.Tool, Call: id, Tool: "look", IsError: i%2 == 1, Content: fmt.Sprintf("result-%d %s", i, result)},
			history.Message{Role: history.Assistant, Content: fmt.Sprintf("answer-%d", i)},
		))
	}
}

// uncounted answers without saying how many tokens that took.
func uncounted(all ...reply) []reply {
	quiet := make([]reply, len(all))
	for i, r := range all {
		quiet[i] = func(w io.Writer, q *http.Request) { r(mute{w}, q) }
	}
	return quiet
}

type mute struct{ io.Writer }

func (m mute) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "prompt_tokens") {
		if _, err := io.WriteString(m.Writer, "data: [DONE]\n\n"); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	return m.Writer.Write(p)
}

// counting is an answer whose request the server counts as so many tokens.
func counting(text string, prompt int) reply {
	return func(w io.Writer, _ *http.Request) {
		chunk(w, map[string]any{"content": text}, "stop")
		_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n",
			fmt.Sprintf(`{"id":"x","object":"chat.completion.chunk","model":"m","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":10,"total_tokens":%d}}`, prompt, prompt+10))
	}
}

func contextOf(limit int) options {
	return options{Agent: func(c *turn.Config) { c.Model.ContextLimit = limit }}
}

func TestAFullContextIsCompactedAndTheNewestStays(t *testing.T) {
	b := newBench(t, contextOf(8000), says("- goal: find what fills the disk\n- fact: /var/lib holds 18G\nand some chatter"), says("done"))
	b.talk(12, strings.Repeat("x", 2400))
	before := b.Messages()
	if ending := b.Run(t.Context(), "and now?"); ending != agent.Answered {
		t.Fatal(ending)
	}
	q := b.Server.Asked()
	if len(q) != 2 || len(q[0].Tools) != 0 {
		t.Fatalf("%d requests; the first one asks for the summary, without tools", len(q))
	}
	if !strings.Contains(q[0].Sent(), "prompt-3 of the operator") || strings.Contains(q[0].Messages[0].Content, "prompt-") {
		t.Errorf("what is to be summed up is data in a message of its own:\n%s", q[0].Sent())
	}
	got := q[1].Sent()
	for _, want := range []string{
		`<summary from="nod">`, "prompt-0 of the operator", "/var/lib holds 18G", "Target and posture then:\nlocal, ask",
		"prompt-10 of the operator", "prompt-11 of the operator", "[user] and now?", "result-11 ",
		`- look {"command":"look 9"}`, "→ result-9 ", "→ result-7 ", "→ result-5 ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the request lacks %q", want)
		}
	}
	for _, not := range []string{"chatter", "[user] prompt-3", "[tool] result-9 ", "→ result-3 ", "answer-4"} {
		if strings.Contains(got, not) {
			t.Errorf("the request still has %q", not)
		}
	}
	events := eventsOf[agent.Compaction](b)
	if len(events) != 1 || events[0].Before < 90 || events[0].After > 60 || events[0].Own || events[0].Messages != 40 {
		t.Errorf("%+v", events)
	}
	after := b.Messages()
	for i, m := range before {
		if after[i].Content != m.Content {
			t.Fatalf("message %d has changed", i)
		}
	}
	if marker := after[len(before)+1]; marker.Role != history.Summary || marker.Through != 40 {
		t.Errorf("%+v", marker)
	}
}

func TestAContextIsCompactedAgainOnlyWhenItIsFullAgain(t *testing.T) {
	b := newBench(t, contextOf(8000), uncounted(says("- fact: first summary"), says("one"), says("two"),
		says("- fact: second summary"), says("three"))...)
	b.talk(12, strings.Repeat("x", 2400))
	b.Run(t.Context(), "one")
	two := b.Agent.Run(t.Context(), b.ID, "two", b.Sink)
	if n := len(eventsOf[agent.Compaction](b)); n != 1 || two != agent.Answered {
		t.Fatalf("%d compactions, %v", n, two)
	}
	b.talk(8, strings.Repeat("y", 3600))
	b.Forget()
	b.Run(t.Context(), "three")
	q := b.Server.Asked()
	if len(q) != 5 || !strings.Contains(q[3].Sent(), "earlier summary:") || !strings.Contains(q[3].Sent(), "first summary") {
		t.Fatalf("%d requests; the second summary is to be made with the first", len(q))
	}
	if got := q[4].Sent(); strings.Contains(got, "first summary") || !strings.Contains(got, "second summary") || !strings.Contains(got, "prompt-0 of the operator") {
		t.Errorf("the last request:\n%s", got)
	}
}

func TestWithoutASummaryOfTheModelsNodListsWhatWasDone(t *testing.T) {
	fails := func(w io.Writer, _ *http.Request) { chunk(w, map[string]any{"content": "no"}, nil) }
	for name, script := range map[string][]reply{
		"it fails":        {fails, says("done")},
		"it says no list": {says("I would rather not."), says("done")},
	} {
		b := newBench(t, contextOf(8000), script...)
		b.talk(12, strings.Repeat("x", 2400))
		if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
			t.Fatal(name, ending)
		}
		q := b.Server.Asked()
		got := q[len(q)-1].Sent()
		for _, want := range []string{"- asked: prompt-2 of the operator", `- look {"command":"look 2"}: done`, `- look {"command":"look 3"}: failed`, "- answered: answer-2"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: the request lacks %q", name, want)
			}
		}
		if e := eventsOf[agent.Compaction](b); len(e) != 1 || !e[0].Own {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func TestCallsAndResultsAreNeverParted(t *testing.T) {
	// One long turn: it has to be cut between its steps.
	step := func(i int) reply {
		return callsFor(cmd(fmt.Sprint("a", i), "fat", "x"), cmd(fmt.Sprint("b", i), "fat", "y"))
	}
	b := newBench(t, contextOf(8000), uncounted(step(0), step(1), step(2), says("- done: read much"), step(3), says("ok"))...)
	b.Add(&probe{ToolName: "fat", Parallel: true, Do: bulky(4000)})
	if ending := b.Run(t.Context(), "the one prompt"); ending != agent.Answered {
		t.Fatal(ending, eventsOf[agent.Fault](b), eventsOf[agent.Compaction](b), len(b.Server.Asked()))
	}
	q := b.Server.Asked() // unsound has looked at each
	last := q[4]
	if last.Messages[1].Role != "user" || !strings.Contains(last.Messages[1].Content, "the one prompt") || last.Messages[2].Role != "assistant" {
		t.Errorf("%s", last.Sent())
	}
	if e := eventsOf[agent.Compaction](b); len(e) != 1 || e[0].After > 60 {
		t.Errorf("%+v", e)
	}
}

func TestTheServerSaysTooLongOnceAndIsAskedOnceMore(t *testing.T) {
	tooLong := func(w io.Writer, _ *http.Request) {
		w.(agenttest.Flushing).WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"maximum context length is 4096 tokens","code":"context_length_exceeded"}}`)
	}
	b := newBench(t, options{}, tooLong, says("- fact: summed up"), says("fits now"))
	b.talk(8, strings.Repeat("x", 2000))
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered || b.Text() != "fits now" {
		t.Fatal(ending, b.Text())
	}
	b = newBench(t, options{}, tooLong, says("- fact: summed up"), tooLong)
	b.talk(8, strings.Repeat("x", 2000))
	if ending := b.Run(t.Context(), "go"); ending != agent.Failed {
		t.Fatal(ending)
	}
	if f := eventsOf[agent.Fault](b); len(f) != 1 || !strings.Contains(f[0].Hint, "/compact") {
		t.Errorf("%+v", f)
	}
	if n := len(b.Server.Asked()); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestTheOperatorCompacts(t *testing.T) {
	b := newBench(t, options{}, says("- done: all of it"), says("next"))
	b.talk(1, "short")
	b.Must(b.History.Append(t.Context(), b.ID, history.Message{Role: history.User, Content: "hello"}, history.Message{Role: history.Assistant, Content: "hi"}))
	if ending := b.Agent.Compact(t.Context(), b.ID, b.Sink); ending != agent.Answered {
		t.Fatal(ending)
	}
	if e := eventsOf[agent.Compaction](b); len(e) != 1 || !strings.Contains(e[0].Summary, "all of it") {
		t.Fatalf("%+v", e)
	}
	b.Forget()
	b.Agent.Compact(t.Context(), b.ID, b.Sink)
	if n := eventsOf[agent.Notice](b); len(n) != 1 || !strings.Contains(n[0].Text, "nothing to compact: only 0 messages") {
		t.Errorf("%+v", n)
	}
	b.Forget()
	if ending := b.Run(t.Context(), "go on"); ending != agent.Answered {
		t.Fatal(ending)
	}
	meter, err := b.Agent.Measure(t.Context(), b.ID)
	if err != nil || meter.Left == 0 || meter.Messages == 0 {
		t.Errorf("%+v, %v", meter, err)
	}
}

func TestTheModelCompactsAfterItsCalls(t *testing.T) {
	b := newBench(t, options{}, callsFor(cmd("c", "squeeze", "")), says("- done: all"), says("ok"))
	b.Add(&probe{ToolName: "squeeze", Do: func(ctx context.Context, _ tools.Action, _ tools.Env) (tools.Result, error) {
		if err := b.Agent.CompactSoon(ctx, b.ID); err != nil {
			return tools.Failure("", err.Error()), nil
		}
		return tools.Result{Value: "soon"}, nil
	}})
	b.talk(4, "short")
	if ending := b.Run(t.Context(), "tidy up"); ending != agent.Answered {
		t.Fatal(ending)
	}
	if e := eventsOf[agent.Compaction](b); len(e) != 1 || e[0].Messages != 8 {
		t.Errorf("%+v", e)
	}
	if err := b.Agent.CompactSoon(t.Context(), b.ID); err == nil {
		t.Error("no turn runs")
	}
}

func TestTheOperatorIsWarnedOnce(t *testing.T) {
	b := newBench(t, contextOf(10_000), counting("a", 6000), counting("b", 7800), counting("c", 7900), counting("d", 4000), counting("e", 7800))
	warned := func() int {
		n := 0
		for _, e := range eventsOf[agent.Notice](b) {
			if strings.Contains(e.Text, "of the model's context") {
				n++
			}
		}
		return n
	}
	for i, want := range []int{0, 1, 1, 1, 2} {
		b.Run(t.Context(), fmt.Sprint("prompt ", i))
		if got := warned(); got != want {
			t.Errorf("after %d answers: %d warnings, want %d", i+1, got, want)
		}
		events := b.Events[:0:0]
		for _, e := range b.Events {
			if e.Kind() != "done" {
				events = append(events, e)
			}
		}
		b.Events = events
	}
}

func TestSummariesHaveNoSecrets(t *testing.T) {
	b := newBench(t, options{}, says("- fact: the password is password=Hunter2Hunter2"))
	b.talk(3, "password=Hunter2Hunter2")
	b.Agent.Compact(t.Context(), b.ID, b.Sink)
	for _, m := range b.Messages() {
		if m.Role == history.Summary && strings.Contains(m.Content, "Hunter2") {
			t.Errorf("%s", m.Content)
		}
	}
	if e := eventsOf[agent.Compaction](b); len(e) != 1 || strings.Contains(e[0].Summary, "Hunter2") {
		t.Errorf("%+v", e)
	}
}

// bulky gives results of so many bytes.
func bulky(n int) func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
	return func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		return tools.Result{Value: strings.Repeat("z", n)}, nil
	}
}
