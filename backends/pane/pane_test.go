package pane_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
)

func TestMain(m *testing.M) {
	if socket := os.Getenv("NOD_TEST_VICTIM"); socket != "" {
		beVictim(socket)
		return
	}
	flag.Parse()
	if n := flag.Lookup("test.parallel"); n.Value.String() == n.DefValue {
		// Most of the time the tests wait, for shells that start and for silence.
		if err := n.Value.Set("8"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// everything reports whether all tests are wanted, however long they take.
func everything() bool { return os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" }

// inFull reports whether each test is made in each shell, on either ground.
func inFull() bool { return os.Getenv("NOD_E2E") == "1" }

// tried are the shells with which a test is made that is for all of them: one for each way in
// which a shell is given its commands and tells of them. ash, ksh93 and mksh are tracked in
// the way of dash: what is peculiar to them is proved with the plain shells. TestTheMatrix has
// all shells on either ground; NOD_E2E=1 has all that for each test.
func tried() []string {
	if inFull() {
		return []string{"bash", "dash", "ash", "ksh", "mksh", "zsh", "fish"}
	}
	return []string{"bash", "dash", "zsh", "fish"}
}

// withNamed are the shells that are tried, and those that are named.
func withNamed(named ...string) []string {
	all := tried()
	for _, shell := range named {
		if !slices.Contains(all, shell) {
			all = append(all, shell)
		}
	}
	return all
}

// triedWithoutTmux are the shells with which such a test is made without tmux, too, one for
// each way in which a shell tells of its commands: bash announces what is typed, dash says at
// its prompts what it has done. How zsh and fish get their commands, pasted, does not depend on
// the ground, and is tested in tmux; TestTheMatrix has them without.
func triedWithoutTmux() []string {
	if inFull() {
		return tried()
	}
	return []string{"bash", "dash"}
}

// need skips a test whose real component is missing, except where all are
// promised.
func need(t testing.TB, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err == nil {
			continue
		}
		if everything() {
			t.Fatalf("%s is not installed", program)
		}
		t.Skipf("%s is not installed", program)
	}
}

// rig is a target with a tmux server of the test's own, or with panes that are
// without one. All is gone after the test, and it fails if something is left.
type rig struct {
	env    []string
	target *local.Target
	opt    pane.Options
}

// shells are the shells that are tracked, as they are started in tests.
var shells = map[string][]string{
	"bash": {"bash", "--norc", "--noprofile"},
	"dash": {"dash"},
	"ash":  {"ash"},
	"ksh":  {"ksh"},
	"mksh": {"mksh"},
	"zsh":  {"zsh", "-f"},
	"fish": {"fish", "--no-config"},
}

// program is the program that a shell of these tests is part of.
func program(shell string) string {
	if shell == "ash" {
		return "busybox"
	}
	return shell
}

// withAsh is a directory in which busybox goes by the name of its shell.
func withAsh(t testing.TB) string {
	t.Helper()
	box, err := exec.LookPath(program("ash"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(box, filepath.Join(dir, "ash")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func newRig(t testing.TB, shell string) *rig {
	t.Helper()
	need(t, "tmux", program(shell))
	home, path := backendtest.Home(t), os.Getenv("PATH")
	if shell == "ash" {
		path = withAsh(t) + ":" + path
	}
	env := []string{"HOME=" + home, "PATH=" + path, "SHELL=/bin/" + shell, "LC_ALL=C.UTF-8", "TMPDIR=" + home}
	target := local.New(env)
	dir, err := os.MkdirTemp("", "nod") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	t.Cleanup(func() {
		var left []byte
		if !backendtest.Soon(patience, func() bool {
			var err error
			left, err = exec.Command("tmux", "-S", socket, "list-sessions").CombinedOutput()
			return err != nil // the server has ended
		}) {
			t.Errorf("left behind: %s", left)
			_ = exec.Command("tmux", "-S", socket, "kill-server").Run() // the test has failed already
		}
		if err := target.Close(); err != nil {
			t.Error(err)
		}
		_ = os.RemoveAll(dir)
	})
	return &rig{env: env, target: target, opt: pane.Options{
		Agent: "test", Socket: socket, Config: "/dev/null", Shell: shells[shell],
		Size: backends.Size{Cols: 80, Rows: 24}, Scrollback: 200,
		WithoutTmux: strings.Contains(t.Name(), withoutTmux),
	}}
}

func (r *rig) open(t testing.TB) *pane.Keeper {
	t.Helper()
	k, err := pane.Open(t.Context(), r.target, r.opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

func shared(t testing.TB, shell string) *pane.Pane {
	t.Helper()
	p, err := newRig(t, shell).open(t).Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// patience is how long a test waits for something that should happen.
const patience = time.Minute

func start(t testing.TB, p *pane.Pane, req pane.Request) *pane.Run {
	t.Helper()
	r, err := tryStart(t, p, req)
	if err != nil {
		t.Fatalf("run %.60q: %v\n%s", req.Command, err, p.Screen())
	}
	return r
}

func tryStart(t testing.TB, p *pane.Pane, req pane.Request) (*pane.Run, error) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := p.Run(ctx, req)
	for slow := (*pane.NotReadyError)(nil); errors.As(err, &slow) && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil; {
		r, err = p.Run(ctx, req) // this machine has much else to do
	}
	return r, err
}

func finish(t testing.TB, p *pane.Pane, r *pane.Run) pane.Result {
	t.Helper()
	select {
	case <-r.Done():
		return r.Result()
	case <-time.After(patience):
		t.Fatalf("%.60q did not end; so far %+v\n%s", r.Command, r.Result(), p.Screen())
	}
	panic("unreachable")
}

func run(t testing.TB, p *pane.Pane, command string) pane.Result {
	t.Helper()
	return finish(t, p, start(t, p, pane.Request{Command: command}))
}

// eventually waits until ok holds.
func eventually(t testing.TB, p *pane.Pane, what string, ok func() bool) {
	t.Helper()
	changed, cancel := p.Subscribe()
	defer cancel()
	limit := time.After(patience)
	pause := 5 * time.Millisecond
	for !ok() {
		pause = min(pause*5/4, 100*time.Millisecond) // to look may be a process: ever more seldom
		select {
		case <-changed:
		case <-time.After(pause): // for what is no change of the pane
		case <-limit:
			t.Fatalf("waited for %s\n%s", what, p.Screen())
		}
	}
}

// eachShell tests each shell that is tried in tmux and without. Those of which more is known
// than of their kind are named, and tested in tmux, too.
func eachShell(t *testing.T, f func(t *testing.T, shell string), named ...string) {
	eachShellInTmux(t, f, named...)
	for _, shell := range triedWithoutTmux() {
		t.Run(shell+withoutTmux, func(t *testing.T) {
			t.Parallel()
			f(t, shell)
		})
	}
}

func eachShellInTmux(t *testing.T, f func(t *testing.T, shell string), named ...string) {
	for _, shell := range withNamed(named...) {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			f(t, shell)
		})
	}
}

// everywhere tests in tmux and without.
func everywhere(t *testing.T, f func(t *testing.T)) {
	for _, where := range []string{"tmux", "pane" + withoutTmux} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			f(t)
		})
	}
}

// withoutTmux is what the name of a test ends with whose rig is without tmux.
const withoutTmux = "_without_tmux"

// in is a command in the language of a shell.
func in(shell, posix, fish string) string {
	if shell == "fish" {
		return fish
	}
	return posix
}

func TestRunsGiveExactOutputAndStatus(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 30)
	cases := []struct {
		name, command string
		code          int
		raw, text     string
	}{
		{"echo", "echo hi", 0, "hi\r\n", "hi\n"},
		{"false", "false", 1, "", ""},
		{"exit code", "sh -c 'exit 37'", 37, "", ""},
		{"no final newline", "printf abc; false", 1, "abc", "abc"},
		{"unicode", `printf '日本語 é 🙂\n'`, 0, "日本語 é 🙂\r\n", "日本語 é 🙂\n"},
		{"a line of 300 columns", "echo " + long, 0, long + "\r\n", long + "\n"},
		{"a line of 6,000 bytes", "echo " + strings.Repeat("x", 6000), 0, strings.Repeat("x", 6000) + "\r\n", strings.Repeat("x", 6000) + "\n"},
		{"a pipeline", "echo x | tr x y", 0, "y\r\n", "y\n"},
		{"two lines", "echo a\necho b", 0, "a\r\nb\r\n", "a\nb\n"},
		{"several lines, the first fails", "false\necho a\nprintf b", 0, "a\r\nb", "a\nb"},
		{"several lines, the last fails", "echo a\nfalse", 1, "a\r\n", "a\n"},
		{"a loop over lines", "for i in 1 2 3\ndo\n  echo \"l $i\"\ndone", 0, "l 1\r\nl 2\r\nl 3\r\n", "l 1\nl 2\nl 3\n"},
		{"a here-document", "cat <<'EOF'\na $x 'q'\nb\nEOF", 0, "a $x 'q'\r\nb\r\n", "a $x 'q'\nb\n"},
		{"a here-document with a tab", "cat <<'EOF'\na\tb\nEOF", 0, "a\tb\r\n", "a\tb\n"},
		{"history characters", `echo "a!b" '!!' "!x"`, 0, "a!b !! !x\r\n", "a!b !! !x\n"},
		{"quick substitution", "^a^b^ || echo no", 0, "*", "*"},
		{"quotes and specials", `echo '~' "\$HOME;" \#{} '%end'`, 0, "~ $HOME; #{} %end\r\n", "~ $HOME; #{} %end\n"},
		{"forged marks", `printf '\033]133;D;0;h=000000000000000000000000\007\033]133;D;0\007x'; false`, 1,
			"\x1b]133;D;0;h=000000000000000000000000\a\x1b]133;D;0\ax", "x"},
		{"an end of reply on the screen", `for i in 1 2 3; do echo '%end 1 1 1'; done`, 0, strings.Repeat("%end 1 1 1\r\n", 3), strings.Repeat("%end 1 1 1\n", 3)},
		{"a title in two parts", `printf '\033]0;tit'; sleep 0.05; printf 'le\007y'`, 0, "\x1b]0;title\ay", "y"},
		{"a carriage return", `printf 'a\rb\n'`, 0, "a\rb\r\n", "b\n"},
		{"clear", "clear; echo left", 0, "*", "left\n"},
		{"a missing command", "no-such-command-here", 127, "*", "*"},
		{"a comment behind", "echo a # b", 0, "a\r\n", "a\n"},
		{"nothing behind", "echo ok", 0, "ok\r\n", "ok\n"},
		{"a background job", "sleep 0.01 & wait", 0, "*", "*"},
		{"a nested shell", "sh -c 'echo in; exit 5'", 5, "in\r\n", "in\n"},
		{"standard input is the terminal", "test -t 0 && test -t 1 && echo tty", 0, "tty\r\n", "tty\n"},
	}
	eachShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		for _, c := range cases {
			if shell == "fish" {
				switch c.name {
				case "a here-document", "a here-document with a tab", "quick substitution":
					continue // fish has none
				case "a loop over lines":
					c.command = "for i in 1 2 3\n  echo \"l $i\"\nend"
				case "an end of reply on the screen":
					c.command = "for i in 1 2 3; echo '%end 1 1 1'; end"
				case "quotes and specials":
					c.command = `echo '~' "\$HOME;" \#\{\} '%end'`
				}
			}
			res := run(t, p, c.command)
			if !res.Executed || res.Outcome != backends.ExitedWith(c.code) && c.name != "quick substitution" {
				t.Errorf("%s: %v, executed %v, want status %d; %q", c.name, res.Outcome, res.Executed, c.code, res.Text)
			}
			if c.raw != "*" && string(res.Raw) != c.raw {
				t.Errorf("%s: raw output %q, want %q", c.name, res.Raw, c.raw)
			}
			if c.text != "*" && res.Text != c.text {
				t.Errorf("%s: text %q, want %q", c.name, res.Text, c.text)
			}
			if res.Total != int64(len(res.Raw)) || res.Truncated || res.Incomplete {
				t.Errorf("%s: total %d of %d, truncated %v, incomplete %v", c.name, res.Total, len(res.Raw), res.Truncated, res.Incomplete)
			}
		}
	})
}

// One shell at a time, and beside nothing else: where a reader falls five
// seconds behind, tmux drops output, and rightly says so. A quarter of a megabyte comes
// from each shell in TestTheMatrix, from busybox's line by line; here it is one program's.
func TestManyMegabytesArriveExactly(t *testing.T) {
	from := []string{"bash"}
	if inFull() {
		from = tried()
	}
	for _, shell := range from {
		for _, where := range []string{"", withoutTmux} {
			t.Run(shell+where, func(t *testing.T) {
				manyMegabytes(t, shell)
			})
		}
	}
}

func manyMegabytes(t *testing.T, shell string) {
	p := shared(t, shell)
	sum, want := sha256.New(), sha256.New()
	last := 160_000 // 1.2 MB, for which the race detector needs a second
	if inFull() {
		last = 12_000_000 // 113 MB
	}
	for i := 1; i <= last; i++ {
		_, _ = fmt.Fprintf(want, "%d\r\n", i) // a hash takes everything
	}
	r := start(t, p, pane.Request{Command: fmt.Sprint("seq 1 ", last), Keep: 10, Sink: sum})
	select {
	case <-r.Done():
	case <-time.After(10 * patience): // some shells' own seq writes line by line
		t.Fatalf("%d bytes so far", r.Result().Total)
	}
	res := r.Result()
	if !res.Outcome.OK() || res.Incomplete || !res.Truncated || string(res.Raw) != "1\r\n2\r\n3\r\n4" {
		t.Errorf("result %+v", res)
	}
	if !bytes.Equal(sum.Sum(nil), want.Sum(nil)) {
		t.Errorf("%d bytes with another checksum", res.Total)
	}
}

func TestARefusedLineIsNotExecuted(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		for _, command := range []string{"echo )", "echo 'open", "cat <<EOF", "if true", "( echo a"} {
			res := run(t, p, command)
			wrong := command == "echo )" && slices.Contains(plainShells, shell) // which say the same of a command that fails
			if res.Executed != wrong || res.Outcome.OK() {
				t.Errorf("%q: %+v", command, res)
			}
			if got := run(t, p, "echo next"); got.Text != "next\n" {
				t.Errorf("after %q: %+v", command, got)
			}
		}
		if res := run(t, p, "echo )"); !strings.Contains(res.Text, "yntax error") && !strings.Contains(res.Text, "parse error") &&
			!strings.Contains(res.Text, "Unexpected ')'") {
			t.Errorf("what the shell said of a syntax error: %q", res.Text)
		}
	})
}

