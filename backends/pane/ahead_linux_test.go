package pane_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
)

// standstill holds a process until it is let go, without a word to its parent: tmux
// continues a child that it sees stopped.
func standstill(t *testing.T, pid int) (letGo func()) {
	t.Helper()
	held, release, done := make(chan error), make(chan struct{}), make(chan error)
	go func() {
		runtime.LockOSThread() // whoever has attached has to detach; the thread ends with the goroutine
		if err := syscall.PtraceAttach(pid); err != nil {
			held <- err
			return
		}
		var status syscall.WaitStatus
		_, err := syscall.Wait4(pid, &status, syscall.WALL, nil)
		held <- err
		<-release
		done <- syscall.PtraceDetach(pid)
	}()
	if err := <-held; err != nil {
		t.Fatalf("hold process %d: %v", pid, err)
	}
	return func() {
		t.Helper()
		close(release)
		must(t, <-done)
	}
}

// shellPid is the process of the shell of a pane.
func shellPid(t *testing.T, r *rig, p *pane.Pane) int {
	t.Helper()
	pid, err := strconv.Atoi(r.tmux(t, "display-message", "-p", "-t", p.ID(), "#{pane_pid}"))
	must(t, err)
	return pid
}

// The order of lines, made certain: the shell stands still while they are typed. What
// becomes of nod's command is told exactly, or is not known.
func TestALineThatIsReadFirstIsNotTheCommand(t *testing.T) {
	t.Parallel()
	const mine = `echo nod"-"wrote; sh -c 'exit 9'`
	cases := []struct{ name, ahead, behind string }{
		{"an empty line", "\r", ""},
		{"a command", handLine + "\r", ""},
		{"a command with nod's status", "sh -c 'exit 9'\r", ""},
		{"two commands", "true\r" + handLine + "\r", ""},
		{"a line that no shell takes", "echo ')\r", "'\r"},
		{"a half-typed line", "echo half", ""},
		{"a command behind it", "", handLine + "\r"},
		{"commands around it", handLine + "\r", "\r" + handLine + "\r"},
	}
	eachShellInTmux(t, func(t *testing.T, shell string) {
		r := newRig(t, shell)
		p, err := r.open(t).Shared(t.Context())
		must(t, err)
		run(t, p, "true")
		for _, c := range cases {
			// Nothing is left of the case before.
			for _, err := runUnlessInTheWay(t, p, "true"); err != nil; _, err = runUnlessInTheWay(t, p, "true") {
				eventually(t, p, "the prompt", func() bool { return p.AtPrompt() && p.PendingLine() == "" })
			}
			letGo := standstill(t, shellPid(t, r, p))
			if c.ahead != "" {
				r.tmux(t, "send-keys", "-t", p.ID(), "-l", c.ahead)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			r1, err := p.Run(ctx, pane.Request{Command: mine})
			cancel()
			if c.behind != "" && err == nil {
				r.tmux(t, "send-keys", "-t", p.ID(), "-l", c.behind)
			}
			letGo()
			if err != nil {
				var pending *pane.PendingError
				var busy *pane.BusyError
				if !errors.As(err, &pending) && !errors.As(err, &busy) {
					t.Errorf("%s: %v", c.name, err)
				}
				cleared(t, r, p)
				continue
			}
			res := finish(t, p, r1)
			switch {
			case res.Outcome.State == backends.Unknown, !res.Executed && c.name == "a line that no shell takes":
			case res.Outcome != backends.ExitedWith(9) || !strings.Contains(res.Text, "nod-wrote\n") || strings.Contains(res.Text, handWrites+"\n") && c.behind == "":
				t.Errorf("%s: %+v\n%s", c.name, res, p.Screen())
			}
			t.Logf("%s: %v %v", c.name, res.Outcome, res.Notices)
			if c.behind == "'\r" { // the shell may ask for the rest of it
				cleared(t, r, p)
			}
		}
	})
}

// cleared has the operator give up what they have begun to type.
func cleared(t *testing.T, r *rig, p *pane.Pane) {
	t.Helper()
	// fish (3.6) draws no prompt behind an interrupt that comes while it draws one, until the
	// next line.
	keys, pressed := []string{"C-c", "Enter"}, time.Time{}
	eventually(t, p, "an empty line", func() bool {
		if time.Since(pressed) > time.Second {
			r.tmux(t, "send-keys", "-t", p.ID(), keys[0])
			keys, pressed = []string{keys[1], keys[0]}, time.Now()
			return false
		}
		return p.PendingLine() == "" && p.AtPrompt()
	})
}

// What the operator's line runs may read nod's as its input. That is not told as a command
// that ran, nor as one that did not.
func TestACommandThatAnotherProgramHasRead(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, shell)
			p, err := r.open(t).Shared(t.Context())
			must(t, err)
			run(t, p, "true")
			read := filepath.Join(t.TempDir(), "read")
			letGo := standstill(t, shellPid(t, r, p))
			r.tmux(t, "send-keys", "-t", p.ID(), "-l", fmt.Sprintf("head -n 1 >%s\r", read))
			started := start(t, p, pane.Request{Command: "echo nod-wrote"})
			letGo()
			eventually(t, p, "head", func() bool { _, err := os.Stat(read); return err == nil })
			r.tmux(t, "send-keys", "-t", p.ID(), "Enter") // the line was typed at an editor, as which Enter is none of a terminal's ends of a line
			res := finish(t, p, started)
			got, _ := os.ReadFile(read)
			t.Logf("head: %q; %v %v", got, res.Outcome, res.Notices)
			if strings.Contains(string(got), "nod-wrote") {
				if res.Outcome.State != backends.Unknown || len(res.Notices) == 0 {
					t.Errorf("%q was read by head: %+v", got, res)
				}
			} else if res.Outcome != backends.ExitedWith(0) || res.Text != "nod-wrote\n" {
				t.Errorf("the shell has read it (head: %q): %+v", got, res)
			}
			eventually(t, p, "the prompt", p.AtPrompt)
			if res := run(t, p, "echo next"); res.Text != "next\n" {
				t.Errorf("next: %+v", res)
			}
		})
	}
}
