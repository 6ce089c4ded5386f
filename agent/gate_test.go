package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
)

// pass sends one call of a tool through the gate.
func (b *bench) pass(ctx context.Context, tool, command string) agent.Answer {
	b.t.Helper()
	args, err := json.Marshal(map[string]string{"command": command})
	b.must(err)
	return b.gate.Call(ctx, agent.Call{ID: "a", Tool: tool, Arguments: args, Conversation: b.id, Target: "local"}, b.sink)
}

func TestTheIntentIsOnDiskBeforeAnythingRuns(t *testing.T) {
	b := newBench(t, options{})
	b.answer = approve
	seen := ""
	b.add(&probe{name: "act", kind: tools.Exec, do: func(_ context.Context, a tools.Action, _ tools.Env) (tools.Result, error) {
		seen = b.kinds()
		return tools.Result{Record: tools.Record{Outcome: backends.ExitedWith(0)}}, nil
	}})
	if a := b.pass(t.Context(), "act", "touch x"); a.Err != nil || !a.Started {
		t.Fatalf("%+v", a)
	}
	if seen != "intent" || b.kinds() != "intent exited" {
		t.Errorf("during: %q; after: %q", seen, b.kinds())
	}
	i := b.record()[0].Intent
	if i.Command != "touch x" || i.Decision != "approved" || i.By != "ops" || i.Digest != b.runs[0].Digest().String() ||
		!strings.Contains(string(i.Verdict), `"mutate"`) || !strings.Contains(string(i.Claim), `"low"`) || i.Conversation != b.id {
		t.Errorf("%+v", i)
	}
}

// brokenLedger fails where it is told to.
type brokenLedger struct {
	agent.Recorder
	healthy, intend, conclude error
}

func (l *brokenLedger) Healthy() error { return l.healthy }

func (l *brokenLedger) Intend(ctx context.Context, i ledger.Intent) (ledger.Ref, error) {
	if l.intend != nil {
		return ledger.Ref{}, l.intend
	}
	return l.Recorder.Intend(ctx, i)
}

func (l *brokenLedger) Conclude(ref ledger.Ref, c ledger.Conclusion) error {
	return errors.Join(l.Recorder.Conclude(ref, c), l.conclude)
}

func TestWithoutARecordNothingThatActsRuns(t *testing.T) {
	full := errors.New("the disk is full")
	for name, broken := range map[string]*brokenLedger{"unhealthy": {healthy: full}, "no intent": {intend: full}} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, options{recorder: func(r agent.Recorder) agent.Recorder { broken.Recorder = r; return broken }},
				callsFor(cmd("1", "sh", "touch made"), cmd("2", "sh", "true"), cmd("3", "look", "x"), cmd("4", "peek", "x")),
				says("ok"))
			b.add(&probe{name: "peek", kind: tools.Read})
			b.answer = approve
			b.run(t.Context(), "go")
			want, faults := "true,x,x", 1 // a plain look is no act
			if broken.intend != nil {
				want, faults = "x,x", 2 // it fails in the middle
			}
			ran := b.executed()
			slices.Sort(ran) // what only reads runs side by side
			if got := strings.Join(ran, ","); got != want {
				t.Errorf("ran %q; only reading may go on", got)
			}
			noted := slices.ContainsFunc(b.record(), func(r ledger.Record) bool {
				return r.Note != nil && r.Note.Text == "without an intent: the disk is full" && r.Note.Proposal.Command == "true"
			})
			if noted != (broken.healthy != nil) {
				t.Errorf("that it ran without an intent is on record: %t", noted)
			}
			if got := b.results(); !strings.Contains(got[0], "cannot be put on record: the disk is full") {
				t.Errorf("%q", got)
			}
			if f := eventsOf[agent.Fault](b); len(f) != faults {
				t.Errorf("%+v", f)
			}
		})
	}
}

