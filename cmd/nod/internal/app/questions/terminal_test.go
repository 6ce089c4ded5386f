package questions

import (
	"bufio"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestAChoiceOnATerminalInLines: a digit of the list chooses, anything else is no
// answer, and a question that is withdrawn ends.
func TestAChoiceOnATerminalInLines(t *testing.T) {
	t.Parallel()
	control, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = control.Close() }() // of the test's own
	defer func() { _ = tty.Close() }()
	q := &Terminal{Tty: tty}
	shown := bufio.NewReader(control)
	for typed, want := range map[string]int{"2\n": 1, " 1 \n": 0, "\n": -1, "3\n": -1, "0\n": -1, "x\n": -1, "12\n": -1, "yes\n": -1} {
		read := make(chan string, 1)
		go func() {
			text := ""
			for !strings.Contains(text, "for none] ") {
				b, err := shown.ReadByte()
				if err != nil {
					break
				}
				text += string(b)
			}
			_, _ = control.WriteString(typed) // or the test fails below
			read <- text
		}()
		chosen, ok, err := q.Choose(t.Context(), "Which \x1b[31mport?", []string{"80", "8080"})
		text := <-read
		if err != nil || ok != (want >= 0) || ok && chosen != want {
			t.Errorf("%q: %d %t %v", typed, chosen, ok, err)
		}
		if !strings.Contains(text, "The model asks: Which ") || !strings.Contains(text, "  2  8080") || strings.Contains(text, "\x1b[31m") {
			t.Errorf("shown: %q", text)
		}
		_, _ = shown.ReadString('\n') // its echo
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok, err := q.Choose(ctx, "x", []string{"a", "b"}); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("withdrawn: %t %v", ok, err)
	}
}
