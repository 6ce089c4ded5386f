package gate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/internal/agenttest"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/hook"
)

// withHook is a bench with one hook for one event, and what it was told.
func withHook(t *testing.T, event string, required bool, call func(context.Context, hook.Event) (hook.Answer, error), script ...reply) (*bench, *[]hook.Event) {
	t.Helper()
	var told []hook.Event
	hooks := hook.New(hook.Options{})
	h := hook.Hook{Name: "team", Events: []string{event}, Timeout: time.Hour, Call: func(ctx context.Context, e hook.Event) (hook.Answer, error) {
		told = append(told, e)
		return call(ctx, e)
	}}
	if required {
		h.Required = h.Events
	}
	hooks.Replace("test", h)
	b := newBench(t, options{Gate: func(c *gate.Config) { c.Hooks = hooks }}, script...)
	b.Answer = approve
	return b, &told
}

func says1(a hook.Answer) func(context.Context, hook.Event) (hook.Answer, error) {
	return func(context.Context, hook.Event) (hook.Answer, error) { return a, nil }
}

// A hook denies before anybody is asked, and it is on record.
func TestAHookDenies(t *testing.T) {
	b, told := withHook(t, hook.PreTool, false, says1(hook.Answer{Deny: "no ticket"}), callsFor(cmd("a", "sh", "touch x")), says("ok"))
	b.Run(t.Context(), "go")
	if len(b.Asked) > 0 || len(b.Executed()) > 0 || b.Kinds() != "denied" {
		t.Errorf("asked %d times, ran %v, record %s", len(b.Asked), b.Executed(), b.Kinds())
	}
	if got := b.Results()[0]; !strings.Contains(got, "not run: denied by the hook team: no ticket") {
		t.Error(got)
	}
	if n := b.Record()[0].Note; n.Text != "hook team: no ticket" || n.Proposal.Decision != "deny-hook" || n.By != "hook" {
		t.Errorf("%+v", n)
	}
	if e := (*told)[0]; e.Tool != "sh" || e.Command != "touch x" || e.Call != "a" || e.Effect != "exec" {
		t.Errorf("%+v", e)
	}
}

// A required hook that fails denies; another one that fails changes nothing.
func TestAHookFails(t *testing.T) {
	for _, required := range []bool{true, false} {
		b, _ := withHook(t, hook.PreTool, required, func(context.Context, hook.Event) (hook.Answer, error) {
			return hook.Answer{}, errors.New("it is broken")
		}, callsFor(cmd("a", "sh", "touch x")), says("ok"))
		b.Run(t.Context(), "go")
		if denied := len(b.Executed()) == 0; denied != required {
			t.Errorf("required %t: ran %v, %s", required, b.Executed(), b.Results())
		}
	}
}

// What a hook says goes to the operator's question and to the model.
func TestAHookNotes(t *testing.T) {
	b, _ := withHook(t, hook.PreTool, false, says1(hook.Answer{Note: "freeze until Monday"}), callsFor(cmd("a", "sh", "touch x")), says("ok"))
	b.Run(t.Context(), "go")
	if len(b.Asked) != 1 || strings.Join(b.Asked[0].Notes, "") != "hook team: freeze until Monday" {
		t.Errorf("%+v", b.Asked)
	}
	if got := b.Results()[0]; !strings.Contains(got, `"notes":["hook team: freeze until Monday"]`) {
		t.Error(got)
	}
}

// A result is withheld from the model; what has run is on record as it ended.
func TestAHookWithholdsAResult(t *testing.T) {
	b, told := withHook(t, hook.PostTool, false, says1(hook.Answer{Deny: "names of customers"}), callsFor(cmd("a", "sh", "echo Ada >&2; echo Ada")), says("ok"))
	b.Run(t.Context(), "go")
	if got := b.Results()[0]; strings.Contains(got, "Ada") || !strings.Contains(got, "withheld by the hook team: names of customers") {
		t.Error(got)
	}
	if e := (*told)[0]; !strings.Contains(e.Text, "Ada") || e.Outcome != "exited 0" {
		t.Errorf("%+v", e)
	}
	if b.Kinds() != "intent exited" {
		t.Error(b.Kinds())
	}
}

// An interruption does not get a result past a required hook.
func TestAnInterruptionWithholdsAResult(t *testing.T) {
	for _, required := range []bool{true, false} {
		ctx, interrupt := context.WithCancel(t.Context())
		b, _ := withHook(t, hook.PostTool, required, func(ctx context.Context, _ hook.Event) (hook.Answer, error) {
			interrupt()
			<-ctx.Done()
			return hook.Answer{}, ctx.Err()
		}, callsFor(cmd("a", "sh", "echo Ada >&2; echo Ada")), says("ok"))
		b.Run(ctx, "go")
		if got := b.Results()[0]; strings.Contains(got, "Ada") == required {
			t.Errorf("required %t: %s", required, got)
		}
	}
}

// While the operator is asked, a hook takes the question back.
func TestAHookTakesAQuestionBack(t *testing.T) {
	b, told := withHook(t, hook.ApprovalAsked, false, says1(hook.Answer{Deny: "Ada says no"}), callsFor(cmd("a", "sh", "touch x")), says("ok"))
	b.Answer = func(ctx context.Context, _ policy.Request) (policy.Answer, error) {
		<-ctx.Done() // the operator never answers
		return policy.Answer{}, ctx.Err()
	}
	b.Run(t.Context(), "go")
	if got := b.Results()[0]; !strings.Contains(got, "denied by the hook team: Ada says no") || len(b.Executed()) > 0 {
		t.Error(got)
	}
	if e := (*told)[0]; e.Text == "" || e.Command != "touch x" {
		t.Errorf("%+v", e)
	}
}

// An approval waits for the hooks that were asked meanwhile.
func TestAnApprovalWaitsForTheHooks(t *testing.T) {
	answered := make(chan struct{})
	b, _ := withHook(t, hook.ApprovalAsked, true, func(ctx context.Context, _ hook.Event) (hook.Answer, error) {
		<-answered
		return hook.Answer{}, errors.New("no pager")
	}, callsFor(cmd("a", "sh", "touch x")), says("ok"))
	b.Answer = func(ctx context.Context, r policy.Request) (policy.Answer, error) {
		defer close(answered)
		return approve(ctx, r)
	}
	b.Run(t.Context(), "go")
	if got := b.Results()[0]; !strings.Contains(got, "required and failed: no pager") || len(b.Executed()) > 0 {
		t.Error(got)
	}
}

// Hooks hear of a command that has ended after its call.
func TestAHookHearsOfALateEnd(t *testing.T) {
	heard := make(chan hook.Event, 1)
	b, _ := withHook(t, hook.RunEnded, false, func(_ context.Context, e hook.Event) (hook.Answer, error) {
		heard <- e
		return hook.Answer{}, nil
	}, callsFor(cmd("a", "later", "make")), says("ok"))
	r := &agenttest.Background{Ended: make(chan struct{})}
	b.Add(&probe{ToolName: "later", Kind: tools.Exec, Do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		return tools.Result{Value: "begun", Running: r}, nil
	}})
	b.Run(t.Context(), "go")
	close(r.Ended)
	if e := <-heard; e.Command != "make" || e.Outcome == "" || e.Text == "" {
		t.Errorf("%+v", e)
	}
}
