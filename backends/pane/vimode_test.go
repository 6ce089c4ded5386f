package pane_test

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
)

// An operator who edits by vi's keys leaves the line in command mode, where a letter is
// no text. The next command runs all the same, and again.
func TestACommandRunsWhereTheLineIsInVisCommandMode(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		by, ok := map[string]string{
			"bash": "set -o vi", "mksh": "set -o vi",
			"zsh": "bindkey -v", "fish": "fish_vi_key_bindings",
		}[shell]
		if !ok {
			return // it edits no lines by vi's keys; ksh93 shows them wrongly, so nothing can be waited for
		}
		r := newRig(t, shell)
		if shell == "fish" { // without its configuration it has only some of vi's keys
			r.opt.Shell = []string{"env", "XDG_CONFIG_HOME=" + t.TempDir(), "fish"}
		}
		p, err := r.open(t).Shared(t.Context())
		must(t, err)
		run(t, p, by)
		for _, pending := range []string{"", "d", "3", "f", "y2", "r", "\"", "R"} {
			if shell == "fish" { // begins with commands
				eventually(t, p, "vi's mode", func() bool { return strings.HasPrefix(lastLine(p), "[") })
				if strings.HasPrefix(lastLine(p), "[N]") {
					must(t, p.Type(t.Context(), []byte("i")))
				}
			}
			toCommandMode(t, p)
			must(t, p.Type(t.Context(), []byte(pending)))
			if res := run(t, p, `echo dd; sh -c "exit 3"`); res.Text != "dd\n" || res.Outcome != backends.ExitedWith(3) {
				t.Errorf("behind %q: %+v", pending, res)
			}
		}
	})
}

// toCommandMode types a text, leaves it for vi's command mode, and deletes it there.
func toCommandMode(t *testing.T, p *pane.Pane) {
	t.Helper()
	must(t, p.Type(t.Context(), []byte("abc")))
	eventually(t, p, "what was typed", func() bool { return p.PendingLine() == "abc" })
	before := p.Screen().Cursor
	must(t, p.Keys(t.Context(), []string{"Escape"}))
	eventually(t, p, "the cursor on the last character", func() bool { return p.Screen().Cursor.Col == before.Col-1 })
	must(t, p.Type(t.Context(), []byte("dd")))
	eventually(t, p, "an empty line", func() bool { return p.PendingLine() == "" })
}

// lastLine is the last line of a pane's screen that is not empty.
func lastLine(p *pane.Pane) string {
	text := strings.TrimSpace(p.Screen().String())
	return text[strings.LastIndexByte(text, '\n')+1:]
}
