package pane_test

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/backends/tmux"
)

// tmux runs tmux on the rig's server from outside, as the operator would.
func (r *rig) tmux(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", r.opt.Socket, "-f", "/dev/null"}, args...)...)
	cmd.Env = r.env // a server that it starts has it, and so have its shells
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %q: %v, %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatTheOperatorHasTypedIsNotAddedTo(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		must(t, p.Type(t.Context(), []byte("rm -rf  ")))
		eventually(t, p, "the typed text", func() bool { return p.PendingLine() == "rm -rf" })
		var pending *pane.PendingError
		if _, err := p.Run(t.Context(), pane.Request{Command: "echo hi"}); !errors.As(err, &pending) || pending.Line != "rm -rf" {
			t.Errorf("error %v", err)
		}
		must(t, p.Keys(t.Context(), []string{"C-u"}))
		eventually(t, p, "an empty line", func() bool { return p.PendingLine() == "" && p.AtPrompt() })
		if res := run(t, p, "echo hi"); res.Text != "hi\n" {
			t.Errorf("after clearing: %+v", res)
		}
	})
}

// The marks take no room in the shell's idea of its prompt: a line that is
// longer than the screen is wide stays what it is.
func TestALongLineBehindThePromptIsReadWhole(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		if shell == "mksh" {
			return // it shows a part of a long line
		}
		p := shared(t, shell)
		long := strings.Repeat("0123456789", 15)
		for i := range len(long) { // key by key, as a line editor draws it
			must(t, p.Type(t.Context(), []byte(long[i:i+1])))
		}
		eventually(t, p, "the typed text", func() bool { return p.PendingLine() == long })
		must(t, p.Keys(t.Context(), []string{"C-u"}))
		eventually(t, p, "an empty line", func() bool { return p.PendingLine() == "" && p.AtPrompt() })
		if res := run(t, p, "echo hi"); res.Text != "hi\n" {
			t.Errorf("after clearing: %+v", res)
		}
	})
}

func TestWhatWasTypedAheadDoesNotReachTheNextCommand(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		r := start(t, p, pane.Request{Command: "echo up; sleep 0.2"})
		eventually(t, p, "the command", func() bool { return strings.Contains(r.Result().Text, "up") })
		must(t, p.Type(t.Context(), []byte("echo ahead; ")))
		finish(t, p, r)
		r2, err := p.Run(t.Context(), pane.Request{Command: "echo next"})
		var pending *pane.PendingError
		if errors.As(err, &pending) {
			return // it was seen in time
		}
		must(t, err)
		if res := finish(t, p, r2); res.Text != "next\n" {
			t.Errorf("result %+v", res)
		}
	})
}

func TestCommandsTypedByHandAreNoRuns(t *testing.T) {
	t.Parallel()
	everywhere(t, testCommandsTypedByHandAreNoRuns)
}

func testCommandsTypedByHandAreNoRuns(t *testing.T) {
	p := shared(t, "bash")
	must(t, p.Type(t.Context(), []byte("echo by hand; sleep 0.1; false\r")))
	eventually(t, p, "its output", func() bool { return strings.Contains(p.Screen().String(), "\nby hand") })
	if p.Busy() != nil || p.AtPrompt() {
		t.Errorf("busy %v, at prompt %v", p.Busy(), p.AtPrompt())
	}
	if res := run(t, p, "echo $?"); res.Text != "1\n" {
		t.Errorf("result %+v", res)
	}
}

func TestARunRightBehindKeysIsNotMistakenForThem(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		for _, typed := range []string{"\r", "\x03", "false\r", "no-such-command\r", "sleep 0.05; false\r"} {
			for range 5 {
				must(t, p.Type(t.Context(), []byte(typed)))
				if res := run(t, p, "echo hi"); res.Text != "hi\n" || !res.Outcome.OK() {
					t.Errorf("behind %q: %+v", typed, res)
				}
			}
		}
		must(t, p.Keys(t.Context(), []string{"x", "C-c"}))
		if res := run(t, p, "echo hi"); res.Text != "hi\n" {
			t.Errorf("behind Ctrl-C: %+v", res)
		}
	})
}

// answers is the echo of the answer to what busybox asks the terminal with each
// prompt, where the command was there before it.
var answers = regexp.MustCompile(`\^\[\[\d+;\d+R`)

