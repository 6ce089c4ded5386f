package pane_test

import (
	"os"
	"path/filepath"
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

// A key that makes the editor wait for another one, or ask for a text to look for, does
// not change what is run: that is the command and nothing else, or nothing, and the
// operator is told why.
func TestACommandRunsWhateverTheEditorWaitsFor(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		bait := filepath.Join(t.TempDir(), "bait")
		run(t, p, "echo >>"+bait)
		for name, keys := range map[string]string{
			"a meta key": "\x1b", "a prefix": "\x18", "a literal key": "\x16", "a count": "\x1b3",
			"a search": "\x12", "a search with a result": "\x12bait",
		} {
			must(t, p.Type(t.Context(), []byte(keys)))
			r, err := p.Run(t.Context(), pane.Request{Command: `echo dd; sh -c "exit 3"`})
			if err != nil {
				t.Logf("behind %s (%q): %v", name, keys, err)
				must(t, p.Keys(t.Context(), []string{"C-c"}))
				continue
			}
			res := finish(t, p, r)
			if shell == "fish" && strings.HasPrefix(keys, "\x12") && res.Outcome == (backends.Outcome{}) {
				continue // fish (3.6) takes what a search has found for the line that it is told to run
			}
			if res.Text != "dd\n" || res.Outcome != backends.ExitedWith(3) {
				t.Errorf("behind %s (%q): %+v", name, keys, res)
			}
		}
		if shell == "fish" {
			return
		}
		if text, err := os.ReadFile(bait); err != nil || string(text) != "\n" {
			t.Errorf("an earlier command was run again: %q, %v", text, err)
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
