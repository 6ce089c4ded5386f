package pane_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
)

// inside gives a command to a shell inside the pane's own. One that has not answered
// in time, on a loaded machine, has run nothing and can be asked again.
func inside(t *testing.T, p *pane.Pane, command string, opened ...string) pane.Result {
	t.Helper()
	eventually(t, p, "the shell inside", func() bool { return slices.Equal(p.Inside(), opened) })
	request := pane.Request{Command: command, Inside: opened}
	r, err := p.Run(t.Context(), request)
	var late *pane.NotReadyError
	if errors.As(err, &late) {
		t.Logf("%v\n%s", err, p.Screen())
		return finish(t, p, start(t, p, request))
	}
	must(t, err)
	return finish(t, p, r)
}

func TestAShellInsideAnotherIsTracked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ outer, opener, program string }{
		{"bash", "bash --norc --noprofile", "bash"},
		{"bash", "dash", "dash"},
		{"zsh", "busybox ash", "ash"},
		{"fish", "bash --norc --noprofile", "bash"},
		{"dash", "zsh -f", "zsh"},
		{"ash", "fish --no-config", "fish"},
		{"bash", "env -i TERM=screen HISTFILE=/dev/null bash --norc", "bash"},
	} {
		t.Run(c.program+" in "+c.outer, func(t *testing.T) {
			t.Parallel()
			need(t, program(c.program))
			p := shared(t, c.outer)
			outer := start(t, p, pane.Request{Command: c.opener})
			was := p.Generation()
			if res := inside(t, p, "echo in; sh -c 'exit 5'", c.opener); res.Text != "in\n" || res.Outcome != backends.ExitedWith(5) {
				t.Errorf("%+v", res)
			}
			if p.Generation() == was {
				t.Error("the inner shell passes for the outer one")
			}
			long := strings.Repeat("0123456789", 200)
			if res := inside(t, p, "echo 'a\tb "+long+"'", c.opener); res.Text != "a\tb "+long+"\n" || !res.Outcome.OK() {
				t.Errorf("%+v", res)
			}
			var changed *pane.ChangedError
			if _, err := p.Run(t.Context(), pane.Request{Command: "echo no"}); !errors.As(err, &changed) {
				t.Errorf("a command for the outer shell: %v", err)
			}
			last := start(t, p, pane.Request{Command: "exit 6", Inside: []string{c.opener}})
			if res := finish(t, p, outer); res.Outcome != backends.ExitedWith(6) {
				t.Errorf("the outer command: %v", res.Outcome)
			}
			if res := finish(t, p, last); res.Outcome != backends.ExitedWith(6) || !strings.Contains(strings.Join(res.Notices, " "), "ended") {
				t.Errorf("the inner one that ended it: %+v", res)
			}
			if _, err := p.Run(t.Context(), pane.Request{Command: "echo no", Inside: []string{c.opener}}); !errors.As(err, &changed) {
				t.Errorf("a command for the inner shell: %v", err)
			}
			if res := run(t, p, "echo out"); res.Text != "out\n" || !res.Outcome.OK() {
				t.Errorf("%+v", res)
			}
		})
	}
}

func TestShellsInsideShells(t *testing.T) {
	t.Parallel()
	p := shared(t, "bash")
	must(t, p.Type(t.Context(), []byte("dash\r"))) // by hand
	if res := inside(t, p, "echo one", "dash"); res.Text != "one\n" {
		t.Errorf("%+v", res)
	}
	two := start(t, p, pane.Request{Command: "bash --norc", Inside: []string{"dash"}})
	if res := inside(t, p, "echo two", "dash", "bash --norc"); res.Text != "two\n" {
		t.Errorf("%+v", res)
	}
	sleeping := start(t, p, pane.Request{Command: "sh -c 'kill -9 $PPID'; sleep 100", Inside: []string{"dash", "bash --norc"}})
	if res := finish(t, p, two); res.Outcome != backends.ExitedWith(137) {
		t.Errorf("the killed one: %+v", res)
	}
	if res := finish(t, p, sleeping); res.Outcome.State != backends.Unknown {
		t.Errorf("what ran in it: %+v", res)
	}
	if res := inside(t, p, "echo back", "dash"); res.Text != "back\n" {
		t.Errorf("%+v", res)
	}
	must(t, p.Type(t.Context(), []byte("exit\r")))
	eventually(t, p, "the outermost", func() bool { return len(p.Inside()) == 0 && p.AtPrompt() })
	if res := run(t, p, "echo out"); res.Text != "out\n" {
		t.Errorf("%+v", res)
	}
}

// What only looks like a shell is never typed at.
func TestAProgramThatPrintsAPromptIsNotTypedAt(t *testing.T) {
	t.Parallel()
	p := shared(t, "bash")
	for _, command := range []string{`printf 'root@x:~# '; read x; echo "got <$x>"`, `bash -c 'printf "$ "; read x; echo "got <$x>"'`} {
		r := start(t, p, pane.Request{Command: command})
		eventually(t, p, "its prompt", func() bool { return strings.HasSuffix(r.Result().Text, " ") })
		time.Sleep(500 * time.Millisecond) // long enough to be taken for one
		if got := p.Inside(); len(got) != 0 {
			t.Errorf("inside %q", got)
		}
		var changed *pane.ChangedError
		if _, err := p.Run(t.Context(), pane.Request{Command: "true", Inside: []string{command}}); !errors.As(err, &changed) {
			t.Errorf("error %v", err)
		}
		must(t, p.Type(t.Context(), []byte("\r")))
		if res := finish(t, p, r); !strings.Contains(res.Text, "got <>") {
			t.Errorf("%+v", res)
		}
	}
}
