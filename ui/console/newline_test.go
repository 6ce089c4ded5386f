package console_test

import (
	"context"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/console"
)

// However a terminal tells Shift-Enter from Enter, it begins a new line: in the kitty
// protocol, in xterm's modifyOtherKeys, in win32-input-mode.
func TestShiftEnterBeginsANewLine(t *testing.T) {
	p := openTerminal(t, 80, 24)
	said := make(chan string, 1)
	p.run(t.Context(), t, console.Options{Submit: func(_ context.Context, text string, _ agent.Sink) error {
		said <- text
		return nil
	}})
	p.asked(t)
	p.piece(t, "\x1b]11;rgb:0000/2b2b/3636\x1b\\")
	for _, key := range []string{"\x1b[13;2u", "\x1b[27;2;13~", "\x1b[13;28;13;1;16;1_"} {
		p.press(t, "one"+key+"two\r")
		if got := <-said; got != "one\ntwo" {
			t.Errorf("%q: %q", key, got)
		}
	}
}
