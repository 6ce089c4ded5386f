package gate_test

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
	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/internal/agenttest"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
)

func TestTheIntentIsOnDiskBeforeAnythingRuns(t *testing.T) {
	b := newBench(t, options{})
	b.Answer = approve
	seen := ""
	b.Add(&probe{ToolName: "act", Kind: tools.Exec, Do: func(_ context.Context, a tools.Action, _ tools.Env) (tools.Result, error) {
		seen = b.Kinds()
		return tools.Result{Record: tools.Record{Outcome: backends.ExitedWith(0)}}, nil
	}})
	if a := b.Pass(t.Context(), "act", "touch x"); a.Err != nil || !a.Started {
		t.Fatalf("%+v", a)
	}
	if seen != "intent" || b.Kinds() != "intent exited" {
		t.Errorf("during: %q; after: %q", seen, b.Kinds())
	}
	i := b.Record()[0].Intent
	if i.Command != "touch x" || i.Decision != "approved" || i.By != "ops" || i.Digest != b.Runs[0].Digest().String() ||
		!strings.Contains(string(i.Verdict), `"mutate"`) || !strings.Contains(string(i.Claim), `"low"`) || i.Conversation != b.ID {
		t.Errorf("%+v", i)
	}
}

// brokenLedger fails where it is told to.
type brokenLedger struct {
	gate.Recorder
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
			b := newBench(t, options{Recorder: func(r gate.Recorder) gate.Recorder { broken.Recorder = r; return broken }},
				callsFor(cmd("1", "sh", "touch made"), cmd("2", "sh", "true"), cmd("3", "look", "x"), cmd("4", "peek", "x")),
				says("ok"))
			b.Add(&probe{ToolName: "peek", Kind: tools.Read})
			b.Answer = approve
			b.Run(t.Context(), "go")
			want, faults := "true,x,x", 1 // a plain look is no act
			if broken.intend != nil {
				want, faults = "x,x", 2 // it fails in the middle
			}
			ran := b.Executed()
			slices.Sort(ran) // what only reads runs side by side
			if got := strings.Join(ran, ","); got != want {
				t.Errorf("ran %q; only reading may go on", got)
			}
			noted := slices.ContainsFunc(b.Record(), func(r ledger.Record) bool {
				return r.Note != nil && r.Note.Text == "without an intent: the disk is full" && r.Note.Proposal.Command == "true"
			})
			if noted != (broken.healthy != nil) {
				t.Errorf("that it ran without an intent is on record: %t", noted)
			}
			if got := b.Results(); !strings.Contains(got[0], "cannot be put on record: the disk is full") {
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
		Recorder: func(r gate.Recorder) gate.Recorder {
			return &brokenLedger{Recorder: r, healthy: errors.New("the disk is full")}
		},
		Gate: func(c *gate.Config) { c.Policy = yes{} },
	})
	for _, command := range []string{"touch made", "true"} {
		if a := b.Pass(t.Context(), "sh", command); a.Started || !strings.Contains(a.Err.Error(), "the disk is full") {
			t.Errorf("%s: %+v", command, a)
		}
	}
	closed := newBench(t, options{Recorder: func(r gate.Recorder) gate.Recorder {
		return &brokenLedger{Recorder: r, healthy: ledger.ErrClosed}
	}})
	if a := closed.Pass(t.Context(), "sh", "true"); a.Started {
		t.Errorf("it ran after the record was closed: %+v", a)
	}
}

// yes allows everything and says nothing of it.
type yes struct{}

func (yes) Decide(context.Context, policy.Proposal) (policy.Decision, error) {
	return policy.Decision{Allowed: true, How: policy.ByOperator}, nil
}

func TestAConclusionThatCannotBeWrittenIsTold(t *testing.T) {
	b := newBench(t, options{Recorder: func(r gate.Recorder) gate.Recorder {
		return &brokenLedger{Recorder: r, conclude: errors.New("the disk is full")}
	}})
	a := b.Pass(t.Context(), "sh", "echo hi")
	if a.Result.IsError || a.Err == nil || !strings.Contains(a.Err.Error(), "not be put on record yet") {
		t.Errorf("%+v", a)
	}
}