// Lines before the one that is refused run, except in a shell that reads them
// all first.
func TestAnIncompleteCommandOfSeveralLinesEnds(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		res := run(t, p, "echo a\necho 'open\nmore")
		ran := shell != "zsh" && shell != "fish"
		began := ran && shell != "ksh" // which says that its eval has failed
		if res.Executed != ran || res.Outcome.OK() || strings.HasPrefix(res.Text, "a\n") != began {
			t.Errorf("result %+v", res)
		}
		if got := run(t, p, "echo next"); got.Text != "next\n" {
			t.Errorf("after it: %+v", got)
		}
	})
}

// stoppedIn is the status that a shell gives a job which Ctrl-Z stops.
func stoppedIn(shell string) int {
	if shell == "ksh" || shell == "mksh" {
		return 0
	}
	return 148
}

// inFront waits until a program is in the foreground of the pane's terminal, where the
// kernel tells. A shell may tell the terminal late which one is, and keys do not reach it
// before that.
func inFront(t testing.TB, p *pane.Pane, program string) {
	t.Helper()
	if _, err := os.Stat("/proc/self/comm"); err != nil {
		return
	}
	eventually(t, p, program+" in front", func() bool {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p.Foreground(t.Context()))) // it may have ended
		return strings.TrimSpace(string(name)) == program
	})
}

