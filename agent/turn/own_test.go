package turn_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nod-console/nod/agent"
)

// What the operator runs himself passes the same gate, without a claim, and the
// model reads of it with the next prompt.
func TestTheOperatorsOwnCommand(t *testing.T) {
	b := newBench(t, options{}, says("I see."))
	arguments := json.RawMessage(`{"command":"echo hello"}`)
	if ending := b.Agent.Own(t.Context(), b.ID, "!echo hello", "sh", arguments, b.Sink); ending != agent.Answered {
		t.Fatalf("%v", ending)
	}
	b.CheckHistory()
	b.CheckEvents(agent.Answered)
	b.Forget()
	if len(b.Server.Asked()) != 0 {
		t.Error("the model was asked")
	}
	if got := b.Kinds(); got != "intent exited" {
		t.Errorf("the record: %s", got)
	}
	if ending := b.Run(t.Context(), "what did I do?"); ending != agent.Answered {
		t.Fatalf("%v", ending)
	}
	var roles []string
	var all strings.Builder
	for _, m := range b.Server.Asked()[0].Messages {
		roles = append(roles, m.Role)
		all.WriteString(m.Content + "\n")
	}
	if got := strings.Join(roles, " "); got != "system user assistant tool assistant user" {
		t.Errorf("the request: %s", got)
	}
	for _, want := range []string{"!echo hello", `hello\n`, "[the operator ran this himself]", "what did I do?"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("the model does not read %q of\n%s", want, all.String())
		}
	}
	for _, r := range b.Asked {
		if !r.Operator || r.Action.Claim.Why != "" {
			t.Errorf("the request is %+v", r)
		}
	}
}
