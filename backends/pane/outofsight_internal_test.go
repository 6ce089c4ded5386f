package pane

import (
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane/marks"
	"github.com/nod-console/nod/backends/vt"
)

// unseen is a pane of 20 columns whose shell has come to a prompt while nobody saw it.
func unseen() *Pane {
	p := newPane(&Keeper{opt: Options{Size: backends.Size{Cols: 20, Rows: 3}}, target: local.New(nil)}, "main", "shared", vt.Options{})
	p.shell, p.phase = Posix, executing
	p.before = promptSpot{known: true, line: "#", col: 2}
	p.seeded = false
	p.mu.Lock()
	p.resume(marks.Account{Prompts: 3}, true)
	p.mu.Unlock()
	return p
}

// What became of the shell while the pane was out of sight may be found out before the
// screen is there, on which its prompt is.
func TestThePromptIsFoundOnAScreenThatComesLater(t *testing.T) {
	t.Parallel()
	size := vt.Size{Cols: 20, Rows: 3}
	p := unseen()
	if p.AtPrompt() {
		t.Fatal("a prompt on a screen that is not there")
	}
	p.seed(vt.Seed{Size: size, Lines: [][]byte{[]byte("last"), []byte("# ")}, Cursor: vt.Cursor{Row: 1, Col: 2}, Bottom: 2}, true)
	if !p.AtPrompt() || p.PendingLine() != "" {
		t.Errorf("at the prompt: %t, with %q", p.AtPrompt(), p.PendingLine())
	}
}

// A script in a pane that an earlier process has left may be that one's command: it is given
// longer to end than one in a pane that somebody has chosen.
func TestWhatAnEarlierProcessLeftIsWaitedFor(t *testing.T) {
	t.Parallel()
	p := &Pane{}
	if got := p.scriptWait(time.Second); got != startWait+2*time.Second {
		t.Errorf("of one's own: %s", got)
	}
	p.inherit()
	if got := p.scriptWait(0); got != hookWait {
		t.Errorf("of an earlier process: %s", got)
	}
}

// An operator clears what they have typed while a command waits: the pane has not been told of
// it when the command is to be typed.
func TestALineThatWasJustClearedIsInNobodysWay(t *testing.T) {
	t.Parallel()
	for what, news := range map[string]string{"cleared": "\b\b\x1b[K", "still there": ""} {
		p := unseen()
		p.seed(vt.Seed{Size: vt.Size{Cols: 20, Rows: 3}, Lines: [][]byte{[]byte("# ls")}, Cursor: vt.Cursor{Row: 0, Col: 4}}, true)
		p.wire = lateNews{p: p, news: news}
		p.mu.Lock()
		err := p.clear(t.Context(), Request{})
		p.mu.Unlock()
		if cleared := news != ""; cleared != (err == nil) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// lateNews is a terminal whose output comes when it is asked.
type lateNews struct {
	wire
	p    *Pane
	news string
}

func (w lateNews) glimpse(then func(sight, error)) {
	w.p.mu.Lock()
	_, _ = w.p.term.Write([]byte(w.news))
	w.p.mu.Unlock()
	then(sight{}, nil)
}

func (lateNews) id() string { return "%1" }