// An interrupt of which the pane does not know, as from the operator's own
// terminal, in the worst moments. bash loses the first character of a line by
// it, and shells show a prompt that is no answer to the line.
func TestAnUnknownInterruptChangesNoCommand(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		times := 40
		if shell == "fish" {
			times = 15 // each time it is silence that tells
		}
		for range times {
			must(t, p.Keys(t.Context(), []string{"0x3"}))
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			r, err := p.Run(ctx, pane.Request{Command: "echo hi"})
			cancel()
			var pending *pane.PendingError
			if errors.As(err, &pending) {
				continue
			}
			must(t, err)
			res := finish(t, p, r)
			switch {
			case !res.Executed && res.Total == 0, res.Outcome == backends.ExitedWith(130):
			case shell == "ash" && answers.ReplaceAllString(res.Text, "") == "hi\n" && res.Outcome.OK():
			case res.Text != "hi\n" || !res.Outcome.OK():
				t.Errorf("%+v", res)
			}
		}
		pressAgain(t, p, "an answer to the last one", func() bool { return p.PendingLine() == "" })
		run(t, p, "true")
	}, "ash")
}

// pressAgain waits until ok holds, behind an interrupt: bash (5.2) can hang at one, until
// the next, and goes on with a loop where one comes as a program of it ends by itself.
func pressAgain(t *testing.T, p *pane.Pane, what string, ok func() bool) {
	t.Helper()
	pressKeyAgain(t, p, "0x3", what, ok)
}

// pressKeyAgain waits until ok holds, and presses a key again while it does not.
func pressKeyAgain(t *testing.T, p *pane.Pane, key, what string, ok func() bool) {
	t.Helper()
	pressed := time.Now()
	eventually(t, p, what, func() bool {
		if ok() {
			return true
		}
		if time.Since(pressed) > time.Second {
			must(t, p.Keys(t.Context(), []string{key}))
			pressed = time.Now()
		}
		return false
	})
}

func TestAFullScreenProgramIsTold(t *testing.T) {
	t.Parallel()
	everywhere(t, testAFullScreenProgramIsTold)
}

func testAFullScreenProgramIsTold(t *testing.T) {
	p := shared(t, "bash")
	r := start(t, p, pane.Request{Command: `printf '\033[?1049h'; read x; printf '\033[?1049l'; sh -c 'exit 4'`})
	select {
	case <-r.FullScreen():
	case <-time.After(patience):
		t.Fatal("not told")
	}
	must(t, p.Type(t.Context(), []byte("\r")))
	if res := finish(t, p, r); !res.FullScreen || res.Outcome != backends.ExitedWith(4) {
		t.Errorf("result %+v", res)
	}
}

func TestCopyModeDoesNotSwallowACommand(t *testing.T) {
	t.Parallel()
	r := newRig(t, "bash")
	p, err := r.open(t).Shared(t.Context())
	must(t, err)
	r.tmux(t, "copy-mode", "-t", p.ID())
	if res := run(t, p, "echo hi"); res.Text != "hi\n" {
		t.Errorf("result %+v", res)
	}
}

func TestTheHistoryStaysClean(t *testing.T) {
	t.Parallel()
	everywhere(t, testTheHistoryStaysClean)
}

func testTheHistoryStaysClean(t *testing.T) {
	p := shared(t, "bash")
	run(t, p, "echo 'a\tb'") // goes through a buffer
	run(t, p, "echo one\necho two")
	res := run(t, p, "HISTTIMEFORMAT= history")
	if strings.Contains(res.Text, "nod") || !strings.Contains(res.Text, "echo one") {
		t.Errorf("history %q", res.Text)
	}
}

func TestALongCommandNeedsNothingOfTheShellsSettings(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		run(t, p, in(shell, "PATH=/nowhere; unset TMUX", "set PATH /nowhere; set -e TMUX"))
		if res := run(t, p, "echo 'a\tb'"); res.Text != "a\tb\n" || !res.Outcome.OK() {
			t.Errorf("result %+v", res)
		}
		if strings.Contains(t.Name(), withoutTmux) {
			return // nothing but the terminal is needed
		}
		run(t, p, in(shell, "__nod_t=/nowhere/tmux", "set __nod_t /nowhere/tmux"))
		if res := run(t, p, "echo 'a\tb'"); res.Outcome != backends.ExitedWith(127) {
			t.Errorf("a command that cannot be handed over: %+v", res)
		}
	})
}

func TestTheOperatorsSettingsAreNoObstacle(t *testing.T) {
	t.Parallel()
	everywhere(t, testTheOperatorsSettingsAreNoObstacle)
}

