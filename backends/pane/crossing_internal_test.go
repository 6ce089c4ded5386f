package pane

import (
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane/shells"
	"github.com/nod-console/nod/backends/vt"
)

// interrupted is a pane whose shell, dash, has shown a prompt behind what was shown, instead
// of beginning with the command of a run.
func interrupted(shown string, status int, f front) (*Pane, *Run) {
	p := newPane(&Keeper{opt: Options{Size: backends.Size{Cols: 20, Rows: 3}}, target: local.New(nil)}, "main", "shared", vt.Options{})
	<-p.turn
	r := newRun(Request{Command: "echo hi"})
	r.record([]byte(shown))
	r.setAside()
	r.prompt = 1
	p.shell, p.phase, p.run, p.prompts, p.home = Posix, dispatched, r, 2, 7
	p.refusal, p.unread, p.shape = backends.ExitedWith(status), true, shells.Type(r.Command, Posix, shells.Terminal{}, p.nonce)
	p.lastly = time.Now()
	f.asOf = p.lastly
	p.front = f
	return p, r
}

// dash drops a line that it reads before it takes the signal of an interrupt in front of it,
// and says with one prompt that it was interrupted. Nothing else looks like that.
func TestALineThatGoesWithAnInterruptHasItsStatus(t *testing.T) {
	t.Parallel()
	atPrompt := front{pid: 7, rests: true, lines: true}
	for what, c := range map[string]struct {
		shown  string
		status int
		front  front
		want   backends.Outcome
	}{
		"dropped":                   {"^Cecho hi\r\n\r\n", 130, atPrompt, backends.ExitedWith(130)},
		"behind what was typed":     {"ls^Cecho hi\r\n\r\n", 130, atPrompt, backends.ExitedWith(130)},
		"more than the command":     {"^Cecho hi; ls\r\n\r\n", 130, atPrompt, backends.Outcome{}},
		"behind another line":       {"sleep 9; echo hi\r\n\r\n", 130, atPrompt, backends.Outcome{}},
		"another status":            {"^Cecho hi\r\n\r\n", 1, atPrompt, backends.Outcome{}},
		"another program in front":  {"^Cecho hi\r\n\r\n", 130, front{pid: 8, rests: true, lines: true}, backends.Outcome{}},
		"the shell reads something": {"^Cecho hi\r\n\r\n", 130, front{pid: 7, rests: true, reads: true}, backends.Outcome{}},
		"the shell computes":        {"^Cecho hi\r\n\r\n", 130, front{pid: 7, lines: true}, backends.Outcome{}},
		"a target that cannot tell": {"^Cecho hi\r\n\r\n", 130, front{}, backends.Outcome{}},
	} {
		p, r := interrupted(c.shown, c.status, c.front)
		p.mu.Lock()
		p.refused()
		p.mu.Unlock()
		<-r.Done()
		if res := r.Result(); res.Outcome != c.want || !res.Executed || len(res.Notices) != 1 {
			t.Errorf("%s: %+v", what, res)
		}
	}
}