// Whoever decides: what is not plainly an observation does not run unrecorded.
func TestNoDeciderLetsAnActPassUnrecorded(t *testing.T) {
	b := newBench(t, options{
		recorder: func(r agent.Recorder) agent.Recorder {
			return &brokenLedger{Recorder: r, healthy: errors.New("the disk is full")}
		},
		gate: func(c *agent.GateConfig) { c.Policy = yes{} },
	})
	for _, command := range []string{"touch made", "true"} {
		if a := b.pass(t.Context(), "sh", command); a.Started || !strings.Contains(a.Err.Error(), "the disk is full") {
			t.Errorf("%s: %+v", command, a)
		}
	}
	closed := newBench(t, options{recorder: func(r agent.Recorder) agent.Recorder {
		return &brokenLedger{Recorder: r, healthy: ledger.ErrClosed}
	}})
	if a := closed.pass(t.Context(), "sh", "true"); a.Started {
		t.Errorf("it ran after the record was closed: %+v", a)
	}
}

// yes allows everything and says nothing of it.
type yes struct{}

func (yes) Decide(context.Context, policy.Proposal) (policy.Decision, error) {
	return policy.Decision{Allowed: true, How: policy.ByOperator}, nil
}

func TestAConclusionThatCannotBeWrittenIsTold(t *testing.T) {
	b := newBench(t, options{recorder: func(r agent.Recorder) agent.Recorder {
		return &brokenLedger{Recorder: r, conclude: errors.New("the disk is full")}
	}})
	a := b.pass(t.Context(), "sh", "echo hi")
	if a.Result.IsError || a.Err == nil || !strings.Contains(a.Err.Error(), "not be put on record yet") {
		t.Errorf("%+v", a)
	}
}

func TestWhatToolsComeToIsRecordedAsItIs(t *testing.T) {
	code := 3
	for name, c := range map[string]struct {
		do   func(context.Context, tools.Action, tools.Env) (tools.Result, error)
		want ledger.Conclusion
	}{
		"exit": {
			func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
				return tools.Result{Record: tools.Record{Outcome: backends.ExitedWith(3), Bytes: 7, Truncated: true}}, nil
			}, ledger.Conclusion{Outcome: ledger.Exited, ExitCode: &code, Bytes: 7, Truncated: true},
		},
		"signal": {
			func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
				return tools.Result{Record: tools.Record{Outcome: backends.EndedBy(backends.KILL)}}, nil
			}, ledger.Conclusion{Outcome: ledger.Signalled, Signal: "KILL"},
		},
		"time-out": {
			func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
				return tools.Result{Record: tools.Record{TimedOut: true}}, nil
			}, ledger.Conclusion{Outcome: ledger.TimedOut, Error: "the wait ended before the command did"},
		},
		"not carried out": {
			func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
				return tools.Failure("no_pane", "there is no pane"), nil
			}, ledger.Conclusion{Outcome: ledger.Failed, Error: "there is no pane"},
		},
		"the guard refused": {
			func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
				return tools.Result{}, tools.Denied("%w", tools.ErrNotGranted)
			}, ledger.Conclusion{Outcome: ledger.Failed, Error: "permission_denied: " + tools.ErrNotGranted.Error()},
		},
		"a panic": {
			func(context.Context, tools.Action, tools.Env) (tools.Result, error) { panic("oh") },
			ledger.Conclusion{Outcome: ledger.Unknown, Error: "execution_failed: act panicked: oh"},
		},
		"nothing": {
			func(context.Context, tools.Action, tools.Env) (tools.Result, error) { return tools.Result{}, nil },
			ledger.Conclusion{Outcome: ledger.Unknown, Error: "how it ended is not known"},
		},
		"what nobody knows": {
			func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
				return tools.Result{Record: tools.Record{Unsure: "its pane has ended"}}, nil
			}, ledger.Conclusion{Outcome: ledger.Unknown, Error: "its pane has ended"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, options{})
			b.answer = approve
			b.add(&probe{name: "act", kind: tools.Exec, do: c.do})
			a := b.pass(t.Context(), "act", "touch x")
			var e *tools.Error
			if a.Err != nil && (!errors.As(a.Err, &e) || !a.Result.IsError) {
				t.Errorf("%+v", a)
			}
			r := b.record()
			if len(r) != 2 || r[1].Conclusion == nil {
				t.Fatalf("%s", b.kinds())
			}
			got := *r[1].Conclusion
			got.Duration = 0
			if text(got) != text(c.want) {
				t.Errorf("got  %s\nwant %s", text(got), text(c.want))
			}
			var p *agent.PanicError
			if name == "a panic" && (!errors.As(a.Err, &p) || !strings.Contains(string(p.Stack), "gate_test.go")) {
				t.Errorf("the stack is lost: %v", a.Err)
			}
		})
	}
}