func testTheOperatorsSettingsAreNoObstacle(t *testing.T) {
	r := newRig(t, "bash")
	rc := filepath.Join(t.TempDir(), "rc")
	must(t, os.WriteFile(rc, []byte(`
read -p "menu: 1) go on  2) help  " answer
set -u
HISTCONTROL=ignoreboth
PROMPT_COMMAND='PS1="\[\e[32m\][\$?] two\n lines\[\e[m\] > "'
alias echo='echo aliased'
set -o vi
printf() { :; }
`), 0o600))
	r.opt.Shell = []string{"bash", "--noprofile", "--rcfile", rc}
	p, err := r.open(t).Shared(t.Context())
	must(t, err)
	for range 2 {
		if res := run(t, p, "echo hi; (exit 3)"); res.Text != "aliased hi\n" || res.Outcome != backends.ExitedWith(3) {
			t.Errorf("result %+v", res)
		}
	}
	if p.PendingLine() != "" {
		t.Errorf("pending %q", p.PendingLine())
	}
}

func TestTheOperatorsZshSettingsAreNoObstacle(t *testing.T) {
	t.Parallel()
	everywhere(t, testTheOperatorsZshSettingsAreNoObstacle)
}

func testTheOperatorsZshSettingsAreNoObstacle(t *testing.T) {
	r := newRig(t, "zsh")
	home := t.TempDir()
	must(t, os.WriteFile(filepath.Join(home, ".zshrc"), []byte(`
setopt ksh_arrays prompt_subst hist_ignore_space correct sh_word_split
PROMPT=$'%F{green}[%?] two\n lines%f > '
RPROMPT='%~ at the right'
preexec() { builtin print -Pn '\e]0;title\a' }
precmd() { PROMPT=$'%F{green}[%?] two\n lines%f > '; false }
alias echo='echo aliased'
printf() { : }
self-insert-mangled() { LBUFFER+=x }
zle -N self-insert-mangled
bindkey q self-insert-mangled
`), 0o600))
	r.opt.Shell = []string{"env", "ZDOTDIR=" + home, "zsh", "-d"}
	p, err := r.open(t).Shared(t.Context())
	must(t, err)
	for range 2 {
		if res := run(t, p, "echo qq # no comment; (exit 3)"); res.Text != "aliased qq\n" || !res.Outcome.OK() {
			t.Errorf("result %+v", res)
		}
		if res := run(t, p, "echo qq; (exit 3)"); res.Text != "aliased qq\n" || res.Outcome != backends.ExitedWith(3) {
			t.Errorf("result %+v", res)
		}
	}
	eventually(t, p, "the prompt", p.AtPrompt)
	eventually(t, p, "the right prompt", func() bool { return strings.Contains(p.Screen().String(), "at the right") })
	if p.PendingLine() != "" {
		t.Errorf("pending %q", p.PendingLine())
	}
	must(t, p.Type(t.Context(), []byte("echo half")))
	eventually(t, p, "what was typed", func() bool { return p.PendingLine() == "echo half" })
	must(t, p.Keys(t.Context(), []string{"C-u"}))
	eventually(t, p, "an empty line", func() bool { return p.PendingLine() == "" })
	if res := run(t, p, "fc -l -10"); strings.Contains(res.Text, "nod") || !strings.Contains(res.Text, "exit 3") {
		t.Errorf("history %q", res.Text)
	}
}

func TestTheOperatorsFishSettingsAreNoObstacle(t *testing.T) {
	t.Parallel()
	everywhere(t, testTheOperatorsFishSettingsAreNoObstacle)
}

func testTheOperatorsFishSettingsAreNoObstacle(t *testing.T) {
	for _, title := range []string{"function fish_title; end", "function fish_title; echo 'a title'; end", ""} {
		r := newRig(t, "fish")
		r.opt.Shell = []string{"fish", "--no-config", "--init-command", title + `
function fish_prompt; echo "[$status] two"; echo -n 'lines > '; end
function fish_right_prompt; echo 'at the right'; end
function preexec --on-event fish_preexec; false; end
function after --on-event fish_postexec; builtin echo after; end
function echo; builtin echo aliased $argv; end
function printf; end
abbr --add qq ls -la
bind q 'commandline -i x'
`}
		p, err := r.open(t).Shared(t.Context())
		must(t, err)
		for range 2 {
			if res := run(t, p, "echo qq # no comment; sh -c 'exit 3'"); res.Text != "aliased qq\n" || !res.Outcome.OK() {
				t.Errorf("%q: result %+v", title, res)
			}
			if res := run(t, p, `builtin printf '\e[m\rqq'; sh -c 'exit 3'`); string(res.Raw) != "\x1b[m\rqq" || res.Outcome != backends.ExitedWith(3) {
				t.Errorf("%q: result %+v, %q", title, res, res.Raw)
			}
		}
		eventually(t, p, "the prompt", p.AtPrompt)
		eventually(t, p, "the right prompt", func() bool { return strings.Contains(p.Screen().String(), "at the right") })
		if p.PendingLine() != "" {
			t.Errorf("pending %q", p.PendingLine())
		}
		must(t, p.Type(t.Context(), []byte("echo")))
		eventually(t, p, "what was typed", func() bool { return p.PendingLine() == "echo" })
		must(t, p.Keys(t.Context(), []string{"C-u"}))
		eventually(t, p, "an empty line", func() bool { return p.PendingLine() == "" })
		if res := run(t, p, "history search -n 20"); strings.Contains(res.Text, "nod") || !strings.Contains(res.Text, "exit 3") {
			t.Errorf("history %q", res.Text)
		}
	}
}

