package gate_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
)

// What is on record says all that the rules look at.
func TestWhatIsOnRecordCanBeJudgedAgain(t *testing.T) {
	claim := tools.Claim{Risk: "high", Mutation: true, Why: "a test"}
	for _, a := range []tools.Action{
		{Tool: "run", Kind: tools.Exec, Target: "local", User: "ops", Dir: "/srv", Command: "bash\x00\xff", Dialect: "bash", Stdin: []byte("rm x\n"), Claim: claim},
		{Tool: "run_shell", Kind: tools.Run, Target: "ssh:web-1", Pane: "%3", Inside: []string{"ssh db-1"}, Command: "touch x", Dialect: "zsh"},
		{Tool: "send_keys", Kind: tools.Type, Target: "local", Pane: "%1", Literal: "ls", Keys: []string{"C-a", "x"}, Enter: true, Pending: "rm ", Prompt: true, Dialect: "bash", Claim: claim},
		{Tool: "send_keys", Kind: tools.Type, Target: "local", Pane: "%1", Literal: "q", Busy: "less x", Dialect: "bash", Claim: claim},
		{Tool: "kill", Kind: tools.Manage, Target: "local", Command: "kill-pane main w", Busy: "sleep 9\nsleep 8", Claim: claim},
		{Tool: "write_file", Kind: tools.Write, Target: "local", Path: "/srv/x", Claim: claim},
	} {
		b := newBench(t, options{})
		b.Answer = approve
		b.Gate.Pass(t.Context(), gate.Step{
			Action: a, Call: "1", Conversation: "c", Operator: a.Claim == (tools.Claim{}),
			Execute: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
				return tools.Result{Record: tools.Record{Outcome: backends.ExitedWith(0)}}, nil
			},
		}, b.Sink)
		var intent *ledger.Intent
		for _, r := range b.Record() {
			if r.Intent != nil {
				intent = r.Intent
			}
		}
		if intent == nil {
			t.Fatalf("%s: no intent on record: %s", a.Kind, b.Kinds())
		}
		p, err := gate.ProposalOf(*intent)
		if err != nil {
			t.Fatal(err)
		}
		if p.Operator != (a.Claim == (tools.Claim{})) || p.Conversation != "c" {
			t.Errorf("%s: %+v", a.Kind, p)
		}
		if len(p.Action.Stdin) == 0 {
			p.Action.Stdin = nil
		}
		if diff := cmp.Diff(a, p.Action); diff != "" {
			t.Errorf("%s: %s", a.Kind, diff)
		}
	}
}

func TestARecordThatSaysNothingIsAnError(t *testing.T) {
	for _, i := range []ledger.Intent{{}, {Kind: "nosuch"}, {Kind: "type", Command: "{"}, {Kind: "run", Claim: []byte("{")}} {
		if _, err := gate.ProposalOf(i); err == nil {
			t.Errorf("%+v was read", i)
		}
	}
}
