package oneshot

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/tools"
)

// TestTheGuideAnswersAQuestion: without a model, the answer is the guide's; it goes to
// standard output, and what it looked at to standard error.
func TestTheGuideAnswersAQuestion(t *testing.T) {
	t.Parallel()
	n, out, errs := here(t)
	if err := n.Ask(t.Context(), Question{Prompt: "how full is the disk?", Target: local.Name}); err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	if !strings.Contains(errs.String(), "▸ run_shell") || strings.TrimSpace(out.String()) == "" || strings.Contains(out.String(), "▸") {
		t.Errorf("standard output %q, standard error %q", out, errs)
	}
}

// TestEventsWaitForAQuestion: while one stands on the terminal nothing is printed; behind
// its answer comes all of it, and the answer's last line is ended before what follows.
func TestEventsWaitForAQuestion(t *testing.T) {
	n, out, errs := here(t)
	r := &reporter{sys: n.System}
	over := r.hold()
	r.take(agent.Text{Text: "half a line"})
	r.take(agent.Notice{Text: "a notice\x1b[2J"})
	if out.Len()+errs.Len() > 0 {
		t.Fatalf("printed beside a question: %q, %q", out, errs)
	}
	over()
	if out.String() != "half a line\n" || !strings.HasPrefix(errs.String(), "nod: a notice") || strings.Contains(errs.String(), "\x1b") {
		t.Errorf("%q, %q", out, errs)
	}
}

func TestWordsOfEvents(t *testing.T) {
	for want, e := range map[string]agent.Event{
		"▸ run_shell df -h (observe)": agent.CallStarted{Tool: "run_shell", Effect: "observe", Action: tools.Action{Command: "df\n -h"}},
		"  denied · 0s":               agent.CallFinished{Denied: true, IsError: true},
		"  failed · 0s":               agent.CallFinished{IsError: true},
		"nod: no answer; try again":   agent.Fault{Text: "no answer", Hint: "try again"},
		"":                            agent.Done{},
	} {
		if got := describe(e); got != want {
			t.Errorf("%T: %q, want %q", e, got, want)
		}
	}
}
