package pane_test

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/vt"
)

// A pane that grows while a full-screen program shows has a hidden screen of
// fewer rows than itself.
func TestAPaneGrowsUnderAFullScreenProgram(t *testing.T) {
	need(t, "vim")
	everywhere(t, func(t *testing.T) {
		p, err := newRig(t, "bash").open(t).Shared(t.Context())
		must(t, err)
		for _, size := range []vt.Size{{Cols: 50, Rows: 10}, {Cols: 70, Rows: 20}, {Cols: 60, Rows: 30}} {
			p.Resize(backends.Size(size))
			eventually(t, p, "the new size", func() bool { return p.Screen().Size == size })
			if size.Rows == 10 {
				must(t, p.Type(t.Context(), []byte("vim -u NONE -i NONE\r")))
				eventually(t, p, "vim", func() bool { return p.Screen().Alternate && strings.Contains(p.Screen().String(), "\n~\n") })
			}
		}
		must(t, p.Type(t.Context(), []byte(":q!\r")))
		eventually(t, p, "the prompt", p.AtPrompt)
		if res := run(t, p, "echo afterwards"); !res.Outcome.OK() {
			t.Errorf("%+v", res)
		}
	})
}
