package pane_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
)

// A shell that somebody opens by hand is one like any other, however he has
// opened it, also where the shell around it says nothing of commands.
func TestAShellThatWasOpenedByHandIsTracked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ outer, typed, program, opened string }{
		{"bash", "bash --norc", "bash", "bash --norc"},
		{"bash", "env -i HISTFILE=/dev/null bash --norc", "bash", "env -i HISTFILE=/dev/null bash --norc"},
		{"zsh", "(cd / && bash --norc)", "bash", "bash --norc"},
		{"fish", "true; and dash", "dash", "dash"},
		{"bash", "PS1='strange: ' bash --norc; true", "bash", "bash --norc"},
		{"dash", "dash", "dash", "dash"},
		{"dash", "TERM=screen zsh -f", "zsh", "zsh -f"},
		{"ash", "fish --no-config", "fish", "fish --no-config"},
		{"ash", "exec 3>&1; busybox ash", "busybox", "busybox ash"},
	} {
		for _, where := range []string{"", withoutTmux} {
			t.Run(c.typed+" in "+c.outer+where, func(t *testing.T) {
				t.Parallel()
				need(t, c.program)
				p := shared(t, c.outer)
				was := p.Generation()
				must(t, p.Type(t.Context(), []byte(c.typed+"\r")))
				if res := inside(t, p, "echo in; sh -c 'exit 5'", c.opened); res.Text != "in\n" || res.Outcome != backends.ExitedWith(5) {
					t.Errorf("%+v", res)
				}
				if p.Generation() == was {
					t.Error("the inner shell passes for the outer one")
				}
				must(t, p.Type(t.Context(), []byte("exit\r")))
				eventually(t, p, "the outer one", func() bool { return len(p.Inside()) == 0 && p.AtPrompt() })
				if res := run(t, p, "echo out"); res.Text != "out\n" || !res.Outcome.OK() {
					t.Errorf("%+v", res)
				}
			})
		}
	}
}

// Where a command was meant for the outer shell, it does not wait for the end of
// the inner one, and does not reach that one either.
func TestACommandForTheOuterShellIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	for _, outer := range []string{"bash", "dash"} {
		for _, where := range []string{"", withoutTmux} {
			t.Run(outer+where, func(t *testing.T) {
				t.Parallel()
				p := shared(t, outer)
				must(t, p.Type(t.Context(), []byte("dash\r")))
				eventually(t, p, "the line to be entered", func() bool { return strings.Contains(p.Screen().String(), "dash\n") })
				_, err := soon(t, p, "echo no")
				var changed *pane.ChangedError
				if !errors.As(err, &changed) || !slices.Equal(changed.Now, []string{"dash"}) || strings.Contains(p.Screen().String(), "no\n") {
					t.Errorf("%v\n%s", err, p.Screen())
				}
			})
		}
	}
}

// What is no shell is named, and not waited for.
func TestAProgramThatWasStartedByHandIsNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ outer, typed, program, says string }{
		{"bash", "vi /dev/null", "vi", `"vi /dev/null"`},
		{"dash", "vi /dev/null", "vi", `vi`},
		{"zsh", "python3 -q", "python3", `"python3 -q"`},
		{"fish", "cat", "cat", `"cat"`},
		{"ash", "cat", "cat", `"cat"`},
		{"bash", "sleep 1000", "sleep", `"sleep 1000"`},
		{"bash", "bash -c 'sleep 1000; true'", "bash", `"bash -c 'sleep 1000; true'"`},
		{"zsh", "PS1='strange: ' dash", "dash", "not seen to be at a prompt"},
	} {
		for _, where := range []string{"", withoutTmux} {
			t.Run(c.typed+" in "+c.outer+where, func(t *testing.T) {
				t.Parallel()
				need(t, c.program)
				p := shared(t, c.outer)
				must(t, p.Type(t.Context(), []byte(c.typed+"\r")))
				eventually(t, p, "the line to be entered", func() bool { return !p.AtPrompt() || p.Screen().Cursor.Col == 0 || p.Screen().Alternate })
				if c.program == "dash" { // else it is not yet known to be a shell
					eventually(t, p, "its prompt", func() bool { return strings.Contains(p.Screen().String(), "\nstrange:") })
				}
				_, err := soon(t, p, "echo no")
				var busy *pane.BusyError
				if !errors.As(err, &busy) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "deadline") {
					t.Errorf("%v\n%s", err, p.Screen())
				}
			})
		}
	}
}

