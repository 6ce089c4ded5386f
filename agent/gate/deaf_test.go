package gate_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/internal/agenttest"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
)

// within fails the test if f does not return in time.
func within(t *testing.T, limit time.Duration, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatalf("%s has not returned after %s", what, limit)
	}
}

// A plan looks at files, and a file system that has lost its server answers
// nobody.
func TestEscEndsACallWhosePlanHangs(t *testing.T) {
	b := newBench(t, options{})
	begun, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	b.Add(&probe{ToolName: "stuck", Kind: tools.Exec, Planned: func(json.RawMessage) error {
		close(begun)
		<-release
		return nil
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	within(t, 5*time.Second, "the call", func() {
		if a := b.Pass(ctx, "stuck", "touch x"); !a.Interrupted || a.Started || !a.Result.IsError {
			t.Errorf("%+v", a)
		}
	})
	if got := b.Kinds(); got != "" {
		t.Errorf("the record: %s", got)
	}
}

// deafDecider decides when it is released, whatever its context says, and then
// allows.
type deafDecider struct {
	gate.Decider
	begun, release, decided chan struct{}
}

func (d *deafDecider) Decide(_ context.Context, p policy.Proposal) (policy.Decision, error) {
	defer close(d.decided)
	close(d.begun)
	<-d.release
	p.Asked(policy.Request{ID: "late"})
	return policy.Decision{Allowed: true, How: policy.ByOperator}, nil
}

func TestEscEndsACallWhoseDecisionHangs(t *testing.T) {
	d := &deafDecider{begun: make(chan struct{}), release: make(chan struct{}), decided: make(chan struct{})}
	b := newBench(t, options{Gate: func(c *gate.Config) { c.Policy = d }})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-d.begun; cancel() }()
	within(t, 5*time.Second, "the call", func() {
		if a := b.Pass(ctx, "sh", "touch x"); !a.Interrupted || !a.Denied || a.Started {
			t.Errorf("%+v", a)
		}
	})
	close(d.release) // the permission that comes now is nobody's
	<-d.decided
	if got := b.Executed(); len(got) != 0 || b.Kinds() != "denied" {
		t.Errorf("ran %q; the record: %s", got, b.Kinds())
	}
	if e := eventsOf[agent.ApprovalAsked](b); len(e) != 0 {
		t.Errorf("asked after the call's end: %+v", e)
	}
}

func TestAPanicOfThePolicyIsADenial(t *testing.T) {
	b := newBench(t, options{Gate: func(c *gate.Config) { c.Policy = panicking{} }})
	if a := b.Pass(t.Context(), "sh", "touch x"); a.Started || !a.Denied || a.Err == nil {
		t.Errorf("%+v", a)
	}
}

type panicking struct{ gate.Decider }

func (panicking) Decide(context.Context, policy.Proposal) (policy.Decision, error) { panic("oh") }

// An execution that was left alone may come to "it goes on": its end is not
// told before it is there.
func TestAnExecutionThatWasLeftAndGoesOnIsConcludedAtItsEnd(t *testing.T) {
	told := make(chan agent.RunEnded, 1)
	b := newBench(t, options{Gate: func(c *gate.Config) { c.Ended = func(e agent.RunEnded) { told <- e } }})
	b.Answer = approve
	gate.SetPatience(b.Gate, 10*time.Millisecond)
	started, release := make(chan struct{}), make(chan struct{})
	running := &agenttest.Background{Ended: make(chan struct{})}
	b.Add(&probe{ToolName: "slow", Kind: tools.Run, Do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		close(started)
		<-release
		return tools.Result{Running: running}, nil
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	b.Pass(ctx, "slow", "make")
	close(release)
	select {
	case e := <-told:
		t.Errorf("while it runs, its end is told: %+v", e)
	case <-time.After(50 * time.Millisecond):
	}
	close(running.Ended)
	if e := <-told; e.Text != "make in %3: exited 2" {
		t.Errorf("%+v", e)
	}
	if r := b.Record(); len(r) != 2 || r[1].Conclusion.Outcome != ledger.Exited {
		t.Errorf("%s", b.Kinds())
	}
}