func text(c ledger.Conclusion) string {
	s, _ := json.Marshal(c) // has no value that JSON lacks
	return string(s)
}

func TestAnEditedCommandIsPlannedAndDecidedAnew(t *testing.T) {
	b := newBench(t, options{}, callsFor(cmd("a", "sh", "touch bad")), says("ok"))
	edits := []string{"touch better", "touch best"}
	b.answer = func(_ context.Context, r policy.Request) (policy.Answer, error) {
		if len(edits) > 0 {
			next := edits[0]
			edits = edits[1:]
			return policy.Answer{RequestID: r.ID, Approved: true, Edited: &next}, nil
		}
		return approve(t.Context(), r)
	}
	if ending := b.run(t.Context(), "go"); ending != agent.Answered {
		t.Fatal(ending)
	}
	if got := strings.Join(b.executed(), ","); got != "touch best" {
		t.Errorf("ran %q", got)
	}
	if len(b.asked) != 3 || b.asked[2].Action.Command != "touch best" || !b.asked[2].Operator || b.asked[2].Action.Claim != (tools.Claim{}) {
		t.Errorf("%+v", b.asked)
	}
	if got := b.kinds(); got != "denied denied intent exited" {
		t.Errorf("the record: %s", got)
	}
	q := b.server.asked()
	last := q[1].Messages[len(q[1].Messages)-1]
	if !strings.Contains(last.Content, "the operator changed the command of this call to: touch best") {
		t.Errorf("the model is told %q", last.Content)
	}
}

func TestAnEditThatCannotBePlannedRunsNothing(t *testing.T) {
	b := newBench(t, options{})
	other := "other"
	b.answer = func(_ context.Context, r policy.Request) (policy.Answer, error) {
		return policy.Answer{RequestID: r.ID, Edited: &other}, nil
	}
	b.add(&probe{name: "picky", kind: tools.Exec, plan: func(args json.RawMessage) error {
		if strings.Contains(string(args), other) {
			return tools.Reject("no", "not that")
		}
		return nil
	}})
	if a := b.pass(t.Context(), "picky", "touch x"); !a.Result.IsError || a.Started || a.Edited != other {
		t.Errorf("%+v", a)
	}
	// An action that is no command cannot be edited: the model is told.
	a := b.gate.Pass(t.Context(), agent.Step{
		Action: tools.Action{Tool: "t", Kind: tools.Exec, Target: "local", Command: "touch y", Dialect: "sh"}, Conversation: b.id,
		Execute: func(context.Context, tools.Action, tools.Env) (tools.Result, error) { panic("ran") },
	}, nil)
	if p, ok := a.Result.Value.(tools.Problem); !a.Denied || !ok || !strings.Contains(p.Error, "wants this instead: other") {
		t.Errorf("%+v", a)
	}
}

func TestNobodyToAskIsADenialThatTheOperatorHearsOf(t *testing.T) {
	b := newBench(t, options{}, callsFor(cmd("a", "sh", "touch x")), says("ok"))
	b.answer = func(context.Context, policy.Request) (policy.Answer, error) {
		return policy.Answer{Approved: true}, errors.New("no terminal")
	}
	if ending := b.run(t.Context(), "go"); ending != agent.Denied || len(b.executed()) != 0 {
		t.Errorf("%v %q", ending, b.executed())
	}
	if f := eventsOf[agent.Fault](b); len(f) != 1 || !strings.Contains(f[0].Text, "no terminal") {
		t.Errorf("%+v", f)
	}
}

