package gate_test

import (
	"context"
	"testing"

	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
)

// What was read with the operator's leave is on record, although reading needs
// no record to happen.
func TestReadingThatWasAskedForIsOnRecord(t *testing.T) {
	for posture, want := range map[policy.Posture]string{policy.PostureAsk: "", policy.PostureAskAll: "read"} {
		b := newBench(t, options{Posture: posture})
		b.Answer = approve
		a := b.Gate.Pass(t.Context(), gate.Step{
			Action: tools.Action{Tool: "peek", Kind: tools.Read, Target: "local", User: "ops", Path: "/etc/hostname", Command: "{}"},
			Execute: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
				return tools.Result{Record: tools.Record{Outcome: backends.ExitedWith(0)}}, nil
			},
		}, b.Sink)
		if !a.Started || b.Kinds() != want {
			t.Fatalf("%s: %+v; the record: %q", posture, a, b.Kinds())
		}
		if want == "" {
			continue
		}
		if n := b.Record()[0].Note; n.Proposal.Path != "/etc/hostname" || n.Proposal.Decision != "approved" || n.By != "ops" {
			t.Errorf("%+v", n)
		}
	}
}

// The record says all of what ran: a shell that reads its commands from its
// input is not on record as "bash" alone.
func TestTheInputAndTheContentAreOnRecord(t *testing.T) {
	b := newBench(t, options{})
	b.Answer = approve
	for _, a := range []tools.Action{
		{Tool: "x", Kind: tools.Exec, Target: "local", User: "ops", Command: "bash", Dialect: "sh", Stdin: []byte("rm -rf /srv/\xff\n")},
		{Tool: "x", Kind: tools.Write, Target: "local", User: "ops", Path: "/srv/x", Content: []byte("text")},
	} {
		b.Gate.Pass(t.Context(), gate.Step{Action: a, Execute: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
			return tools.Result{Record: tools.Record{Outcome: backends.ExitedWith(0)}}, nil
		}}, nil)
	}
	r := b.Record()
	if len(r) != 4 {
		t.Fatal(b.Kinds())
	}
	if got := r[0].Intent; got.Stdin != "rm -rf /srv/\xff\n" || got.Dialect != "sh" {
		t.Errorf("%+v", got)
	}
	if got := r[2].Intent; got.Content != backends.VersionOf([]byte("text")).SHA256 {
		t.Errorf("%+v", got)
	}
}

// The record of a kill says what ended with it.
func TestWhatAKillEndsIsOnRecord(t *testing.T) {
	b := newBench(t, options{})
	b.Answer = approve
	for _, a := range []tools.Action{
		{Tool: "x", Kind: tools.Manage, Target: "local", User: "ops", Command: "create-pane main worker"},
		{Tool: "x", Kind: tools.Manage, Target: "local", User: "ops", Command: "kill-pane main worker", Pane: "%3", Busy: `nod-x-main:worker %3 runs "make"`},
	} {
		b.Gate.Pass(t.Context(), gate.Step{Action: a, Execute: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
			return tools.Result{Record: tools.Record{Outcome: backends.ExitedWith(0)}}, nil
		}}, nil)
	}
	r := b.Record()
	if b.Kinds() != "intent exited intent exited" {
		t.Fatal(b.Kinds())
	}
	if got := r[0].Intent; got.Command != "create-pane main worker" || got.Kind != "manage" {
		t.Errorf("%+v", got)
	}
	if got := r[2].Intent; got.Command != "kill-pane main worker\nnod-x-main:worker %3 runs \"make\"" || got.Pane != "%3" {
		t.Errorf("%+v", got)
	}
}
