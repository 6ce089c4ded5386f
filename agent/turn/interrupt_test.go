package turn_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/internal/agenttest"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
)

// stall streams something and then nothing until the client has gone.
func stall(delta map[string]any) reply {
	return func(w io.Writer, r *http.Request) {
		chunk(w, delta, nil)
		<-r.Context().Done()
	}
}

// stages are where a turn can be interrupted.
var stages = []struct {
	ToolName string
	first    reply
	at       func(e agent.Event) bool // the moment of Esc
	kept     string                   // the model's text afterwards
	Record   string
}{
	{
		"in the answer", stall(map[string]any{"content": "I was abo"}),
		func(e agent.Event) bool { return e.Kind() == "text" }, "I was abo", "",
	},
	{
		"before the first word", stall(map[string]any{"reasoning_content": "hm"}),
		func(e agent.Event) bool { return e.Kind() == "reasoning" }, "", "",
	},
	{
		"when the reply is complete", callsFor(cmd("a", "sh", "echo touch")),
		func(e agent.Event) bool { return e.Kind() == "usage" }, "", "",
	},
	{
		"in an approval", callsFor(cmd("a", "sh", "touch made"), cmd("b", "sh", "touch too")),
		func(e agent.Event) bool { return e.Kind() == "approval_asked" }, "", "denied",
	},
	{
		"in a command", callsFor(cmd("a", "sh", "sleep 30"), cmd("b", "sh", "touch too"), cmd("c", "look", "x")),
		func(e agent.Event) bool { return e.Kind() == "call_progress" }, "", "intent signalled",
	},
}