func TestTheSizeIsTheOneAskedFor(t *testing.T) {
	t.Parallel()
	everywhere(t, testTheSizeIsTheOneAskedFor)
}

func testTheSizeIsTheOneAskedFor(t *testing.T) {
	p := shared(t, "dash")
	if res := run(t, p, "stty size"); res.Text != "24 80\n" {
		t.Errorf("size %q", res.Text)
	}
	p.Resize(backends.Size{Cols: 100, Rows: 30})
	eventually(t, p, "the new size", func() bool { s := p.Screen().Size; return s.Cols == 100 && s.Rows == 30 })
	// Without tmux the program learns of it a moment after the screen.
	for limit := time.Now().Add(patience); ; {
		res := run(t, p, "stty size")
		if res.Text == "30 100\n" {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("size %q", res.Text)
		}
	}
}

func TestTheScreenIsTmuxs(t *testing.T) {
	t.Parallel()
	p := shared(t, "bash")
	run(t, p, `for i in $(seq 1 60); do printf '\033[3%dmline %d 日本\033[m\n' $((i%8)) $i; done`)
	run(t, p, "echo end")
	eventually(t, p, "the prompt", p.AtPrompt)
	want, err := p.Capture(t.Context(), pane.CaptureOptions{TrailingSpaces: false})
	must(t, err)
	if got := strings.TrimRight(p.Screen().String(), "\n") + "\n"; got != want.Text {
		t.Errorf("our screen:\n%s\ntmux's:\n%s", got, want.Text)
	}
}

func TestCapture(t *testing.T) {
	t.Parallel()
	everywhere(t, testCapture)
}

func testCapture(t *testing.T) {
	p := shared(t, "dash")
	run(t, p, `clear; for i in $(seq 1 40); do echo "line $i"; done; printf '\033[1mbold\033[m \001\n'; printf '%0100d\n' 7`)
	eventually(t, p, "the prompt", p.AtPrompt)
	capture := func(o pane.CaptureOptions) pane.Capture {
		t.Helper()
		c, err := p.Capture(t.Context(), o)
		must(t, err)
		return c
	}
	if c := capture(pane.CaptureOptions{}); strings.Contains(c.Text, "line 1\n") || !strings.Contains(c.Text, "line 40\nbold") {
		t.Errorf("screen %q", c.Text)
	}
	if c := capture(pane.CaptureOptions{Start: "-", End: "-", JoinWrapped: true}); !strings.Contains(c.Text, "line 1\nline 2\n") ||
		!strings.Contains(c.Text, "\n"+strings.Repeat("0", 99)+"7\n") {
		t.Errorf("everything %q", c.Text)
	}
	if c := capture(pane.CaptureOptions{Escapes: true}); !strings.Contains(c.Text, "\x1b[1mbold") {
		t.Errorf("with escapes %q", c.Text)
	}
	if c := capture(pane.CaptureOptions{Escapes: true, EscapeNonPrintable: true}); !strings.Contains(c.Text, `\033[1mbold`) {
		t.Errorf("with escaped escapes %q", c.Text)
	}
	if c := capture(pane.CaptureOptions{Alternate: true}); len(c.Notices) != 1 || !strings.Contains(c.Text, "line 40") {
		t.Errorf("without an alternate screen %+v", c)
	}
	if _, err := p.Capture(t.Context(), pane.CaptureOptions{Start: "-t x"}); err == nil {
		t.Error("a start that is no number was taken")
	}
}

// stuck is a writer that never takes anything.
type stuck struct{ release chan struct{} }

func (s stuck) Write([]byte) (int, error) { <-s.release; return 0, errors.New("released") }

func TestASlowConsumerSlowsNothing(t *testing.T) {
	t.Parallel()
	everywhere(t, testASlowConsumerSlowsNothing)
}

func testASlowConsumerSlowsNothing(t *testing.T) {
	p := shared(t, "dash")
	_, cancel := p.Subscribe() // and never read
	defer cancel()
	s := stuck{make(chan struct{})}
	defer close(s.release)
	// Any output is more than the sink takes. A flood would try something else:
	// how far a connection may lag behind.
	r := start(t, p, pane.Request{Command: "seq 1 20000", Sink: s})
	eventually(t, p, "the end of the command", func() bool { return p.Busy() == nil })
	if res := run(t, p, "echo next"); res.Text != "next\n" { // while the sink is still stuck
		t.Errorf("next %+v", res)
	}
	if res := finish(t, p, r); !res.Incomplete || !res.Outcome.OK() || res.Total != 128_894 {
		t.Errorf("outcome %v, total %d, incomplete %v, notices %q", res.Outcome, res.Total, res.Incomplete, res.Notices)
	}
}

