package gate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
)

// several is a command on several targets.
func several(command string, targets ...string) tools.Action {
	parts := make([]tools.Action, len(targets))
	for i, target := range targets {
		parts[i] = tools.Action{
			Tool: "sh", Kind: tools.Exec, Target: target, User: "ops", Command: command, Dialect: "sh",
			Claim: tools.Claim{Risk: "medium", Mutation: true, Why: "a test"},
		}
	}
	return tools.Join(strings.Join(targets, ","), parts)
}

// fold says what came of each part, in a line.
func fold(_ context.Context, _ tools.Action, parts []tools.Part, _ tools.Env) tools.Result {
	var lines []string
	for _, p := range parts {
		lines = append(lines, fmt.Sprintf("%s %v %v", p.Action.Target, p.Begun, p.Result.Value))
	}
	return tools.Result{Value: strings.Join(lines, "\n")}
}

// passSeveral passes an action through b's gate; do is what each part does.
func passSeveral(ctx context.Context, b *bench, a tools.Action, do func(context.Context, tools.Action) (tools.Result, error)) gate.Answer {
	return b.Gate.Pass(ctx, gate.Step{
		Action: a, Call: "1", Conversation: b.ID, Fold: fold,
		Execute: func(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
			if err := b.Verifier.Redeem(a, env.Grant); err != nil {
				return tools.Result{}, tools.Denied("%w", err)
			}
			return do(ctx, a)
		},
	}, b.Sink)
}

func exited(code int) tools.Result {
	return tools.Result{Value: code, Record: tools.Record{Outcome: backends.ExitedWith(code), Bytes: 2}}
}

// TestOneApprovalForSeveralTargets: asked once, a row for the whole and two for each target,
// the intent before anything happens there.
func TestOneApprovalForSeveralTargets(t *testing.T) {
	b := newBench(t, options{})
	b.Answer = approve
	var early atomic.Int32
	answer := passSeveral(t.Context(), b, several("touch x", "ssh:web-2", "ssh:web-1", "local"), func(_ context.Context, a tools.Action) (tools.Result, error) {
		if !slices.ContainsFunc(b.Record(), func(r ledger.Record) bool {
			return r.Intent != nil && r.Intent.Target == a.Target && r.Intent.Digest == a.Digest().String()
		}) {
			early.Add(1)
		}
		return exited(len(a.Target) - len("local")), nil
	})
	if answer.Err != nil || len(b.Asked) != 1 || early.Load() > 0 {
		t.Fatalf("%+v; asked %d times, %d began before they were on record", answer, len(b.Asked), early.Load())
	}
	if want := "local true 0\nssh:web-1 true 4\nssh:web-2 true 4"; answer.Result.Value != want || answer.Result.Record.Outcome != backends.ExitedWith(4) {
		t.Errorf("%v, %+v", answer.Result.Value, answer.Result.Record)
	}
	records := b.Record()
	whole := records[0].Intent
	if whole == nil || !slices.Equal(whole.Targets, []string{"local", "ssh:web-1", "ssh:web-2"}) || whole.Decision != "approved" || whole.Digest != answer.Action.Digest().String() {
		t.Fatalf("%+v", whole)
	}
	var ends []string
	for _, r := range records {
		switch {
		case r.Intent != nil && r.Intent != whole && (r.Intent.PartOf != whole.Digest || r.Intent.Targets != nil):
			t.Errorf("%+v is no part of %s", r.Intent, whole.Digest)
		case r.Conclusion != nil:
			ends = append(ends, fmt.Sprint(*r.Conclusion.ExitCode))
		}
	}
	last := records[len(records)-1]
	slices.Sort(ends)
	if len(records) != 8 || strings.Join(ends, " ") != "0 4 4 4" || last.Ref != records[0].Ref || last.Conclusion.Bytes != 6 {
		t.Errorf("%d records, ends %q, the last of them %+v", len(records), ends, last)
	}
}

// swapping changes what was decided about after the approval.
type swapping struct {
	gate.Decider
	change func(d *policy.Decision)
}

func (s swapping) Decide(ctx context.Context, p policy.Proposal) (policy.Decision, error) {
	d, err := s.Decider.Decide(ctx, p)
	s.change(&d)
	return d, err
}

