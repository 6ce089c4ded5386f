package pane_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
)

// plainShells are the shells that say at their prompts alone what they have done.
var plainShells = []string{"dash", "ash", "ksh", "mksh"}

// eachPlainShell tests in each of them: where everything is wanted in tmux and without,
// else two here and two there.
func eachPlainShell(t *testing.T, f func(t *testing.T, shell string)) {
	for i, shell := range plainShells {
		if everything() {
			t.Run(shell, func(t *testing.T) {
				t.Parallel()
				everywhere(t, func(t *testing.T) { f(t, shell) })
			})
			continue
		}
		name := shell
		if i%2 == 1 {
			name += withoutTmux
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, shell)
		})
	}
}

// The operator sees the commands as they would have typed them, also while the shell
// traces them, and nothing of nod's in a prompt.
func TestPlainShellsShowNothingOfNod(t *testing.T) {
	t.Parallel()
	eachPlainShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		run(t, p, "PS4='> '")
		run(t, p, "set -x")
		if res := run(t, p, "echo hi"); res.Text != "> echo hi\nhi\n" || !res.Outcome.OK() {
			t.Errorf("traced: %+v", res)
		}
		run(t, p, "set +x")
		run(t, p, "echo 'open")
		eventually(t, p, "the prompt", p.AtPrompt)
		shown, err := p.Capture(t.Context(), pane.CaptureOptions{Start: "-", End: "-"})
		must(t, err)
		for _, word := range []string{"__nod", p.Secret(), "133;", "nod:"} {
			if strings.Contains(shown.Text, word) {
				t.Errorf("%q shows:\n%s", word, shown.Text)
			}
		}
	})
}

// A prompt that a command replaces says nothing of how that ended. The next command is
// tracked.
func TestPlainShellsThatSetTheirPrompt(t *testing.T) {
	t.Parallel()
	eachPlainShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		if res := run(t, p, "PS1='x '"); res.Outcome.State != backends.Unknown || len(res.Notices) == 0 {
			t.Errorf("the prompt: %+v", res)
		}
		if wrong := differs(run(t, p, "echo hi; sh -c 'exit 3'"), "hi\r\n", 3); wrong != "" {
			t.Error(wrong)
		}
	})
}

// A line that is not complete is given up, and nothing of it was run.
func TestPlainShellsGiveUpWhatIsNotComplete(t *testing.T) {
	t.Parallel()
	eachPlainShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		if res := run(t, p, "echo 'open"); res.Executed || res.Outcome.OK() {
			t.Errorf("one line: %+v", res)
		}
		if wrong := differs(run(t, p, "echo next"), "next\r\n", 0); wrong != "" {
			t.Error(wrong)
		}
	})
}

// Terminals that are left in any mode, and statuses of signals.
func TestPlainShellsOnAnyTerminal(t *testing.T) {
	t.Parallel()
	eachPlainShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		for _, mode := range []string{"-echo", "raw", "-icanon"} {
			run(t, p, "stty "+mode)
			if res := run(t, p, "echo hi; sh -c 'exit 6'"); strings.ReplaceAll(res.Text, "\r", "") != "hi\n" || res.Outcome != backends.ExitedWith(6) {
				t.Errorf("%s: %+v", mode, res)
			}
			if res := run(t, p, "stty sane"); !res.Outcome.OK() {
				t.Errorf("sane after %s: %+v", mode, res)
			}
		}
		if res := run(t, p, "sh -c 'kill -KILL $$'"); res.Outcome != backends.ExitedWith(137) {
			t.Errorf("killed: %v", res.Outcome)
		}
	})
}

// The end of a shell inside another one is the outcome of the command that ended it.
func TestTheCommandThatEndsAnInnerShellHasItsStatus(t *testing.T) {
	t.Parallel()
	eachPlainShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		outer := start(t, p, pane.Request{Command: "dash"})
		if res := inside(t, p, "echo in", "dash"); res.Text != "in\n" {
			t.Errorf("inside: %+v", res)
		}
		r := start(t, p, pane.Request{Command: "exit 4", Inside: []string{"dash"}})
		if res := finish(t, p, r); res.Outcome != backends.ExitedWith(4) {
			t.Errorf("the command: %+v", res)
		}
		if res := finish(t, p, outer); res.Outcome != backends.ExitedWith(4) {
			t.Errorf("the shell: %+v", res)
		}
	})
}