// gate is a target on which control mode can be refused for a while.
type gate struct {
	backends.Target
	shut atomic.Bool
	why  error // of the refusal, set before shut is
	no   atomic.Int64
}

// refused waits until the gate has refused so often since now.
func (g *gate) refused(t *testing.T, times int64) {
	t.Helper()
	since := g.no.Load()
	if !backendtest.Soon(patience, func() bool { return g.no.Load() >= since+times }) {
		t.Fatal("nobody comes to the gate")
	}
}

func (g *gate) Exec(ctx context.Context, c backends.Command) (backends.Process, error) {
	if g.shut.Load() && strings.Contains(strings.Join(c.Argv, " "), " -C ") {
		g.no.Add(1)
		return nil, cmp.Or(g.why, errors.New("no way"))
	}
	return g.Target.Exec(ctx, c)
}

// cut ends the control clients of the rig's server.
func (r *rig) cut(t testing.TB) {
	t.Helper()
	for pid := range strings.Lines(r.tmux(t, "list-clients", "-F", "#{client_pid}")) {
		n, err := strconv.Atoi(strings.TrimSpace(pid))
		must(t, err)
		if err := syscall.Kill(n, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) { // one ends with the other
			must(t, err)
		}
	}
}

// cutAny is cut where there may be no client, or not the server.
func (r *rig) cutAny() {
	out, err := exec.Command("tmux", "-S", r.opt.Socket, "-f", "/dev/null", "list-clients", "-F", "#{client_pid}").Output()
	if err != nil {
		return
	}
	for pid := range strings.Lines(string(out)) {
		if n, err := strconv.Atoi(strings.TrimSpace(pid)); err == nil {
			_ = syscall.Kill(n, syscall.SIGKILL) // it may have gone
		}
	}
}

func TestALostConnectionIsMadeAgain(t *testing.T) {
	t.Parallel()
	eachShellInTmux(t, func(t *testing.T, shell string) {
		r := newRig(t, shell)
		g := &gate{Target: r.target}
		k, err := pane.Open(t.Context(), g, r.opt)
		must(t, err)
		defer func() { must(t, k.Close()) }()
		p, err := k.Shared(t.Context())
		must(t, err)

		// The command is still running when the connection is back.
		one := start(t, p, pane.Request{Command: "echo begin; read x; echo end; sh -c 'exit 5'"})
		eventually(t, p, "the command", func() bool { return strings.Contains(one.Result().Text, "begin") })
		r.cut(t)
		eventually(t, p, "the new connection", func() bool { return one.Result().Incomplete })
		r.tmux(t, "send-keys", "-t", p.ID(), "Enter")
		if res := finish(t, p, one); res.Outcome != backends.ExitedWith(5) || !res.Incomplete || len(res.Notices) != 1 {
			t.Errorf("%+v", res)
		}

		// The command ends while there is no connection.
		two := start(t, p, pane.Request{Command: "echo begin; read x; sh -c 'exit 6'"})
		eventually(t, p, "the command", func() bool { return strings.Contains(two.Result().Text, "begin") })
		g.shut.Store(true)
		r.cut(t)
		eventually(t, p, "the loss", func() bool { return r.tmux(t, "list-clients") == "" })
		r.tmux(t, "send-keys", "-t", p.ID(), "Enter")
		eventually(t, p, "the end", func() bool {
			return strings.Contains(r.tmux(t, "display-message", "-p", "-t", p.ID(), "#{pane_path}"), "=6,")
		})
		g.shut.Store(false)
		if res := finish(t, p, two); res.Outcome != backends.ExitedWith(6) || !res.Incomplete {
			t.Errorf("%+v", res)
		}
		if res := run(t, p, "echo on"); res.Text != "on\n" || res.Incomplete {
			t.Errorf("%+v", res)
		}
	})
}

