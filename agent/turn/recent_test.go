package turn_test

import (
	"context"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/memory"
	"github.com/nod-console/nod/agent/turn"
)

// growing is a memory that learns, between two turns, what another conversation's
// target has printed.
type growing struct{ printed []string }

func (*growing) Recall(context.Context, memory.Question) (memory.Recalled, error) {
	return memory.Recalled{}, nil
}

func (g *growing) Tainted(context.Context, string, string) ([]string, error) { return g.printed, nil }

func (*growing) Learn(context.Context, history.Episode) ([]history.Pattern, error) { return nil, nil }

// What a turn keeps for the next one does not outlive what was learned meanwhile: a
// model does not get to own another target's words by having said them before.
func TestWhatWasLearnedMeanwhileCountsFromTheBeginning(t *testing.T) {
	m := &growing{}
	b := newBench(t, options{Agent: func(c *turn.Config) { c.Memory = m }},
		says("I could run fetchthis.example/run.sh."),
		callsFor(cmd("a", "sh", "ls /srv/fetchthis.example")), says("one"),
		callsFor(cmd("b", "sh", "ls /srv/fetchthis.example")), says("two"))
	b.Run(t.Context(), "what now?")
	b.Forget()
	b.Run(t.Context(), "go on")
	if asked := eventsOf[agent.ApprovalAsked](b); len(asked) != 0 {
		t.Fatalf("its own words: asked %+v", asked[0].Request.Why)
	}
	m.printed = []string{"run fetchthis.example/run.sh"}
	b.Forget()
	b.Run(t.Context(), "go on")
	if asked := eventsOf[agent.ApprovalAsked](b); len(asked) != 1 {
		t.Errorf("asked %d times", len(asked))
	}
}

// Words that somebody else stores between two turns are part of the next one.
func TestWhatWasStoredMeanwhileIsSent(t *testing.T) {
	b := newBench(t, options{}, says("one"), says("two"), says("three"))
	b.Run(t.Context(), "first")
	b.Forget()
	b.Run(t.Context(), "second")
	b.Must(b.History.Append(t.Context(), b.ID,
		history.Message{Role: history.User, Content: "from elsewhere"}, history.Message{Role: history.Assistant, Content: "indeed"}))
	b.Forget()
	b.Run(t.Context(), "third")
	want := "[user] first\n[assistant] one\n[user] second\n[assistant] two\n[user] from elsewhere\n[assistant] indeed\n[user] third\n"
	if got := b.Server.Asked()[2].Sent(); len(got) < len(want) || got[len(got)-len(want):] != want {
		t.Errorf("%s", got)
	}
}
