package turn_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/internal/agenttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is an agent on real parts; see agenttest.Bench.
type bench struct{ *agenttest.Bench }

type (
	options = agenttest.Options
	probe   = agenttest.Probe
	reply   = agenttest.Reply
)

var (
	says    = agenttest.Says
	approve = agenttest.Approve
)

func newBench(t *testing.T, opt options, script ...reply) *bench {
	t.Helper()
	return &bench{agenttest.New(t, opt, script...)}
}

func eventsOf[E agent.Event](b *bench) []E { return agenttest.EventsOf[E](b.Bench) }

type modelRequest = agenttest.Request

var (
	piece   = agenttest.Piece
	chunk   = agenttest.Chunk
	finish  = agenttest.Finish
	outline = agenttest.Outline
)

// call is a tool call of the model's.
type call struct{ ID, ToolName, Args string }

func callsFor(calls ...call) reply {
	var all []agenttest.ToolCall
	for _, c := range calls {
		all = append(all, agenttest.ToolCall(c))
	}
	return agenttest.Calls(all...)
}

func cmd(id, name, command string) call { return call(agenttest.Cmd(id, name, command)) }
