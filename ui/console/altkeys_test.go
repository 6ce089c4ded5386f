package console_test

import (
	"fmt"
	"testing"

	"github.com/nod-console/nod/ui/console"
)

// Keys with Alt that begin what a terminal answers do not take the keyboard away,
// neither alone nor with others behind them, before the terminal has told its ground
// and afterwards.
func TestAKeyLikeAnAnswerLeavesTheKeyboard(t *testing.T) {
	const ground = "\x1b]11;rgb:0000/2b2b/3636\x1b\\"
	for name, told := range map[string]string{"before": "", "after": ground} {
		t.Run(name, func(t *testing.T) {
			p := openTerminal(t, 80, 24)
			p.run(t.Context(), t, console.Options{})
			p.asked(t)
			p.piece(t, told)
			draft := ""
			for _, key := range []string{"]", "X", "^", "_", "P"} {
				p.press(t, "\x1b"+key)
				p.piece(t, "")
				p.press(t, "a")
				draft += "a"
				p.see(t, "> "+draft+" ")
				p.press(t, "\x1b"+key+"b") // over a slow link
				draft += "b"
				p.see(t, "> "+draft+" ")
			}
			p.press(t, "\x1b]4;1;rgb:0/0/0\x1b\\c")
			p.see(t, "> "+draft+"c ")
		})
	}
}

// Keys with Alt that begin the sequence of another key are keys, and none is lost behind
// them; nor behind an escape, whatever comes next. Whoever types into a terminal sees
// that best.
func TestAKeyLikeABeginningLeavesTheKeyboard(t *testing.T) {
	p := openTerminal(t, 80, 24)
	term := newTerminal("$ ")
	p.run(t.Context(), t, console.Options{}, func(c *console.Console) { c.AddPane(term.pane("%1", "local")) })
	p.asked(t)
	p.piece(t, "\x1b]11;rgb:0000/2b2b/3636\x1b\\")
	p.see(t, "─ local ")
	p.press(t, "\x1d")
	p.see(t, "typing")
	want := ""
	typed := func(pieces ...string) {
		t.Helper()
		for _, piece := range pieces {
			p.piece(t, piece)
			want += piece
		}
		got := ""
		wait(t, func() bool { got, _ = term.got(); return got == want }, func() string { return fmt.Sprintf("typed %q, want %q", got, want) })
	}
	for _, key := range []string{"[", "O", "N", "]", "P", "x"} {
		typed("\x1b" + key) // at once
		typed("a")
		typed("\x1b", key) // soon enough to be the same key, or not
		typed("b")
	}
	typed("\x1b")
	typed("\x1b\x1b")
}
