package turn_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/tools/plugin/hook"
)

// A hook keeps a message from the model, ends the turn on one of the model's, or says
// something to the operator.
func TestHooksReadMessages(t *testing.T) {
	for name, c := range map[string]struct {
		event  string
		answer hook.Answer
		ending agent.Ending
		says   string
		asked  int // requests to the model
	}{
		"nothing begins":         {hook.SessionStart, hook.Answer{Deny: "no VPN"}, agent.Denied, "nothing is done: denied by the hook team: no VPN", 0},
		"not sent":               {hook.PreMessage, hook.Answer{Deny: "a customer's name"}, agent.Denied, "not sent: denied by the hook team: a customer's name", 0},
		"the turn ends":          {hook.PostMessage, hook.Answer{Deny: "not our words"}, agent.Denied, "the turn is ended by the hook team: not our words", 1},
		"a note before":          {hook.PreMessage, hook.Answer{Note: "be brief"}, agent.Answered, "hook team: be brief", 2},
		"a note about an answer": {hook.PostMessage, hook.Answer{Note: "well said"}, agent.Answered, "hook team: well said", 2},
	} {
		t.Run(name, func(t *testing.T) {
			var heard []hook.Event
			hooks := hook.New(hook.Options{})
			hooks.Replace("test", hook.Hook{Name: "team", Events: []string{c.event}, Timeout: time.Hour, Call: func(_ context.Context, e hook.Event) (hook.Answer, error) {
				heard = append(heard, e)
				return c.answer, nil
			}})
			b := newBench(t, options{Agent: func(tc *turn.Config) { tc.Hooks = hooks }}, callsFor(cmd("a", "look", "x")), says("All is well."))
			if ending := b.Run(t.Context(), "How is Ada?"); ending != c.ending {
				t.Errorf("it ended %s", ending)
			}
			var said []string
			for _, e := range eventsOf[agent.Fault](b) {
				said = append(said, e.Text)
			}
			for _, e := range eventsOf[agent.Notice](b) {
				said = append(said, e.Text)
			}
			if !strings.Contains(strings.Join(said, "\n"), c.says) || len(b.Server.Asked()) != c.asked {
				t.Errorf("%q after %d requests", said, len(b.Server.Asked()))
			}
			if ran := len(b.Executed()); c.ending == agent.Denied && ran > 0 {
				t.Errorf("%d calls have run", ran)
			}
			if c.event == hook.PreMessage && heard[0].Text != "How is Ada?" {
				t.Errorf("%+v", heard)
			}
		})
	}
}
