package oneshot

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/tools/plugin/jsagent"
	"github.com/nod-console/nod/ui/screen"
)

// agentTrace prints what an agent does, in lines.
type agentTrace struct {
	out io.Writer

	mu    sync.Mutex
	turns int
	asked time.Time // when the last request was made
}

var _ turn.Tracer = (*agentTrace)(nil)

// agentTrace is what prints an agent's steps, if the environment asks for it.
func (n *Nod) agentTrace() (*agentTrace, turn.Tracer) {
	if n.Getenv(app.TraceVariable) != "1" {
		return nil, nil
	}
	t := &agentTrace{out: n.Err}
	return t, t
}

func (t *agentTrace) printf(format string, args ...any) {
	_, _ = io.WriteString(t.out, screen.CleanLines(fmt.Sprintf("trace: "+format+"\n", args...))) // as complain does
}

// ready tells what the agent's code has registered.
func (t *agentTrace) ready(r *jsagent.Run, goal string) {
	t.printf("%s  %d tools in all", screen.CleanLines(r.Registered()), len(r.Tools()))
	t.printf("goal: %s", goal)
}

// Trace implements [turn.Tracer].
func (t *agentTrace) Trace(_, kind string, value json.RawMessage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch kind {
	case "request":
		var r model.Request
		if err := json.Unmarshal(value, &r); err != nil {
			t.printf("a request that cannot be read: %v", err)
			return
		}
		t.turns++
		t.asked = time.Now()
		if t.turns == 1 && len(r.Messages) > 0 {
			t.printf("the whole system prompt:\n%s", r.Messages[0].Content)
		}
		t.printf("turn %d: %d messages, %d tools", t.turns, len(r.Messages), len(r.Tools))
	case "reply":
		var r model.Reply
		if err := json.Unmarshal(value, &r); err != nil {
			t.printf("a reply that cannot be read: %v", err)
			return
		}
		t.printf("turn %d: answered after %s with %d calls: %.200q", t.turns, time.Since(t.asked).Round(time.Millisecond), len(r.Message.Calls), r.Message.Content)
	}
}

// over is a sink that tells of calls, too.
func (t *agentTrace) over(under agent.Sink) agent.Sink {
	return func(e agent.Event) {
		t.take(e)
		under(e)
	}
}

func (t *agentTrace) take(e agent.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e := e.(type) {
	case agent.CallStarted:
		t.printf("call %s: %s %s", e.Call, e.Tool, e.Action.Command)
	case agent.CallFinished:
		t.printf("call %s: %s %s after %s", e.Call, e.Tool, outcomeWord(e), e.Duration.Round(time.Millisecond/10))
	}
}
