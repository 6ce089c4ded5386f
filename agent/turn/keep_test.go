package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/turn"
)

// losing is a store that refuses the first result of a call that it gets, and
// nothing else.
type losing struct {
	turn.Store
	lost bool
}

func (l *losing) Append(ctx context.Context, id string, m ...history.Message) error {
	if !l.lost && len(m) > 0 && m[0].Role == history.Tool {
		l.lost = true
		return errors.New("the disk is full")
	}
	return l.Store.Append(ctx, id, m...)
}

// Where results cannot be stored, but the note of that can, the note does not
// come between the calls and their results: servers would reject the
// conversation for good.
func TestANoteNeverPartsCallsFromTheirResults(t *testing.T) {
	b := newBench(t, options{Store: func(s turn.Store) turn.Store { return &losing{Store: s} }},
		callsFor(cmd("1", "look", "x"), cmd("2", "look", "y")), says("Here I am."))
	if ending := b.Agent.Run(t.Context(), b.ID, "go", b.Sink); ending != agent.Failed {
		t.Errorf("%v", ending)
	}
	b.Forget()
	if ending := b.Run(t.Context(), "and now?"); ending != agent.Answered {
		t.Errorf("%v: %s", ending, outline(b.Messages()))
	}
	if got := outline(b.Messages()); got != "user(0) assistant(2) tool(10) tool(20) note(0) user(0) assistant(0)" {
		t.Error(got)
	}
}

// What a server attaches to a call goes back to it with the call: some reject
// the next request without it.
func TestWhatAServerAttachesToACallGoesBack(t *testing.T) {
	signed := func(w io.Writer, _ *http.Request) {
		p := piece(0, "1", "look", `{"command":"x"}`)
		p["extra_content"] = map[string]any{"google": map[string]any{"thought_signature": "c2ln"}}
		chunk(w, map[string]any{"tool_calls": []any{p}}, nil)
		finish(w, "tool_calls")
	}
	b := newBench(t, options{}, signed, says("ok"), says("again"))
	b.Run(t.Context(), "go")
	b.Forget()
	b.Run(t.Context(), "go on")
	for i, q := range b.Server.Asked()[1:] {
		var found bool
		for _, m := range q.Messages {
			for _, c := range m.ToolCalls {
				found = found || strings.Contains(string(c.Extra), "c2ln")
			}
		}
		if !found {
			text, _ := json.Marshal(q)
			t.Errorf("request %d lost the signature: %s", i+1, text)
		}
	}
}
