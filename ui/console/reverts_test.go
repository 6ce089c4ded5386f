package console_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/decision"
)

func TestARevertIsInTheChatAndOnTheStatusLine(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 10}} {
		s := begin(t, size[0], size[1], nil)
		due := s.clock.Now().Add(90 * time.Second)
		s.console.Reverting(agent.Reverting{ID: "r", Due: due, Text: "revert armed on x"})
		s.See("revert armed on x")
		s.See("revert in 90 s")
		s.clock.Advance(91 * time.Second)
		s.console.Reverting(agent.Reverting{ID: "r", Due: due, Text: "no new login: it comes"})
		s.See("no new login: it comes")
		s.See("revert due")
		s.console.Reverting(agent.Reverting{ID: "r", Over: true, Fired: true, Text: "is back\nroute [red]added\x1b[2J"})
		s.See("is back")
		s.Gone("revert due")
	}
}

func TestQuittingAsksWhileARevertIsArmed(t *testing.T) {
	s := begin(t, 80, 24, nil)
	s.console.Reverting(agent.Reverting{ID: "r", Due: s.clock.Now().Add(time.Hour), Text: "armed"})
	s.See("revert at")
	s.Press("Ctrl-D")
	s.See("A revert is armed. It will come.")
	s.Press("n")
	s.console.Reverting(agent.Reverting{ID: "r", Over: true, Text: "cancelled"})
	s.Gone("revert at")
	s.Press("Ctrl-D")
	if err := s.End(); err != nil {
		t.Error(err)
	}
}

// bells is a screen that counts its bells.
type bells struct {
	tcell.Screen
	rung chan struct{}
}

func (b bells) Beep() error { b.rung <- struct{}{}; return nil }

func TestAnApprovalRingsWhereTheOperatorLooksElsewhere(t *testing.T) {
	rung := make(chan struct{}, 10)
	s := begin(t, 80, 24, func(o *console.Options) { o.Screen = bells{o.Screen, rung} })
	ask := func(id string) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = s.console.Approver().Approve(ctx, policy.Request{ // it is withdrawn
				ID: id, Scopes: []policy.Scope{policy.Once},
				Action: tools.Action{Tool: "run_shell", Kind: tools.Run, Target: "local", Command: "touch " + id, Dialect: "bash"},
			})
		}()
		s.See("touch " + id)
		cancel()
		<-done
		s.Gone("touch " + id)
	}
	ask("seen")
	select {
	case <-rung:
		t.Error("it rang although the operator was there")
	default:
	}
	if err := s.Screen().PostEvent(tcell.NewEventFocus(false)); err != nil {
		t.Fatal(err)
	}
	s.Idle()
	ask("unseen")
	select {
	case <-rung:
	default:
		t.Error("it did not ring")
	}
}

func TestAPreviewIsLookedForBesideTheDialog(t *testing.T) {
	asked := make(chan policy.Request, 1)
	s := begin(t, 80, 24, func(o *console.Options) {
		o.Previews = func(policy.Request) bool { return true }
		o.Preview = func(_ context.Context, r policy.Request) []policy.Look {
			asked <- r
			return []policy.Look{{Title: "what would go", Ran: "ls", Output: "found it"}}
		}
	})
	go func() {
		_, _ = s.console.Approver().Approve(t.Context(), policy.Request{ // it ends with the console
			ID: "a", Scopes: []policy.Scope{policy.Once}, Verdict: risk.Command("rm -r x", risk.Bash),
			Action: tools.Action{Tool: "run_shell", Kind: tools.Run, Target: "local", Command: "rm -r x", Dialect: "bash"},
		})
	}()
	s.See("p preview")
	s.clock.Advance(decision.Shown + decision.Quiet)
	s.decide("p")
	s.See("found it")
	if r := <-asked; r.ID != "a" {
		t.Errorf("%+v", r)
	}
}

func TestUndoRunsInPlaceOfATurn(t *testing.T) {
	s := begin(t, 80, 24, func(o *console.Options) {
		o.Undo = func(context.Context) (string, error) { return "taken back: write /x", nil }
		o.Undoable = func(context.Context) ([]string, error) { return []string{"write /x"}, nil }
	})
	s.Type("/undo list")
	s.Press("Enter")
	s.See("write /x")
	s.Type("/undo")
	s.Press("Enter")
	s.See("taken back: write /x")
	s.Type("/undo what")
	s.Press("Enter")
	s.See(`/undo "what"`)
	if strings.Contains(strings.Join(s.model.got(), " "), "undo") {
		t.Error("the model was asked")
	}
}