func TestCtrlCAndCtrlZ(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		r := start(t, p, pane.Request{Command: "sh -c 'echo up; exec sleep 100'"})
		eventually(t, p, "the command", func() bool { return strings.Contains(r.Result().Text, "up") })
		if p.Busy() != r || p.AtPrompt() {
			t.Errorf("busy %v, at prompt %v", p.Busy(), p.AtPrompt())
		}
		if err := p.Interrupt(t.Context()); err != nil {
			t.Fatal(err)
		}
		if res := finish(t, p, r); res.Outcome != backends.ExitedWith(130) {
			t.Errorf("after Ctrl-C: %+v", res)
		}
		r = start(t, p, pane.Request{Command: "sh -c 'echo up; exec sleep 100'"})
		eventually(t, p, "the command", func() bool { return strings.Contains(r.Result().Text, "up") })
		inFront(t, p, "sleep")
		if err := p.Keys(t.Context(), []string{"C-z"}); err != nil {
			t.Fatal(err)
		}
		res, status := finish(t, p, r), stoppedIn(shell)
		if res.Outcome != backends.ExitedWith(status) || (status != 0) != strings.Contains(strings.Join(res.Notices, ""), "stopped") {
			t.Errorf("after Ctrl-Z: %+v", res)
		}
		run(t, p, in(shell, "kill %1", "kill -KILL (jobs -p)"))
	})
}

