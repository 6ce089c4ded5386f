package turn_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// TestOnlyWhatSucceededIsToldAsDone: what failed, what was killed, what nobody knows
// and what was only a look around is not offered to be undone.
func TestOnlyWhatSucceededIsToldAsDone(t *testing.T) {
	var mu sync.Mutex
	var told []string
	b := newBench(t, options{Gate: func(c *gate.Config) {
		c.Did = func(a tools.Action) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, a.Command)
		}
	}})
	b.Answer = approve
	result := func(o backends.Outcome) func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		return func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
			return tools.Result{Record: tools.Record{Outcome: o}}, nil
		}
	}
	for name, o := range map[string]backends.Outcome{
		"good": backends.ExitedWith(0), "bad": backends.ExitedWith(1), "killed": backends.EndedBy(backends.KILL), "unknown": {},
	} {
		b.Add(&probe{ToolName: name, Kind: tools.Exec, Do: result(o)})
		b.Pass(t.Context(), name, "touch "+name)
	}
	tool, _ := b.Registry.Get("good")
	a, err := tool.Plan(t.Context(), []byte(`{"command":"ls"}`), tools.Env{Target: "local"})
	b.Must(err)
	if answer := b.Gate.Pass(t.Context(), gate.Step{Action: a, Operator: true, Preview: true, Execute: tool.Execute}, nil); !answer.Started {
		t.Fatalf("%+v", answer)
	}
	mu.Lock()
	defer mu.Unlock()
	if strings.Join(told, ",") != "touch good" {
		t.Errorf("told as done: %q", told)
	}
}

// hasty allows a call that was interrupted while it decided.
type hasty struct{ interrupt context.CancelFunc }

func (h hasty) Decide(context.Context, policy.Proposal) (policy.Decision, error) {
	h.interrupt()
	return policy.Decision{Allowed: true, How: policy.ByRule, Verdict: risk.Verdict{Auto: true}}, nil
}

func TestWhatWasInterruptedWhileItWasDecidedDoesNotRun(t *testing.T) {
	for _, tool := range []string{"sh", "look"} {
		ctx, cancel := context.WithCancel(t.Context())
		b := newBench(t, options{Gate: func(c *gate.Config) { c.Policy = hasty{cancel} }})
		if a := b.Pass(ctx, tool, "true"); a.Started || !a.Interrupted {
			t.Errorf("%s: %+v", tool, a)
		}
		if ran := b.Executed(); len(ran) > 0 {
			t.Errorf("ran %q", ran)
		}
	}
}

// keeping is a ledger whose disk takes nothing: what it is given is kept.
type keeping struct {
	gate.Recorder
	Mu    sync.Mutex
	notes []ledger.Note
}

var errKept = errors.New("no space left on device")

func (k *keeping) Healthy() error { return errKept }

func (k *keeping) Note(n ledger.Note) error {
	k.Mu.Lock()
	defer k.Mu.Unlock()
	k.notes = append(k.notes, n)
	return errKept
}

// TestALookWhileNothingCanBeWrittenIsNoFault: it runs, is kept for the record, and
// ends as it ended.
func TestALookWhileNothingCanBeWrittenIsNoFault(t *testing.T) {
	k := &keeping{}
	b := newBench(t, options{Recorder: func(r gate.Recorder) gate.Recorder { k.Recorder = r; return k }})
	if a := b.Pass(t.Context(), "sh", "true"); !a.Started || a.Err != nil || a.Result.IsError {
		t.Errorf("%+v", a)
	}
	if !slices.ContainsFunc(k.notes, func(n ledger.Note) bool { return n.Proposal != nil && n.Proposal.Command == "true" }) {
		t.Errorf("kept: %+v", k.notes)
	}
}
