package questions

import (
	"bufio"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/tools/desk"
)

// TestALoginThatAsksInLinesNamesItsHost: several hosts may be asking, one after the other.
func TestALoginThatAsksInLinesNamesItsHost(t *testing.T) {
	t.Parallel()
	for want, q := range map[string]ssh.SecretQuestion{
		"ssh:web-1: Passphrase of /k: ":                       {Kind: ssh.Passphrase, Host: "ssh:web-1", Key: "/k"},
		"Password of deploy on web-1: ":                       {Kind: ssh.Password, Host: "ssh:web-1", User: "deploy"},
		"ssh:web-1: That was not right.\nVerification code: ": {Kind: ssh.Challenge, Host: "ssh:web-1", Prompt: "Verification code: ", Try: 2},
		"ssh:web-1: Look at your phone.\nVerification code: ": {Kind: ssh.Challenge, Host: "ssh:web-1", Prompt: "Verification code:", Instruction: "Look at your phone."},
	} {
		if got := secretLine(q); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAChoiceOnATerminalInLines: a digit of the list chooses, words are an answer of the
// operator's own, anything else is no
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
	for typed, want := range map[string]desk.Choice{
		"2\n": {Given: true, Option: 1}, " 1 \n": {Given: true}, "\n": {}, "3\n": {}, "0\n": {}, "x\n": {}, "12\n": {},
		" both of them\n": {Given: true, Own: "both of them"},
	} {
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
		said, err := q.Choose(t.Context(), "Which \x1b[31mport?", []string{"80", "8080"})
		text := <-read
		if err != nil || said != want {
			t.Errorf("%q: %+v %v", typed, said, err)
		}
		if !strings.Contains(text, "The model asks: Which ") || !strings.Contains(text, "  2  8080") || strings.Contains(text, "\x1b[31m") {
			t.Errorf("shown: %q", text)
		}
		_, _ = shown.ReadString('\n') // its echo
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if said, err := q.Choose(ctx, "x", []string{"a", "b"}); said.Given || !errors.Is(err, context.Canceled) {
		t.Errorf("withdrawn: %+v %v", said, err)
	}
}
