package pane_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/pane"
)

// What asks for a password is waited for, told, and typed at by nobody but the operator.
// The shell is that of a user who has none of the passwords; without tmux, whose socket is
// not theirs.
func TestWhatAsksForAPasswordIsNotTypedAt(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		if everything() {
			t.Fatal("the test needs root, to be another user")
		}
		t.Skip("the test needs root, to be another user")
	}
	for _, command := range []string{"su root", "su root -c true", "sudo -k -p 'password for %p: ' true", "sudo -k -i"} {
		t.Run(strings.Fields(command)[0]+withoutTmux, func(t *testing.T) {
			t.Parallel()
			need(t, "setpriv", strings.Fields(command)[0])
			r := newRig(t, "bash")
			r.opt.Shell = append([]string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}, shells["bash"]...)
			p, err := r.open(t).Shared(t.Context())
			must(t, err)
			if res := run(t, p, "id -u"); res.Text != "65534\n" {
				t.Fatalf("the user: %+v", res)
			}
			asking := start(t, p, pane.Request{Command: command})
			eventually(t, p, "its question", func() bool { return strings.Contains(strings.ToLower(string(asking.Result().Raw)), "password") })
			told := pane.Asking{}
			eventually(t, p, "nod to notice", func() bool {
				told, _ = p.Asks(t.Context(), asking, true)
				return told.Any()
			})
			if told.Shell != "" || !strings.Contains(strings.ToLower(told.Line), "password") {
				t.Errorf("it is told as %+v", told)
			}
			screen := p.Screen().String()
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			var busy *pane.BusyError
			if _, err := p.Run(ctx, pane.Request{Command: "echo into the password"}); !errors.As(err, &busy) {
				t.Errorf("another command: %v", err)
			}
			var changed *pane.ChangedError
			if _, err := p.Run(t.Context(), pane.Request{Command: "echo into it", Inside: []string{command}}); !errors.As(err, &changed) {
				t.Errorf("a command for the shell that it may open: %v", err)
			}
			if now := p.Screen().String(); now != screen {
				t.Errorf("something was typed:\n%s\nand before:\n%s", now, screen)
			}
			must(t, p.Interrupt(t.Context()))
			if res := finish(t, p, asking); res.Outcome.OK() {
				t.Errorf("given up: %+v", res)
			}
			if res := run(t, p, "echo next"); res.Text != "next\n" {
				t.Errorf("next: %+v", res)
			}
		})
	}
}