func TestEscEndsATurnAtEveryStage(t *testing.T) {
	for _, s := range stages {
		t.Run(s.ToolName, func(t *testing.T) {
			b := newBench(t, options{}, s.first, says("I am back."))
			b.Answer = func(ctx context.Context, r policy.Request) (policy.Answer, error) {
				if r.Action.Command == "sleep 30" {
					return approve(ctx, r)
				}
				<-ctx.Done()
				return policy.Answer{RequestID: r.ID, Approved: true}, nil // too late
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ending := b.RunWith(ctx, "go", func(e agent.Event) {
				b.Sink(e)
				if s.at(e) {
					cancel()
				}
			})
			if ending != agent.Interrupted {
				t.Fatal(ending)
			}
			said := b.Messages()
			if last := said[len(said)-1]; last.Role != history.Note || last.Content != "interrupted by the operator" {
				t.Errorf("the last message is %+v", last)
			}
			if s.kept != "" && (said[1].Content != s.kept || len(said[1].Calls) != 0) {
				t.Errorf("kept %+v", said[1])
			}
			if got := b.Kinds(); got != s.Record {
				t.Errorf("the record: %q, want %q", got, s.Record)
			}
			for _, r := range b.Record() {
				if c := r.Conclusion; c != nil && c.Error != "interrupted by the operator" {
					t.Errorf("%+v", c)
				}
				if n := r.Note; n != nil && n.Text != "interrupted by the operator" {
					t.Errorf("%+v", n)
				}
			}
			if f := eventsOf[agent.Fault](b); len(f) != 0 {
				t.Errorf("%+v", f)
			}
			for _, c := range b.Executed() {
				if strings.HasPrefix(c, "touch") {
					t.Errorf("ran %q", c)
				}
			}
			// The server sees to it that what is sent next is sound.
			b.Forget()
			if ending := b.Run(t.Context(), "and now?"); ending != agent.Answered {
				t.Errorf("the next turn: %v", ending)
			}
			q := b.Server.Asked()
			sent := q[len(q)-1].Messages
			if m := sent[len(sent)-2]; m.Role != "assistant" || !strings.HasSuffix(m.Content, "[interrupted by the operator]") {
				t.Errorf("the model is told %+v", m)
			}
		})
	}
}

func TestATurnThatIsInterruptedBeforeItBeginsAsksNobody(t *testing.T) {
	b := newBench(t, options{}, says("no"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if ending := b.Run(ctx, "go"); ending != agent.Interrupted {
		t.Error(ending)
	}
	if n := len(b.Server.Asked()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// TestEscIsQuick presses Esc at every stage, and looks how long the turn goes on: once,
// or 100 times each with NOD_E2E=1, where all but the slowest must take less
// than 100 ms. Otherwise each stage would go on without an end, so that the turn's own
// is the proof.
func TestEscIsQuick(t *testing.T) {
	rounds := 1
	if os.Getenv("NOD_E2E") == "1" {
		rounds = 100
	}
	kind := func(kind string) func(agent.Event) bool {
		return func(e agent.Event) bool { return e.Kind() == kind }
	}
	all := slices.Clone(stages)
	add := func(name string, first reply, at func(agent.Event) bool) {
		s := stages[0]
		s.ToolName, s.first, s.at = name, first, at
		all = append(all, s)
	}
	add("in the pause before another try", func(w io.Writer, _ *http.Request) {
		raw := w.(agenttest.Flushing).ResponseWriter
		raw.Header().Set("Retry-After", "30")
		raw.WriteHeader(http.StatusTooManyRequests)
	}, kind("retrying"))
	const whileSummed = "while a summary is made"
	add(whileSummed, stages[0].first, func(e agent.Event) bool {
		n, ok := e.(agent.Notice)
		return ok && strings.HasPrefix(n.Text, "compacting")
	})
	add("before the server answers", func(_ io.Writer, r *http.Request) { <-r.Context().Done() }, nil) // Esc comes from the server's side
	add("in a question", callsFor(call{"a", "question", `{"question":"Which?","options":["one","two"]}`}), kind("call_started"))
	add("in calls at the same time", callsFor(cmd("a", "wait", "1"), cmd("b", "wait", "2"), cmd("c", "wait", "3")), kind("call_started"))
	for _, s := range all {
		var took []time.Duration
		for range rounds {
			took = append(took, escAt(t, s.first, s.at, s.ToolName == whileSummed))
		}
		slices.Sort(took)
		worst := took[rounds-1-rounds/100]
		t.Logf("%s: median %v, p99 of %d %v", s.ToolName, took[rounds/2].Round(10*time.Microsecond), rounds, worst.Round(10*time.Microsecond))
		if rounds > 1 && worst > 100*time.Millisecond {
			t.Errorf("%s: p99 %v", s.ToolName, worst)
		}
	}
}

// escAt is how long a turn goes on after Esc at a moment.
func escAt(t *testing.T, first reply, at func(agent.Event) bool, full bool) time.Duration {
	t.Helper()
	opt := options{}
	if full {
		opt = contextOf(8000)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var pressed time.Time
	if at == nil {
		answer := first
		at = func(agent.Event) bool { return false }
		first = func(w io.Writer, r *http.Request) {
			pressed = time.Now()
			cancel()
			answer(w, r)
		}
	}
	b := newBench(t, opt, first)
	b.Must(b.Registry.Register(desk.Question{Ask: func(ctx context.Context, _ string, _ []string) (desk.Choice, error) {
		<-ctx.Done()
		return desk.Choice{}, ctx.Err()
	}}))
	b.Add(&probe{ToolName: "wait", Kind: tools.Pure, Parallel: true, Do: func(ctx context.Context, _ tools.Action, _ tools.Env) (tools.Result, error) {
		<-ctx.Done()
		return tools.Failure("interrupted", "interrupted"), nil
	}})
	if full {
		b.talk(12, strings.Repeat("x", 2400))
	}
	b.Answer = func(ctx context.Context, r policy.Request) (policy.Answer, error) {
		if r.Action.Command == "sleep 30" {
			return approve(ctx, r)
		}
		<-ctx.Done()
		return policy.Answer{}, ctx.Err()
	}
	ending := b.Agent.Run(ctx, b.ID, "go", func(e agent.Event) {
		b.Sink(e)
		if at(e) && pressed.IsZero() {
			pressed = time.Now()
			cancel()
		}
	})
	took := time.Since(pressed)
	if ending != agent.Interrupted {
		t.Errorf("%v", ending)
	}
	b.CheckHistory()
	b.CheckEvents(ending)
	if _, err := ledger.Verify(filepath.Join(b.Dir, "ledger"), ""); err != nil {
		t.Error(err)
	}
	return took
}
