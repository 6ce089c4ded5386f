package app

import (
	"fmt"

	"github.com/nod-console/nod/agent/trace"
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
