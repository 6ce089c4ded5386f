package app

import (
	"encoding/json"
	"fmt"

	"github.com/nod-console/nod/agent/trace"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// TraceVariable switches the trace on.
const TraceVariable = "NOD_TRACE"

// openTrace opens the trace if the environment asks for one; nil if not.
func openTrace(getenv func(string) string, state string, warn func(string)) (*trace.Writer, error) {
	switch v := getenv(TraceVariable); v {
	case "", "0":
		return nil, nil //nolint:nilnil // no trace is no error
	case "1":
		return trace.Open(config.TraceDir(state), warn)
	default:
		return nil, fmt.Errorf("%s is %q: want 1, or nothing", TraceVariable, v)
	}
}

// tracer is who is told of requests, replies and calls; nil if nobody is.
func (h *Core) tracer() turn.Tracer {
	var all tracers
	if h.trace != nil {
		all = append(all, h.trace)
	}
	if h.traced != nil {
		all = append(all, h.traced)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// tracers are told the same.
type tracers []turn.Tracer

// Trace implements [turn.Tracer].
func (all tracers) Trace(conversation, kind string, value json.RawMessage) {
	for _, t := range all {
		t.Trace(conversation, kind, value)
	}
}