// stopAgain presses Ctrl-Z until the run of a ksh93 (93u+m 1.0.4) has ended. Where a program
// is stopped before ksh, which has just started it, waits for it, ksh itself sends it SIGCONT
// (1 to 8 ms later, as the kernel's events of signals show), also on a terminal without nod.
func stopAgain(t *testing.T, p *pane.Pane, r *pane.Run) {
	t.Helper()
	pressKeyAgain(t, p, "C-z", "a stop", func() bool {
		select {
		case <-r.Done():
			return true
		default:
			return false
		}
	})
}

func TestAJobThatIsBroughtBackCanBeStoppedAgain(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		for _, command := range []string{"sh -c 'while read x; do echo back; done'", "fg"} {
			r := start(t, p, pane.Request{Command: command})
			eventually(t, p, "the job", func() bool {
				must(t, p.Type(t.Context(), []byte("\n"))) // the shell may lose what comes too early
				return strings.Contains(r.Result().Text, "back\n")
			})
			must(t, p.Keys(t.Context(), []string{"C-z"}))
			if shell == "ksh" {
				stopAgain(t, p, r)
			}
			if res := finish(t, p, r); res.Outcome != backends.ExitedWith(stoppedIn(shell)) {
				t.Errorf("%s: %+v", command, res)
			}
		}
		if res := run(t, p, "true"); !res.Outcome.OK() {
			t.Errorf("after it: %+v", res)
		}
		run(t, p, in(shell, "kill -KILL %1", "kill -KILL (jobs -p)"))
	})
}

