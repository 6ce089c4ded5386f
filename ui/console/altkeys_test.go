package console_test

import (
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