func TestWhatToolsComeToIsRecordedAsItIs(t *testing.T) {
	code := 3
	for name, c := range map[string]struct {
		Do   func(context.Context, tools.Action, tools.Env) (tools.Result, error)
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
			b.Answer = approve
			b.Add(&probe{ToolName: "act", Kind: tools.Exec, Do: c.Do})
			a := b.Pass(t.Context(), "act", "touch x")
			var e *tools.Error
			if a.Err != nil && (!errors.As(a.Err, &e) || !a.Result.IsError) {
				t.Errorf("%+v", a)
			}
			r := b.Record()
			if len(r) != 2 || r[1].Conclusion == nil {
				t.Fatalf("%s", b.Kinds())
			}
			got := *r[1].Conclusion
			got.Duration = 0
			if text(got) != text(c.want) {
				t.Errorf("got  %s\nwant %s", text(got), text(c.want))
			}
			var p *gate.PanicError
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
	b.Answer = func(_ context.Context, r policy.Request) (policy.Answer, error) {
		if len(edits) > 0 {
			next := edits[0]
			edits = edits[1:]
			return policy.Answer{RequestID: r.ID, Approved: true, Edited: &next}, nil
		}
		return approve(t.Context(), r)
	}
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
		t.Fatal(ending)
	}
	if got := strings.Join(b.Executed(), ","); got != "touch best" {
		t.Errorf("ran %q", got)
	}
	if len(b.Asked) != 3 || b.Asked[2].Action.Command != "touch best" || !b.Asked[2].Operator || b.Asked[2].Action.Claim != (tools.Claim{}) {
		t.Errorf("%+v", b.Asked)
	}
	if got := b.Kinds(); got != "denied denied intent exited" {
		t.Errorf("the record: %s", got)
	}
	q := b.Server.Asked()
	last := q[1].Messages[len(q[1].Messages)-1]
	if !strings.Contains(last.Content, "the operator changed the command of this call to: touch best") {
		t.Errorf("the model is told %q", last.Content)
	}
}

func TestAnEditThatCannotBePlannedRunsNothing(t *testing.T) {
	b := newBench(t, options{})
	other := "other"
	b.Answer = func(_ context.Context, r policy.Request) (policy.Answer, error) {
		return policy.Answer{RequestID: r.ID, Edited: &other}, nil
	}
	b.Add(&probe{ToolName: "picky", Kind: tools.Exec, Planned: func(args json.RawMessage) error {
		if strings.Contains(string(args), other) {
			return tools.Reject("no", "not that")
		}
		return nil
	}})
	if a := b.Pass(t.Context(), "picky", "touch x"); !a.Result.IsError || a.Started || a.Edited != other {
		t.Errorf("%+v", a)
	}
	// An action that is no command cannot be edited: the model is told.
	a := b.Gate.Pass(t.Context(), gate.Step{
		Action: tools.Action{Tool: "t", Kind: tools.Exec, Target: "local", Command: "touch y", Dialect: "sh"}, Conversation: b.ID,
		Execute: func(context.Context, tools.Action, tools.Env) (tools.Result, error) { panic("ran") },
	}, nil)
	if p, ok := a.Result.Value.(tools.Problem); !a.Denied || !ok || !strings.Contains(p.Error, "wants this instead: other") {
		t.Errorf("%+v", a)
	}
}

func TestNobodyToAskIsADenialThatTheOperatorHearsOf(t *testing.T) {
	b := newBench(t, options{}, callsFor(cmd("a", "sh", "touch x")), says("ok"))
	b.Answer = func(context.Context, policy.Request) (policy.Answer, error) {
		return policy.Answer{Approved: true}, errors.New("no terminal")
	}
	if ending := b.Run(t.Context(), "go"); ending != agent.Denied || len(b.Executed()) != 0 {
		t.Errorf("%v %q", ending, b.Executed())
	}
	if f := eventsOf[agent.Fault](b); len(f) != 1 || !strings.Contains(f[0].Text, "no terminal") {
		t.Errorf("%+v", f)
	}
}

// unsure allows and fails at once.
type unsure struct{ gate.Decider }

func (u unsure) Decide(ctx context.Context, p policy.Proposal) (policy.Decision, error) {
	d, err := u.Decider.Decide(ctx, p)
	return d, errors.Join(err, errors.New("a fault"))
}

func TestAnErrorIsNeverAnApproval(t *testing.T) {
	b := newBench(t, options{Gate: func(c *gate.Config) { c.Policy = unsure{c.Policy} }})
	if a := b.Pass(t.Context(), "sh", "true"); !a.Denied || a.Started || a.Err == nil || b.Kinds() != "denied" {
		t.Errorf("%+v; %s", a, b.Kinds())
	}
}

func TestReadOnlyDeniesByRule(t *testing.T) {
	b := newBench(t, options{Posture: policy.PostureReadOnly}, callsFor(cmd("a", "sh", "touch x"), cmd("b", "sh", "true")), says("ok"))
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
		t.Error(ending)
	}
	if got := b.Results(); len(b.Asked) != 0 || !strings.Contains(got[0], "denied by policy") || strings.Contains(got[1], "denied") {
		t.Errorf("%q", got)
	}
	if r := b.Record(); r[0].Note.By != "rule" {
		t.Errorf("%+v", r[0].Note)
	}
}