// TestAnotherSetThanTheApprovedOneRunsNowhere: one target more or less, another one, another
// order, another user, a part of another set with its own grant.
func TestAnotherSetThanTheApprovedOneRunsNowhere(t *testing.T) {
	for name, change := range map[string]func(d *policy.Decision){
		"one more": func(d *policy.Decision) {
			more := d.Action.Parts[1]
			more.Target = "ssh:web-9"
			d.Action.Parts, d.Grants = append(d.Action.Parts, more), append(d.Grants, d.Grants[1])
		},
		"one less":     func(d *policy.Decision) { d.Action.Parts, d.Grants = d.Action.Parts[:1], d.Grants[:1] },
		"another":      func(d *policy.Decision) { d.Action.Parts[1].Target = "ssh:web-9" },
		"another user": func(d *policy.Decision) { d.Action.Parts[0].User = "root" },
		"another line": func(d *policy.Decision) { d.Action.Parts[0].Command = "reboot" },
		"all another line": func(d *policy.Decision) {
			d.Action.Command = "reboot"
			for i := range d.Action.Parts {
				d.Action.Parts[i].Command = "reboot"
			}
		},
		"swapped grants": func(d *policy.Decision) { slices.Reverse(d.Grants) },
		"no parts":       func(d *policy.Decision) { d.Action.Parts = nil },
		"no grants":      func(d *policy.Decision) { d.Grants = nil },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, options{Gate: func(c *gate.Config) { c.Policy = swapping{c.Policy, change} }})
			b.Answer = approve
			var ran atomic.Int32
			answer := passSeveral(t.Context(), b, several("touch x", "ssh:web-1", "ssh:web-2"), func(context.Context, tools.Action) (tools.Result, error) {
				ran.Add(1)
				return exited(0), nil
			})
			if ran.Load() > 0 || answer.Err == nil || b.Kinds() != "" {
				t.Errorf("%d ran, %v, on record: %s", ran.Load(), answer.Err, b.Kinds())
			}
		})
	}
}

// TestAnInterruptEndsAllTargets: those that run are stopped, the others are not begun, and
// each intent has a conclusion.
func TestAnInterruptEndsAllTargets(t *testing.T) {
	b := newBench(t, options{})
	b.Answer = approve
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("ssh:web-%03d", i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var begun atomic.Int32
	answer := passSeveral(ctx, b, several("touch x", names...), func(ctx context.Context, _ tools.Action) (tools.Result, error) {
		if begun.Add(1) == 64 {
			cancel()
		}
		<-ctx.Done()
		return tools.Failure("interrupted", "stopped"), nil
	})
	if !answer.Interrupted || begun.Load() != 64 {
		t.Fatalf("%d began: %+v", begun.Load(), answer)
	}
	value, _ := answer.Result.Value.(string)
	if strings.Count(value, "not begun: interrupted by the operator") != 36 || strings.Count(value, "stopped") != 64 {
		t.Errorf("%s", value)
	}
	open := map[string]bool{}
	for _, r := range b.Record() {
		if r.Intent != nil {
			open[r.Ref] = true
		} else if r.Conclusion != nil {
			delete(open, r.Ref)
		}
	}
	if len(open) > 0 || answer.Result.Record.Failed == "" {
		t.Errorf("%d intents without a conclusion; %+v", len(open), answer.Result.Record)
	}
}

// TestWhatFailsOnOneTargetLeavesTheOthersAlone: a fault, a panic, a target that is not there.
func TestWhatFailsOnOneTargetLeavesTheOthersAlone(t *testing.T) {
	b := newBench(t, options{})
	b.Answer = approve
	answer := passSeveral(t.Context(), b, several("touch x", "a", "b", "c", "d"), func(_ context.Context, a tools.Action) (tools.Result, error) {
		switch a.Target {
		case "a":
			panic("a fault")
		case "b":
			return tools.Result{}, tools.Failed("no way")
		case "c":
			return tools.Failure("not_started", "no route to host"), nil
		}
		return exited(0), nil
	})
	value, _ := answer.Result.Value.(string)
	if !strings.Contains(value, "d true 0") || !strings.Contains(value, "panicked") || !strings.Contains(value, "no route") || !strings.Contains(value, "no way") {
		t.Errorf("%s", value)
	}
	if r := answer.Result.Record; r.Failed != "3 of 4 failed: a,b,c" || answer.Err != nil {
		t.Errorf("%+v, %v", r, answer.Err)
	}
}

// TestATargetWhoseIntentCannotBeWrittenIsLeftAlone.
func TestATargetWhoseIntentCannotBeWrittenIsLeftAlone(t *testing.T) {
	b := newBench(t, options{Recorder: func(r gate.Recorder) gate.Recorder { return &fussy{Recorder: r} }})
	b.Answer = approve
	var ran atomic.Int32
	answer := passSeveral(t.Context(), b, several("touch x", "a", "b"), func(context.Context, tools.Action) (tools.Result, error) {
		ran.Add(1)
		return exited(0), nil
	})
	value, _ := answer.Result.Value.(string)
	if ran.Load() != 1 || !strings.Contains(value, "b false {not run, because it cannot be put on record: the disk is full") {
		t.Errorf("%d ran: %s", ran.Load(), value)
	}
}

// fussy records nothing about the target b.
type fussy struct{ gate.Recorder }

func (f *fussy) Intend(ctx context.Context, i ledger.Intent) (ledger.Ref, error) {
	if i.Target == "b" {
		return ledger.Ref{}, errors.New("the disk is full")
	}
	return f.Recorder.Intend(ctx, i)
}