func TestAKilledServerGivesAnUnknownOutcomeAndAFreshPane(t *testing.T) {
	t.Parallel()
	r := newRig(t, "bash")
	k := r.open(t)
	p, err := k.Shared(t.Context())
	must(t, err)
	run := start(t, p, pane.Request{Command: "echo up; sleep 100"})
	eventually(t, p, "the command", func() bool { return strings.Contains(run.Result().Text, "up") })
	r.tmux(t, "kill-server")
	if res := finish(t, p, run); res.Outcome.State != backends.Unknown || len(res.Notices) == 0 || res.Text != "up\n" {
		t.Errorf("result %+v", res)
	}
	if _, err := p.Run(t.Context(), pane.Request{Command: "true"}); !errors.Is(err, pane.ErrEnded) {
		t.Errorf("error %v", err)
	}
	fresh, err := k.Shared(t.Context())
	must(t, err)
	if res := finish(t, fresh, start(t, fresh, pane.Request{Command: "echo hi"})); res.Text != "hi\n" {
		t.Errorf("result %+v", res)
	}
}

func TestCloseEndsWhatRunsAndLeavesForeignSessionsAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, "bash")
	r.tmux(t, "new-session", "-d", "-s", "operators", "cat")
	r.tmux(t, "new-session", "-d", "-s", "nod-test-main-by-hand", "cat") // no marks
	defer r.tmux(t, "kill-server")
	k := r.open(t)
	p, err := k.Shared(t.Context())
	must(t, err)
	run := start(t, p, pane.Request{Command: "sleep 100"})
	must(t, k.Close())
	if res := finish(t, p, run); res.Outcome.State != backends.Unknown || len(res.Notices) == 0 {
		t.Errorf("result %+v", res)
	}
	if _, err := k.Shared(t.Context()); !errors.Is(err, pane.ErrClosed) {
		t.Errorf("error %v", err)
	}
	if left := r.tmux(t, "list-sessions", "-F", "#{session_name}"); left != "nod-test-main-by-hand\noperators" {
		t.Errorf("sessions %q", left)
	}
}

func TestADeadProcesssSessionsAreTakenOverOrRemoved(t *testing.T) {
	t.Parallel()
	r := newRig(t, "bash")
	r.opt.Keep = true
	first := r.open(t)
	p, err := first.Shared(t.Context())
	must(t, err)
	run(t, p, "x=kept")
	busy, err := first.CreateSession(t.Context(), "busy")
	must(t, err)
	long := start(t, busy, pane.Request{Command: "echo up; sleep 100"})
	eventually(t, busy, "the command", func() bool { return strings.Contains(long.Result().Text, "up") })
	_, err = first.CreateSession(t.Context(), "idle")
	must(t, err)
	must(t, first.Close())

	// A living owner's sessions are not taken.
	second := r.open(t)
	other, err := second.Shared(t.Context())
	must(t, err)
	if other.ID() == p.ID() || !strings.Contains(other.Attach(), "nod-test-main-2") {
		t.Errorf("pane %s, %s", other.ID(), other.Attach())
	}
	is(t, second.KillSession(t.Context(), "not-there"), pane.ErrNotFound)
	must(t, second.Close())
	r.tmux(t, "kill-session", "-t", "=nod-test-main-2")

	host, _, _ := strings.Cut(tmux.Owner(), "/")
	for _, name := range []string{"main", "busy", "idle"} {
		r.tmux(t, "set-option", "-t", "=nod-test-"+name+":", "@nod_owner", fmt.Sprintf("%s/%d/long-ago", host, os.Getpid()))
	}
	r.opt.Keep = false
	third := r.open(t)
	var names []string
	for _, p := range third.List() {
		names = append(names, p.Session()+"/"+p.Name())
	}
	if got := strings.Join(names, " "); got != "busy/shared main/shared" {
		t.Errorf("panes %s", got)
	}
	again, err := third.Shared(t.Context())
	must(t, err)
	if again.ID() != p.ID() {
		t.Errorf("pane %s, was %s", again.ID(), p.ID())
	}
	if res := run(t, again, "echo $x"); res.Text != "kept\n" {
		t.Errorf("result %+v", res)
	}
}

func TestSessionsAndPanesAreBoundedAndProtected(t *testing.T) {
	t.Parallel()
	everywhere(t, testSessionsAndPanesAreBoundedAndProtected)
}

