package guard_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
)

// TestWhatIsFilledInReachesOnlyTheTarget: the grant is for the action as it was
// shown, and what happens is what it stands for.
func TestWhatIsFilledInReachesOnlyTheTarget(t *testing.T) {
	reveal := func(a tools.Action) (tools.Action, error) {
		put := func(s string) string { return strings.ReplaceAll(s, "SECRET", "hunter2") }
		a.Command, a.Literal = put(a.Command), put(a.Literal)
		a.Content, a.Stdin = []byte(put(string(a.Content))), []byte(put(string(a.Stdin)))
		return a, nil
	}
	for name, want := range map[string]string{"exec": "hunter2", "write": "hunter2", "run": "run id hunter2", "type": "type hunter2 Up,C-c,Enter"} {
		path := filepath.Join(t.TempDir(), "file")
		a := actions(path)[name]
		switch name {
		case "exec":
			a.Stdin = []byte("SECRET")
		case "write":
			a.Content = []byte("SECRET")
		case "run":
			a.Command = "id SECRET"
		case "type":
			a.Literal = "SECRET"
		}
		w := newWorld(t)
		w.Fill(reveal)
		if err := w.do(t, name, a, w.minter.Mint(a)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		content, _ := os.ReadFile(path) // not there for some
		if got := string(content) + strings.Join(w.pane.got, ""); got != want {
			t.Errorf("%s did %q, want %q", name, got, want)
		}
		// A grant for what was filled in does not fit what was shown.
		shown, _ := reveal(a)
		if err := w.do(t, name, a, w.minter.Mint(shown)); !errors.Is(err, tools.ErrNotGranted) {
			t.Errorf("%s by another grant: %v", name, err)
		}

		w = newWorld(t)
		no := errors.New("no")
		w.Fill(func(a tools.Action) (tools.Action, error) { return a, no })
		if err := w.do(t, name, a, w.minter.Mint(a)); !errors.Is(err, no) || len(w.pane.got) > 0 {
			t.Errorf("%s where filling in fails: %v, %q", name, err, w.pane.got)
		}
	}
}