func TestAnEndedShellGivesItsStatusAndIsReplaced(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]backends.Outcome{
		"set -e; false": backends.ExitedWith(1),
		"exit 7":        backends.ExitedWith(7),
		"kill -9 $$":    backends.EndedBy(backends.KILL),
	} {
		eachShell(t, func(t *testing.T, shell string) {
			if shell == "fish" && strings.HasPrefix(command, "set -e") {
				return // fish has no such setting
			}
			p := shared(t, shell)
			res := run(t, p, in(shell, "x=1; "+command, "set x 1; "+strings.ReplaceAll(command, "$$", "$fish_pid")))
			if res.Outcome != want || !res.Executed || len(res.Notices) == 0 {
				t.Errorf("%q: %+v", command, res)
			}
			res = run(t, p, "echo \"x=$x\"")
			if res.Text != "x=\n" || len(res.Notices) != 1 || !strings.Contains(res.Notices[0], "fresh") {
				t.Errorf("after %q: %+v", command, res)
			}
		})
	}
}

func TestExecIsNoticedAndTheNewShellIsTracked(t *testing.T) {
	t.Parallel()
	eachShell(t, func(t *testing.T, shell string) {
		p := shared(t, shell)
		res := run(t, p, "exec "+strings.Join(shells[shell], " "))
		if res.Outcome.State != backends.Unknown || len(res.Notices) == 0 || !strings.Contains(res.Notices[0], "exec") {
			t.Errorf("exec: %+v", res)
		}
		res = run(t, p, "echo new; false")
		if res.Text != "new\n" || res.Outcome != backends.ExitedWith(1) || len(res.Notices) == 0 {
			t.Errorf("after exec: %+v", res)
		}
	})
}

func TestOneRunAtATime(t *testing.T) {
	t.Parallel()
	everywhere(t, testOneRunAtATime)
}

func testOneRunAtATime(t *testing.T) {
	p := shared(t, "dash")
	r := start(t, p, pane.Request{Command: "read x; echo got $x"})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var busy *pane.BusyError
	if _, err := p.Run(ctx, pane.Request{Command: "echo second"}); !errors.As(err, &busy) || !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "deadline") {
		t.Errorf("error %v", err)
	}
	if err := p.Type(t.Context(), []byte("it\n")); err != nil {
		t.Fatal(err)
	}
	if res := finish(t, p, r); res.Text != "it\ngot it\n" {
		t.Errorf("result %+v", res)
	}
}