// soon gives a command, and fails if that is waited for as if there were no
// hurry.
func soon(t *testing.T, p *pane.Pane, command string) (*pane.Run, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	begun := time.Now()
	r, err := p.Run(ctx, pane.Request{Command: command})
	if took := time.Since(begun); took > patience/2 {
		t.Errorf("refused after %s", took)
	}
	return r, err
}

// A job in the background that writes behind the prompt is no command that runs.
func TestAJobInTheBackgroundIsNothingInFront(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T) {
		p := shared(t, "dash")
		res := run(t, p, "(sleep 0.3; echo; echo late) & echo $!")
		if !res.Outcome.OK() {
			t.Errorf("%+v", res)
		}
		was := p.Commands()
		eventually(t, p, "its words", func() bool { return strings.Contains(p.Screen().String(), "\nlate") })
		if p.Commands() != was {
			t.Error("a job's output counts as a command")
		}
		// dash tells of the job's end in front of the first prompt behind it, which
		// is not to be that of the run below.
		stat := "/proc/" + strings.TrimSpace(res.Text) + "/stat"
		eventually(t, p, "its end", func() bool {
			text, err := os.ReadFile(stat)
			return err != nil || strings.Contains(string(text), ") Z ")
		})
		must(t, p.Type(t.Context(), []byte("\r"))) // off the line with the job's words
		if res := run(t, p, "echo hi"); res.Text != "hi\n" {
			t.Errorf("%+v", res)
		}
	})
}

// A shell that stood in the operator's pane inside another before nod came.
func TestTheShellAroundTheOneThatNodFoundComesBack(t *testing.T) {
	t.Parallel()
	for _, inner := range []string{"bash --norc", "dash"} {
		t.Run(inner, func(t *testing.T) {
			t.Parallel()
			r, id := operator(t, "bash")
			r.shows(t, id)
			r.tmux(t, "send-keys", "-t", id, "PS1='inner> ' "+inner, "Enter")
			r.until(t, id, "\ninner>")
			k, p := guest(t, r, id)
			if res := run(t, p, "echo $PPID"); res.Text == "" {
				t.Fatalf("%+v", res)
			}
			was := p.Generation()
			res := run(t, p, "exit 7")
			if said := strings.Join(res.Notices, " "); res.Outcome.State != backends.Unknown || !strings.Contains(said, "ended the shell") || !strings.Contains(said, `"bash"`) {
				t.Errorf("%+v", res)
			}
			if p.Generation() == was {
				t.Error("the outer shell passes for the inner one")
			}
			res = run(t, p, "x=outer; echo $x")
			if res.Text != "outer\n" || !strings.Contains(strings.Join(res.Notices, " "), "around it") {
				t.Errorf("%+v", res)
			}
			must(t, k.Close())
			r.tmux(t, "kill-server")
		})
	}
}

// Marks that have gone with their shell do not stay.
func TestMarksThatAreGoneAreNotSaidToStay(t *testing.T) {
	t.Parallel()
	r, id := operator(t, "bash")
	r.shows(t, id)
	r.tmux(t, "send-keys", "-t", id, "PS1='inner> ' bash --norc", "Enter")
	r.until(t, id, "\ninner>")
	k, p := guest(t, r, id)
	run(t, p, "true")
	r.tmux(t, "send-keys", "-t", id, "exit", "Enter")
	r.until(t, id, "exit\noperator>")
	must(t, k.Close())
	r.tmux(t, "kill-server")
}

// exec is noticed in a shell inside another, too.
func TestExecInAnInnerShellIsNoticed(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T) {
		p := shared(t, "bash")
		must(t, p.Type(t.Context(), []byte("bash --norc\r")))
		eventually(t, p, "the shell inside", func() bool { return len(p.Inside()) == 1 })
		res := finish(t, p, start(t, p, pane.Request{Command: "exec dash", Inside: p.Inside()}))
		if res.Outcome.State != backends.Unknown || !strings.Contains(strings.Join(res.Notices, " "), "exec") {
			t.Errorf("%+v", res)
		}
		var changed *pane.ChangedError
		if _, err := soon(t, p, "echo no"); !errors.As(err, &changed) {
			t.Errorf("error %v", err)
		}
	})
}
