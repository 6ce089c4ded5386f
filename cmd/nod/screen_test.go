package main

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/ui/decision"
)

// patience bounds each wait for something to appear; it is long because a
// busy machine is slow, and costs nothing where the thing appears.
const patience = time.Minute

// display is a real terminal (a pane of a private tmux server) in which a
// program runs, driven by keys and read as a user would.
type display struct {
	t      testing.TB
	socket string
	last   string    // key pressed, unless text was typed since
	at     time.Time // when a key was pressed or text typed
	asked  bool      // a dialog was on the screen when it was last looked at

	control *control
}

// openDisplay runs argv in a terminal of the given size. Its environment is env
// and nothing else but PATH and TERM.
func openDisplay(t testing.TB, cols, rows int, env []string, argv ...string) *display {
	t.Helper()
	needs(t, "tmux")
	s := &display{t: t, socket: filepath.Join(t.TempDir(), "s")}
	if len(s.socket) > 100 { // the limit of a socket's path is 108 bytes
		dir, err := os.MkdirTemp("", "nod")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		s.socket = filepath.Join(dir, "s")
	}
	args := []string{"new-session", "-d", "-x", strconv.Itoa(cols), "-y", strconv.Itoa(rows), "env", "-i",
		"PATH=" + os.Getenv("PATH"), "TERM=screen-256color", "LC_ALL=C.UTF-8"}
	// A shell stays behind the program and shows its exit status: tmux 3.3a now
	// and then leaves a program that has ended unreaped.
	args = append(args, env...)
	args = append(args, "sh", "-c", `"$@"; echo "[ended $?]"; exec cat`, "sh")
	s.tmux(append(args, argv...)...)
	t.Cleanup(func() {
		if out, err := s.command("kill-server").CombinedOutput(); err != nil && !strings.Contains(string(out), "no server") &&
			!strings.Contains(string(out), "No such file") {
			t.Errorf("kill-server: %v: %s", err, out)
		}
		if s.control != nil {
			s.control.end()
		}
	})
	s.control = s.connect()
	s.tmux("set-option", "-s", "escape-time", "0")
	return s
}

func (s *display) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-u", "-S", s.socket, "-f", "/dev/null"}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	return cmd
}