// unsure allows and fails at once.
type unsure struct{ agent.Decider }

func (u unsure) Decide(ctx context.Context, p policy.Proposal) (policy.Decision, error) {
	d, err := u.Decider.Decide(ctx, p)
	return d, errors.Join(err, errors.New("a fault"))
}

func TestAnErrorIsNeverAnApproval(t *testing.T) {
	b := newBench(t, options{gate: func(c *agent.GateConfig) { c.Policy = unsure{c.Policy} }})
	if a := b.pass(t.Context(), "sh", "true"); !a.Denied || a.Started || a.Err == nil || b.kinds() != "denied" {
		t.Errorf("%+v; %s", a, b.kinds())
	}
}

func TestReadOnlyDeniesByRule(t *testing.T) {
	b := newBench(t, options{posture: policy.PostureReadOnly}, callsFor(cmd("a", "sh", "touch x"), cmd("b", "sh", "true")), says("ok"))
	if ending := b.run(t.Context(), "go"); ending != agent.Answered {
		t.Error(ending)
	}
	if got := b.results(); len(b.asked) != 0 || !strings.Contains(got[0], "denied by policy") || strings.Contains(got[1], "denied") {
		t.Errorf("%q", got)
	}
	if r := b.record(); r[0].Note.By != "rule" {
		t.Errorf("%+v", r[0].Note)
	}
}

// background is a command that goes on after its call.
type background struct{ done chan struct{} }

func (r *background) Done() <-chan struct{} { return r.done }
func (r *background) Record() tools.Record  { return tools.Record{Outcome: backends.ExitedWith(2)} }
func (r *background) Describe() string      { return "make in %3: exited 2" }

func TestACommandThatGoesOnIsConcludedWhenItEnds(t *testing.T) {
	running := &background{make(chan struct{})}
	told := make(chan agent.RunEnded, 1)
	b := newBench(t, options{gate: func(c *agent.GateConfig) { c.Ended = func(e agent.RunEnded) { told <- e } }},
		callsFor(cmd("a", "start", "make")), says("It runs."),
		callsFor(cmd("b", "wait", "")), says("It failed."), says("Yes."))
	b.answer = approve
	b.add(&probe{name: "start", kind: tools.Run, do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		return tools.Result{Value: "dispatched", Running: running}, nil
	}})
	b.add(&probe{name: "wait", do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		close(running.done)
		<-told
		return tools.Result{}, nil
	}})
	b.run(t.Context(), "build")
	if got := b.kinds(); got != "intent" {
		t.Errorf("while it runs: %s", got)
	}
	if f := eventsOf[agent.CallFinished](b); f[0].Outcome != "running" {
		t.Errorf("%+v", f)
	}
	b.forget()
	b.run(t.Context(), "wait for it")
	if got := b.kinds(); got != "intent exited" {
		t.Errorf("after its end: %s", got)
	}
	if e := eventsOf[agent.RunEnded](b); len(e) != 1 || e[0].Call != "a" || e[0].Text != "make in %3: exited 2" || e[0].Outcome != "exited 2" {
		t.Errorf("%+v", e)
	}
	q := b.server.asked()
	if last := q[3].Messages[len(q[3].Messages)-1]; last.Role != "tool" || !strings.HasSuffix(last.Content, b.notice(q[3], "make in %3: exited 2")) {
		t.Errorf("the model is told %+v", last)
	}
	b.forget()
	if ending := b.run(t.Context(), "sure?"); ending != agent.Answered || len(eventsOf[agent.RunEnded](b)) != 0 {
		t.Error("told twice")
	}
}