func TestACommandThatGoesOnIsConcludedWhenItEnds(t *testing.T) {
	running := &agenttest.Background{Ended: make(chan struct{})}
	told := make(chan agent.RunEnded, 1)
	b := newBench(t, options{Gate: func(c *gate.Config) { c.Ended = func(e agent.RunEnded) { told <- e } }},
		callsFor(cmd("a", "start", "make")), says("It runs."),
		callsFor(cmd("b", "wait", "")), says("It failed."), says("Yes."))
	b.Answer = approve
	b.Add(&probe{ToolName: "start", Kind: tools.Run, Do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		return tools.Result{Value: "dispatched", Running: running}, nil
	}})
	b.Add(&probe{ToolName: "wait", Do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		close(running.Ended)
		<-told
		return tools.Result{}, nil
	}})
	b.Run(t.Context(), "build")
	if got := b.Kinds(); got != "intent" {
		t.Errorf("while it runs: %s", got)
	}
	if f := eventsOf[agent.CallFinished](b); f[0].Outcome != "running" {
		t.Errorf("%+v", f)
	}
	b.Forget()
	b.Run(t.Context(), "wait for it")
	if got := b.Kinds(); got != "intent exited" {
		t.Errorf("after its end: %s", got)
	}
	if e := eventsOf[agent.RunEnded](b); len(e) != 1 || e[0].Call != "a" || e[0].Text != "make in %3: exited 2" || e[0].Outcome != "exited 2" {
		t.Errorf("%+v", e)
	}
	q := b.Server.Asked()
	if last := q[3].Messages[len(q[3].Messages)-1]; last.Role != "tool" || !strings.HasSuffix(last.Content, b.Notice(q[3], "make in %3: exited 2")) {
		t.Errorf("the model is told %+v", last)
	}
	b.Forget()
	if ending := b.Run(t.Context(), "sure?"); ending != agent.Answered || len(eventsOf[agent.RunEnded](b)) != 0 {
		t.Error("told twice")
	}
}

func TestACommandThatGoesOnAfterEscIsRecordedAsInterrupted(t *testing.T) {
	running := &agenttest.Background{Ended: make(chan struct{})}
	told := make(chan agent.RunEnded, 1)
	b := newBench(t, options{Gate: func(c *gate.Config) { c.Ended = func(e agent.RunEnded) { told <- e } }})
	b.Answer = approve
	ctx, cancel := context.WithCancel(t.Context())
	b.Add(&probe{ToolName: "start", Kind: tools.Run, Do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		cancel()
		return tools.Result{Running: running}, nil
	}})
	b.Pass(ctx, "start", "make")
	close(running.Ended)
	<-told
	if r := b.Record(); len(r) != 2 || r[1].Conclusion.Outcome != ledger.Exited || r[1].Conclusion.Error != "interrupted by the operator" {
		t.Errorf("%+v", r)
	}
}

func TestACommandThatOutlivesTheGateHasNoConclusion(t *testing.T) {
	b := newBench(t, options{})
	b.Answer = approve
	b.Add(&probe{ToolName: "start", Kind: tools.Run, Do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		return tools.Result{Running: &agenttest.Background{Ended: make(chan struct{})}}, nil
	}})
	b.Pass(t.Context(), "start", "make")
	b.Gate.Close()
	if got := b.Kinds(); got != "intent" {
		t.Error(got)
	}
}

func TestATimeOutEndsAnExecution(t *testing.T) {
	b := newBench(t, options{Gate: func(c *gate.Config) { c.Timeout = 30 * time.Millisecond }})
	// A wait of its own would be longer than the time-out, by ten seconds.
	a := b.Gate.Pass(t.Context(), gate.Step{
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
	b := newBench(t, options{Gate: func(c *gate.Config) { c.Ended = func(e agent.RunEnded) { told <- e } }})
	b.Answer = approve
	gate.SetPatience(b.Gate, 10*time.Millisecond)
	release := make(chan struct{})
	started := make(chan struct{})
	b.Add(&probe{ToolName: "deaf", Kind: tools.Exec, Do: func(_ context.Context, _ tools.Action, env tools.Env) (tools.Result, error) {
		close(started)
		<-release
		env.Report(tools.Progress{Note: "too late"})
		return tools.Result{Record: tools.Record{Outcome: backends.ExitedWith(0)}}, nil
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	a := b.Pass(ctx, "deaf", "touch x")
	if !a.Interrupted || !a.Result.IsError || b.Kinds() != "intent" {
		t.Errorf("%+v; %s", a, b.Kinds())
	}
	close(release)
	if e := <-told; e.Text != "touch x: exited 0" {
		t.Errorf("%+v", e)
	}
	if r := b.Record(); len(r) != 2 || r[1].Conclusion.Outcome != ledger.Exited || r[1].Conclusion.Error != "interrupted by the operator" {
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
			if a := b.Pass(t.Context(), "sh", "echo hi"); a.Err != nil || a.Result.IsError {
				t.Errorf("%+v", a)
			}
		})
	}
	wg.Wait()
	if r, err := ledger.Verify(filepath.Join(b.Dir, "ledger"), ""); err != nil || r.Records != 16 || r.Open != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Join(b.Dir, "ledger")); err != nil {
		t.Error(err)
	}
}