func (s *display) tmux(args ...string) string {
	s.t.Helper()
	if s.control != nil {
		out, err := s.control.run(args...)
		if err != nil {
			s.t.Fatalf("tmux %s: %v", strings.Join(args, " "), err)
		}
		return out
	}
	out, err := s.command(args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// typed types text as it is, all at once.
func (s *display) typed(text string) {
	s.t.Helper()
	s.tmux("send-keys", "-l", "--", text)
	s.last, s.at = "", time.Now()
}

// press presses keys by their tmux names, one after the other as a hand does: what
// comes together decides nothing.
func (s *display) press(keys ...string) {
	s.t.Helper()
	for _, key := range keys {
		apart := 2 * decision.Ends
		if s.asked {
			apart = decision.Rest + decision.Ends
		}
		time.Sleep(apart - time.Since(s.at))
		s.sends(key)
		s.last, s.at = key, time.Now()
	}
}

// sends sends what a terminal sends for a key. tmux (3.3a) knows no S-Enter and would
// type the name.
func (s *display) sends(key string) {
	s.t.Helper()
	if key == "S-Enter" {
		s.tmux("send-keys", "-H", "1b", "5b", "31", "33", "3b", "32", "75")
		return
	}
	s.tmux("send-keys", "--", key)
}

// insist presses the last key again where it has come together with others, as it
// may on a loaded machine.
func (s *display) insist(text string) {
	if s.last != "" && time.Since(s.at) > time.Second && (strings.Contains(text, decision.NoAnswer) || strings.Contains(text, "no answer ·")) {
		s.press(s.last)
	}
}

// text is what the terminal shows.
func (s *display) text() string { s.t.Helper(); return s.tmux("capture-pane", "-p") }

// see waits until all of wanted are on the screen at once, and returns it.
//
// A text that is broken into lines is seen, too: where a line ends depends on the words
// around it.
func (s *display) see(wanted ...string) string {
	s.t.Helper()
	return s.until("see "+strings.Join(wanted, " and "), func(text string) bool {
		joined := joinedLines(text)
		for _, w := range wanted {
			if !strings.Contains(text, w) && !strings.Contains(joined, w) {
				return false
			}
		}
		return true
	})
}

// joinedLines is a screen with the lines of each frame joined by a blank, frame for
// frame from left to right.
func joinedLines(screen string) string {
	var frames [][]string
	for _, line := range strings.Split(screen, "\n") {
		for i, part := range strings.Split(line, "│") {
			if i == len(frames) {
				frames = append(frames, nil)
			}
			frames[i] = append(frames[i], strings.Fields(part)...)
		}
	}
	var all []string
	for _, words := range frames {
		all = append(all, strings.Join(words, " "))
	}
	return strings.Join(all, "\n")
}

// seeNo waits until unwanted is not on the screen.
func (s *display) seeNo(unwanted string) string {
	s.t.Helper()
	return s.until("see no "+unwanted, func(text string) bool { return !strings.Contains(text, unwanted) })
}

func (s *display) until(what string, holds func(text string) bool) string {
	s.t.Helper()
	var text string
	if !soonOrLate(func() bool {
		text = s.text()
		s.asked = isAsked(text)
		if holds(text) {
			return true
		}
		s.insist(text)
		return false
	}) {
		s.t.Fatalf("did not %s; the screen is:\n%s", what, text)
	}
	return text
}

// isAsked reports whether a dialog is on the screen, whose keys must stand alone.
func isAsked(text string) bool {
	for _, sign := range []string{"APPROVE", "y yes", "a digit chooses", "keys count in a moment"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// pid is the program that the terminal was opened for.
func (s *display) pid() int {
	s.t.Helper()
	return childOf(s.t, s.tmux("display-message", "-p", "#{pane_pid}"))
}

// childOf is the only process that another one has started.
func childOf(t testing.TB, parent string) int {
	t.Helper()
	children, err := os.ReadFile("/proc/" + parent + "/task/" + parent + "/children")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(children)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

var endedWith = regexp.MustCompile(`\[ended (\d+)\]`)

// ended waits until the program has ended and returns its exit status.
func (s *display) ended() string {
	s.t.Helper()
	text := s.until("see it end", endedWith.MatchString)
	return endedWith.FindStringSubmatch(text)[1]
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	if !soonOrLate(holds) {
		t.Fatalf("waited in vain: %s", what)
	}
}

// soonOrLate waits until a condition holds, or reports that it does not.
func soonOrLate(holds func() bool) bool {
	return backendtest.Soon(patience, holds)
}

// thorough reports whether the long tests are wanted: all sizes, full counts, and
// limits of time that only hold on a machine which does nothing else.
func thorough() bool { return os.Getenv("NOD_E2E") == "1" }

// needs skips a test whose real component is missing, or fails it where none
// may be missing.
func needs(t testing.TB, program string) {
	t.Helper()
	_, err := exec.LookPath(program)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1":
		t.Fatalf("%s is missing: run make deps", program)
	case errors.Is(err, exec.ErrNotFound):
		t.Skipf("%s is missing: run make deps", program)
	default:
		t.Fatal(err)
	}
}

// world is a user's surroundings: home, state and a tmux socket of nod's own.
type world struct {
	t      testing.TB
	home   string
	socket string
	nod    string
	extra  []string
}

// newWorld makes an empty home and a "nod" command in it that is this test
// binary. nod's own tmux server, if it starts one, ends with the test.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, home: backendtest.Home(t), socket: "nod-test-" + strings.ToLower(rand.Text()[:12])}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.nod = filepath.Join(w.home, "bin", "nod")
	w.write("bin/nod", "#!/bin/sh\nexport NOD_TEST_MAIN=1 '"+detector()+"'\nexec "+self+" \"$@\"\n", 0o700)
	w.write(".config/nod/config.toml", "[tmux]\nsocket = \""+w.socket+"\"\n", 0o600)
	w.write(".bashrc", "PS1='ready$ '\nHISTFILE=/dev/null\n", 0o600)
	t.Cleanup(func() {
		var out []byte
		gone := func() (gone bool) { // a server ends a moment after its last session
			var err error
			out, err = exec.Command("tmux", "-L", w.socket, "list-sessions").CombinedOutput()
			return err != nil
		}
		if !gone() && (t.Failed() || !soonOrLate(gone)) {
			t.Errorf("sessions left behind: %s", out)
			_ = exec.Command("tmux", "-L", w.socket, "kill-server").Run()
		}
		forgetSocket(w.socket)
	})
	return w
}

// forgetSocket removes what a tmux server leaves behind when it has ended.
func forgetSocket(name string) {
	dir := cmp.Or(os.Getenv("TMUX_TMPDIR"), "/tmp") // see tmux(1), -L
	_ = os.Remove(filepath.Join(dir, fmt.Sprintf("tmux-%d", os.Getuid()), name))
}

func (w *world) write(name, text string, mode os.FileMode) string {
	w.t.Helper()
	path := filepath.Join(w.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if mode&0o100 != 0 {
		backendtest.WriteProgram(w.t, path, text)
	} else if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// noCopy keeps the heads of tests' records out of this machine's log.
const noCopy = "NOD_RECORD_COPY=none"

func (w *world) env() []string {
	return append([]string{"HOME=" + w.home, "SHELL=/bin/bash", "LANG=C.UTF-8", noCopy}, w.extra...)
}

// getenv is the world's environment for what runs in the tests' own process.
func (w *world) getenv(name string) string {
	value := ""
	for _, pair := range w.env() {
		if rest, ok := strings.CutPrefix(pair, name+"="); ok {
			value = rest // the last one counts
		}
	}
	return value
}

// console opens nod in a real terminal.
func (w *world) console(cols, rows int, args ...string) *display {
	w.t.Helper()
	return openDisplay(w.t, cols, rows, w.env(), append([]string{w.nod}, args...)...)
}

// do runs nod without a terminal and returns what it printed and its status.
func (w *world) do(args ...string) (stdout, stderr string, status int) {
	w.t.Helper()
	var out, errs strings.Builder
	cmd := exec.Command(w.nod, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TERM=dumb"}, w.env()...)
	cmd.Dir = w.home
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("nod %s: %v", strings.Join(args, " "), err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