func testSessionsAndPanesAreBoundedAndProtected(t *testing.T) {
	r := newRig(t, "dash")
	r.opt.MaxSessions, r.opt.MaxPanes = 2, 2
	k := r.open(t)
	p, err := k.Shared(t.Context())
	must(t, err)
	side, err := k.CreatePane(t.Context(), "", "side")
	must(t, err)
	if res := run(t, side, "echo side"); res.Text != "side\n" {
		t.Errorf("result %+v", res)
	}
	_, err = k.CreatePane(t.Context(), "", "more")
	is(t, err, pane.ErrTooMany)
	_, err = k.CreatePane(t.Context(), "main", "side")
	is(t, err, pane.ErrExists)
	_, err = k.CreatePane(t.Context(), "none", "side")
	is(t, err, pane.ErrNotFound)
	_, err = k.CreateSession(t.Context(), "Two")
	must(t, err)
	_, err = k.CreateSession(t.Context(), "three")
	is(t, err, pane.ErrTooMany)
	_, err = k.CreateSession(t.Context(), "a:b")
	if err == nil {
		t.Error("a name with a colon was taken")
	}
	is(t, k.KillSession(t.Context(), pane.DefaultSession), pane.ErrProtected)
	is(t, k.KillPane(t.Context(), "", pane.SharedPane), pane.ErrProtected)
	must(t, k.KillPane(t.Context(), "main", "side"))
	_, err = side.Run(t.Context(), pane.Request{Command: "true"})
	if err == nil {
		t.Error("a killed pane takes a command")
	}
	must(t, k.KillSession(t.Context(), "two"))
	_, err = k.Get("two", "")
	is(t, err, pane.ErrNotFound)
	if got, err := k.Get("", ""); err != nil || got != p {
		t.Errorf("the default pane: %v, %v", got, err)
	}
}

func is(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

func TestWhatTheOperatorEndsByHandIsMadeAnew(t *testing.T) {
	t.Parallel()
	r := newRig(t, "bash")
	k := r.open(t)
	p, err := k.Shared(t.Context())
	must(t, err)
	for _, typed := range []string{"exit\r", "exec bash --norc\r", "sleep 0.3; exit 3\r"} {
		eventually(t, p, "the prompt", p.AtPrompt) // what belongs to an earlier one is no reaction to this line
		must(t, p.Type(t.Context(), []byte(typed)))
		if res := run(t, p, "echo hi"); res.Text != "hi\n" || !res.Outcome.OK() || len(res.Notices) != 1 {
			t.Errorf("after %q: %+v", typed, res)
		}
	}
	// The last pane of the session, and so the session.
	r.tmux(t, "kill-pane", "-t", p.ID())
	eventually(t, p, "the end of the pane", func() bool {
		_, err := k.Get("", "")
		return errors.Is(err, pane.ErrNotFound)
	})
	p, err = k.Shared(t.Context())
	must(t, err)
	side, err := k.CreatePane(t.Context(), "", "side")
	must(t, err)
	// One of two.
	r.tmux(t, "kill-pane", "-t", p.ID())
	eventually(t, p, "the end of the pane", func() bool {
		_, err := k.Get("", "")
		return errors.Is(err, pane.ErrNotFound)
	})
	_, err = p.Run(t.Context(), pane.Request{Command: "true"})
	is(t, err, pane.ErrEnded)
	if p, err = k.Shared(t.Context()); err != nil || p.ID() == side.ID() {
		t.Fatal(p, err)
	}
	if res := run(t, p, "echo hi"); res.Text != "hi\n" || !saysFresh(res) {
		t.Errorf("result %+v", res)
	}
	// The whole server, in the middle of a run.
	active := start(t, p, pane.Request{Command: "x=lost; echo begun; sleep 1000"})
	eventually(t, p, "the command", func() bool { return active.Result().Text != "" })
	r.tmux(t, "kill-server")
	res := finish(t, p, active)
	said := strings.Join(res.Notices, "\n")
	if res.Outcome.State != backends.Unknown || !strings.Contains(said, "not known") || !strings.Contains(said, "fresh pane") {
		t.Errorf("result %+v", res)
	}
	if strings.Contains(said, "((") || strings.Contains(said, "))") || strings.Contains(said, "deadline") {
		t.Errorf("notices %q", said)
	}
	eventually(t, p, "another pane", func() bool { q, err := k.Shared(t.Context()); p = q; return err == nil && q.Degraded() == nil })
	if res := run(t, p, "echo ${x-gone}"); res.Text != "gone\n" || !saysFresh(res) {
		t.Errorf("result %+v", res)
	}
	if res := run(t, p, "echo hi"); len(res.Notices) != 0 { // it is told once
		t.Errorf("result %+v", res)
	}
}

// saysFresh reports whether a result tells that the shell is a fresh one.
func saysFresh(res pane.Result) bool {
	return strings.Contains(strings.Join(res.Notices, "\n"), "without its directory, variables and jobs")
}

// floodsEnd is on the screen when a flood that ends has.
const floodsEnd = "199999\n200000\n"

// beVictim is a process that keeps a pane in which output floods, until it is
// killed.
func beVictim(socket string) {
	ctx := context.Background()
	target := local.New(os.Environ())
	k, err := pane.Open(ctx, target, pane.Options{Agent: "test", Socket: socket, Config: "/dev/null", Shell: shells["bash"]})
	if err == nil {
		var p *pane.Pane
		if p, err = k.Shared(ctx); err == nil {
			var flood *pane.Run
			if flood, err = p.Run(ctx, pane.Request{Command: os.Getenv("NOD_TEST_DOES")}); err == nil {
				// On a machine under load a part of it may be lost.
				for flood.Result().Total < 1<<20 && !strings.Contains(p.Screen().String(), floodsEnd) {
					time.Sleep(time.Millisecond)
				}
			}
		}
	}
	fmt.Println("flooding", err)
	select {}
}

// victimOf is a process in whose pane a command floods: with pauses, which leave the
// machine to the tests beside it.
func victimOf(t testing.TB, r *rig, does string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	victim := exec.Command(self)
	victim.Env = []string{
		"NOD_TEST_VICTIM=" + r.opt.Socket, "NOD_TEST_DOES=" + does,
		"HOME=" + backendtest.Home(t), "PATH=" + os.Getenv("PATH"), "SHELL=/bin/bash",
	}
	out, err := victim.StdoutPipe()
	must(t, err)
	must(t, victim.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "flooding <nil>\n" {
		t.Errorf("the victim says %q, %v", line, err)
	}
	return victim
}

// What runs in a pane goes on while nod itself stands still, with nobody else
// attached.
func TestAStoppedProcessStopsNoPane(t *testing.T) {
	t.Parallel()
	r := newRig(t, "bash")
	count := filepath.Join(t.TempDir(), "count")
	victim := victimOf(t, r, "i=0; while :; do i=$((i+1)); echo $i >"+count+"; seq 1 20000; sleep 0.02; done")
	must(t, victim.Process.Signal(syscall.SIGSTOP))
	counted := func() (n int) {
		text, err := os.ReadFile(count)
		must(t, err)
		_, _ = fmt.Sscan(string(text), &n) // it is empty for a moment
		return n
	}
	first := counted()
	for limit := time.Now().Add(patience); counted() < first+8; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Errorf("the program stands still in round %d", counted())
			break
		}
	}
	must(t, victim.Process.Kill())
	_ = victim.Wait() // it was killed
	for _, client := range strings.Fields(r.tmux(t, "list-clients", "-F", "#{client_pid}")) {
		pid, err := strconv.Atoi(client)
		must(t, err)
		_ = syscall.Kill(pid, syscall.SIGKILL) // a server waits for what it has for the client of a process that is gone
	}
	r.tmux(t, "kill-server")
}