// What the terminal answers to a question that nobody reads is not the operator's typing.
func TestAnswersOfTheTerminalAreNoTyping(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		questions := []string{`printf '\033[c'`, `printf '\033[6n\033[5n'`}
		if shell == "mksh" {
			questions = questions[:1] // the answer to the other one are keys with a meaning there
		}
		for _, question := range questions {
			if res := run(t, p, question); !res.Outcome.OK() {
				t.Errorf("%s: %+v", question, res)
			}
			eventually(t, p, "an end of the answer", func() bool { return p.PendingLine() == "" })
			if res := run(t, p, "echo next"); res.Text != "next\n" || !res.Outcome.OK() {
				t.Errorf("behind %s: %+v", question, res)
			}
		}
	})
}

// Nothing is traced but the operator's commands.
func TestNothingOfTheHookIsTraced(t *testing.T) {
	t.Parallel()
	for shell, traced := range map[string]string{"bash": "+ echo hi\nhi\n", "zsh": "+zsh:2> echo hi\nhi\n"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			everywhere(t, func(t *testing.T) {
				p := shared(t, shell)
				run(t, p, "set -x")
				res := run(t, p, "echo hi")
				if shell == "zsh" && strings.HasPrefix(res.Text, "+zsh:") && strings.HasSuffix(res.Text, "> echo hi\nhi\n") && strings.Count(res.Text, "\n") == 2 {
					return // the number of the line is its own
				}
				if res.Text != traced || !res.Outcome.OK() {
					t.Errorf("%+v", res)
				}
			})
		})
	}
}

// A command that shows the prompts writes what a shell asks for more of a command with.
// It is no question, and whoever wrote it goes on.
func TestShowingThePromptsIsNoQuestion(t *testing.T) {
	t.Parallel()
	for _, shell := range append(plainShells, "bash", "zsh") { // fish has no such prompt
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			p := shared(t, shell)
			run(t, p, "export PS1 PS2")
			for _, command := range []string{`echo "$PS2"; sh -c 'exit 3'`, "env; set; sh -c 'sleep 0.4; exit 3'", "env; sleep 0.4; sh -c 'exit 3'"} {
				if res := run(t, p, command); !res.Executed || res.Outcome != backends.ExitedWith(3) || res.Text == "" || res.Incomplete {
					t.Errorf("%s: %+v", command, res)
				}
			}
			if res := run(t, p, "echo 'open"); res.Executed || res.Outcome.OK() {
				t.Errorf("a question: %+v", res)
			}
		})
	}
}

// nod leaves a shell of the operator's as it was, also on a terminal that does not show
// what is typed, or gives keys one by one.
func TestPlainShellsOfTheOperatorsOnAnyTerminal(t *testing.T) {
	t.Parallel()
	tried := []string{"dash", "busybox ash"}
	if everything() {
		tried = append(tried, "ash", "ksh", "mksh")
	}
	for _, shell := range tried {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			r, id := operator(t, strings.TrimPrefix(shell, "busybox "))
			if shell == "busybox ash" {
				r.tmux(t, "respawn-pane", "-k", "-t", id, "env", "PS1=operator> ", "busybox", "ash")
			}
			r.quiet(t, id)
			for _, command := range []string{"echo above", "stty -echo", "true", "stty sane", "stty raw", "true", "stty sane"} {
				k, p := guest(t, r, id)
				if res := run(t, p, command); !res.Outcome.OK() || !res.Executed {
					t.Errorf("%s: %+v", command, res)
				}
				must(t, k.Close())
			}
			k, p := guest(t, r, id)
			if res := run(t, p, "echo hi"); res.Text != "hi\n" {
				t.Errorf("result %+v", res)
			}
			must(t, k.Close())
			screen := r.tmux(t, "capture-pane", "-p", "-S", "-", "-t", id)
			if !strings.Contains(screen, "echo above\nabove\n") || strings.Contains(screen, "nod") || strings.Contains(screen, "eval") {
				t.Errorf("the screen:\n%s", screen)
			}
			r.tmux(t, "kill-server")
		})
	}
}

