package pane

import (
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane/marks"
	"github.com/nod-console/nod/backends/vt"
)

// What became of the shell while the pane was out of sight may be found out before the
// screen is there, on which its prompt is.
func TestThePromptIsFoundOnAScreenThatComesLater(t *testing.T) {
	t.Parallel()
	size := vt.Size{Cols: 20, Rows: 3}
	p := newPane(&Keeper{opt: Options{Size: backends.Size{Cols: 20, Rows: 3}}, target: local.New(nil)}, "main", "shared", vt.Options{})
	p.shell, p.phase = Posix, executing
	p.before = promptSpot{known: true, line: "#", col: 2}
	p.seeded = false
	p.mu.Lock()
	p.resume(marks.Account{Prompts: 3}, true)
	p.mu.Unlock()
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