func TestAKilledProcessLeavesAPaneThatTheNextOneTakesOver(t *testing.T) {
	t.Parallel()
	r := newRig(t, "bash")
	victim := victimOf(t, r, "x=kept; while seq 1 2000; do sleep 0.02; done") // no more than a slow machine can read
	must(t, victim.Process.Kill())
	_ = victim.Wait() // it was killed

	p, err := r.open(t).Shared(t.Context())
	must(t, err)
	before := p.Screen()
	eventually(t, p, "the flood to go on", func() bool { return p.Screen() != before })
	must(t, p.Interrupt(t.Context()))
	pressAgain(t, p, "the prompt", func() bool { return strings.HasPrefix(lastLine(p), "bash-") })
	if res := run(t, p, "echo $x"); res.Text != "kept\n" {
		t.Errorf("result %+v", res)
	}
}

// What such a process has left running is given as long to end as a shell has to come to its
// prompt, however long it has said nothing.
func TestWhatAKilledProcessLeftRunningIsWaitedFor(t *testing.T) {
	t.Parallel()
	r := newRig(t, "bash")
	victim := victimOf(t, r, "seq 1 200000; sh -c 'sleep 1000; :'")
	must(t, victim.Process.Kill())
	_ = victim.Wait() // it was killed

	k, began := r.open(t), time.Now()
	p, err := k.Shared(t.Context())
	must(t, err)
	_, err = p.Run(t.Context(), pane.Request{Command: "echo x"})
	var refused *pane.NotReadyError
	if took := time.Since(began); !errors.As(err, &refused) || took < pane.HookWait {
		t.Errorf("after %s: %v", took, err)
	}
}

func TestCloseMayComeInTheMiddleOfARun(t *testing.T) {
	t.Parallel()
	everywhere(t, testCloseMayComeInTheMiddleOfARun)
}

func testCloseMayComeInTheMiddleOfARun(t *testing.T) {
	r := newRig(t, "dash")
	for i := range 15 {
		k, err := pane.Open(t.Context(), r.target, r.opt)
		must(t, err)
		p, err := k.Shared(t.Context())
		must(t, err)
		one := start(t, p, pane.Request{Command: "seq 1 100"})
		time.Sleep(time.Duration(i) * 50 * time.Microsecond) // any moment of the run
		must(t, k.Close())
		finish(t, p, one)
	}
}