// busybox is a shell by that name, too.
func TestBusyboxByItsOwnName(t *testing.T) {
	t.Parallel()
	r := newRig(t, "ash")
	r.opt.Shell = []string{"busybox", "ash"}
	p, err := r.open(t).Shared(t.Context())
	must(t, err)
	if wrong := differs(run(t, p, "echo hi; sh -c 'exit 3'"), "hi\r\n", 3); wrong != "" {
		t.Error(wrong)
	}
}

// A shell that no hook fits is refused with what to do.
func TestAShellOfAnotherKindIsRefusedWithTheRemedy(t *testing.T) {
	t.Parallel()
	need(t, "tcsh")
	r := newRig(t, "bash")
	r.opt.Shell = []string{"tcsh", "-f"}
	p, err := r.open(t).Shared(t.Context())
	must(t, err)
	_, err = p.Run(t.Context(), pane.Request{Command: "echo hi"})
	var unready *pane.NotReadyError
	if !errors.As(err, &unready) || !strings.Contains(err.Error(), "exec bash") || !strings.Contains(err.Error(), "nod help shells") {
		t.Errorf("run: %v", err)
	}
}

// Output that is no text is told to be what a terminal shows of it.
func TestBinaryOutputHasANotice(t *testing.T) {
	t.Parallel()
	p := shared(t, "bash")
	file := filepath.Join(t.TempDir(), "bytes")
	must(t, os.WriteFile(file, []byte("\x00\x01\xff\xfe\n"), 0o600))
	if res := run(t, p, "cat "+file); len(res.Notices) != 1 || !strings.Contains(res.Notices[0], "without a pane") {
		t.Errorf("binary: %+v", res)
	}
	if res := run(t, p, "echo text"); len(res.Notices) != 0 {
		t.Errorf("text: %+v", res)
	}
}

// reading is a shell that reads a start-up file.
func reading(t *testing.T, shell, rc string) *pane.Pane {
	t.Helper()
	r := newRig(t, shell)
	file := filepath.Join(t.TempDir(), "rc")
	must(t, os.WriteFile(file, []byte(rc+"\n"), 0o600))
	r.opt.Shell = []string{"env", "ENV=" + file, shell}
	if shell == "bash" {
		r.opt.Shell = []string{"bash", "--rcfile", file}
	}
	p, err := r.open(t).Shared(t.Context())
	must(t, err)
	return p
}

// A shell that cannot say what it does is refused with what to do, and is used once that
// has been done.
func TestShellsThatCannotSayWhatTheyDoAreRefused(t *testing.T) {
	t.Parallel()
	for _, shell := range append(plainShells, "bash") {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			p := reading(t, shell, "readonly PS2")
			_, err := p.Run(t.Context(), pane.Request{Command: "echo hi"})
			var unready *pane.NotReadyError
			if !errors.As(err, &unready) || !strings.Contains(err.Error(), "readonly") || p.Unready() == nil {
				t.Errorf("readonly: %v", err)
			}

			p = reading(t, shell, "")
			run(t, p, "exec 2>/dev/null")
			p.Forget() // as who comes later
			if _, err = p.Run(t.Context(), pane.Request{Command: "echo hi"}); !errors.As(err, &unready) || !strings.Contains(err.Error(), "exec >/dev/tty 2>&1") {
				t.Errorf("redirected: %v\n%s", err, p.Screen())
			}
			must(t, p.Type(t.Context(), []byte("exec >/dev/tty 2>&1\r")))
			var r *pane.Run
			eventually(t, p, "the shell", func() bool {
				r, err = p.Run(t.Context(), pane.Request{Command: "echo hi"})
				return err == nil
			})
			if res := finish(t, p, r); res.Text != "hi\n" || !res.Outcome.OK() {
				t.Errorf("again: %+v", res)
			}
		})
	}
}

// The words that nod uses may be aliases.
func TestPlainShellsWithAliases(t *testing.T) {
	t.Parallel()
	for _, shell := range append(plainShells, "bash") {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			p := reading(t, shell, "alias eval='echo no' printf='echo no' tmux='echo no'")
			for command, want := range map[string]string{"echo hi": "hi\n", "echo 'a\tb'": "a\tb\n", "echo a\necho b": "a\nb\n"} {
				if res := run(t, p, command); res.Text != want || !res.Outcome.OK() {
					t.Errorf("%q: %+v", command, res)
				}
			}
		})
	}
}