func TestACommandThatGoesOnAfterEscIsRecordedAsInterrupted(t *testing.T) {
	running := &background{make(chan struct{})}
	told := make(chan agent.RunEnded, 1)
	b := newBench(t, options{gate: func(c *agent.GateConfig) { c.Ended = func(e agent.RunEnded) { told <- e } }})
	b.answer = approve
	ctx, cancel := context.WithCancel(t.Context())
	b.add(&probe{name: "start", kind: tools.Run, do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		cancel()
		return tools.Result{Running: running}, nil
	}})
	b.pass(ctx, "start", "make")
	close(running.done)
	<-told
	if r := b.record(); len(r) != 2 || r[1].Conclusion.Outcome != ledger.Exited || r[1].Conclusion.Error != "interrupted by the operator" {
		t.Errorf("%+v", r)
	}
}

func TestACommandThatOutlivesTheGateHasNoConclusion(t *testing.T) {
	b := newBench(t, options{})
	b.answer = approve
	b.add(&probe{name: "start", kind: tools.Run, do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		return tools.Result{Running: &background{make(chan struct{})}}, nil
	}})
	b.pass(t.Context(), "start", "make")
	b.gate.Close()
	if got := b.kinds(); got != "intent" {
		t.Error(got)
	}
}

func TestATimeOutEndsAnExecution(t *testing.T) {
	b := newBench(t, options{gate: func(c *agent.GateConfig) { c.Timeout = 30 * time.Millisecond }})
	// A wait of its own would be longer than the time-out, by ten seconds.
	a := b.gate.Pass(t.Context(), agent.Step{
		Action: tools.Action{Tool: "t", Kind: tools.Pure, Wait: -10 * time.Second},
		Execute: func(ctx context.Context, _ tools.Action, _ tools.Env) (tools.Result, error) {
			<-ctx.Done()
			return tools.Failure("timeout", context.Cause(ctx).Error()), nil
		},
	}, nil)
	if p := a.Result.Value.(tools.Problem); a.Interrupted || !strings.Contains(p.Error, "time is up") {
		t.Errorf("%+v", a)
	}
}

func TestAnExecutionThatDoesNotStopIsLeftAndConcludedLater(t *testing.T) {
	told := make(chan agent.RunEnded, 1)
	b := newBench(t, options{gate: func(c *agent.GateConfig) { c.Ended = func(e agent.RunEnded) { told <- e } }})
	b.answer = approve
	agent.SetPatience(b.gate, 10*time.Millisecond)
	release := make(chan struct{})
	started := make(chan struct{})
	b.add(&probe{name: "deaf", kind: tools.Exec, do: func(_ context.Context, _ tools.Action, env tools.Env) (tools.Result, error) {
		close(started)
		<-release
		env.Report(tools.Progress{Note: "too late"})
		return tools.Result{Record: tools.Record{Outcome: backends.ExitedWith(0)}}, nil
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	a := b.pass(ctx, "deaf", "touch x")
	if !a.Interrupted || !a.Result.IsError || b.kinds() != "intent" {
		t.Errorf("%+v; %s", a, b.kinds())
	}
	close(release)
	if e := <-told; e.Text != "touch x: exited 0" {
		t.Errorf("%+v", e)
	}
	if r := b.record(); len(r) != 2 || r[1].Conclusion.Outcome != ledger.Exited || r[1].Conclusion.Error != "interrupted by the operator" {
		t.Errorf("%+v", r)
	}
	if p := eventsOf[agent.CallProgress](b); len(p) != 0 {
		t.Errorf("progress after the call's end: %+v", p)
	}
}

func TestConcurrentCallsShareAGate(t *testing.T) {
	b := newBench(t, options{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if a := b.pass(t.Context(), "sh", "echo hi"); a.Err != nil || a.Result.IsError {
				t.Errorf("%+v", a)
			}
		})
	}
	wg.Wait()
	if r, err := ledger.Verify(filepath.Join(b.dir, "ledger"), ""); err != nil || r.Records != 16 || r.Open != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "ledger")); err != nil {
		t.Error(err)
	}
}
