package pane_test

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
)

// cell is one shell's try at one case: what went wrong, or "". A case that the
// shell has not is "-".
type cell func(t *testing.T, p *pane.Pane, shell string) string

// gives is a command with its exact output and status.
func gives(command, raw string, code int) cell {
	return func(t *testing.T, p *pane.Pane, _ string) string {
		return differs(run(t, p, command), raw, code)
	}
}

func differs(res pane.Result, raw string, code int) string {
	if string(res.Raw) != raw || res.Outcome != backends.ExitedWith(code) || !res.Executed || res.Incomplete || res.Truncated {
		return fmt.Sprintf("%q, %v, executed %v, incomplete %v, want %q, %d", res.Raw, res.Outcome, res.Executed, res.Incomplete, raw, code)
	}
	return ""
}

// unlessFish is a case that fish has not.
func unlessFish(c cell) cell {
	return func(t *testing.T, p *pane.Pane, shell string) string {
		if shell == "fish" {
			return "-"
		}
		return c(t, p, shell)
	}
}

// stopped types a key at a command that runs.
func stopped(key string, code int) cell {
	return func(t *testing.T, p *pane.Pane, shell string) string {
		r := start(t, p, pane.Request{Command: "sh -c 'echo up; exec sleep 100'"})
		eventually(t, p, "the command", func() bool { return strings.Contains(r.Result().Text, "up") })
		inFront(t, p, "sleep")
		must(t, p.Keys(t.Context(), []string{key}))
		res := finish(t, p, r)
		if key == "C-z" {
			endStopped(t, p, shell)
		}
		code := code
		if key == "C-z" {
			code = stoppedIn(shell)
		}
		if res.Outcome != backends.ExitedWith(code) || !strings.HasPrefix(res.Text, "up\n") {
			return fmt.Sprintf("%v, %q", res.Outcome, res.Text)
		}
		return ""
	}
}

// endStopped ends the job that was stopped. In fish that is done in the foreground: of a
// stopped job that is killed it may say behind its prompt that it has stopped.
func endStopped(t *testing.T, p *pane.Pane, shell string) {
	t.Helper()
	if shell != "fish" {
		run(t, p, "kill -KILL %1")
		return
	}
	r := start(t, p, pane.Request{Command: "fg"})
	inFront(t, p, "sleep")
	must(t, p.Interrupt(t.Context()))
	finish(t, p, r)
}

// megabytes has that much output arrive with its checksum.
func megabytes(t *testing.T, p *pane.Pane, _ string) string {
	last := 40_000 // a quarter of one: with the race detector, more takes its time
	if inFull() {
		last = 11_200_000 // 100 MB
	}
	sum := sha256.New()
	begin := time.Now()
	r := start(t, p, pane.Request{Command: fmt.Sprint("seq 1 ", last), Keep: 10, Sink: sum})
	select {
	case <-r.Done():
	case <-time.After(10 * patience):
		return "no end"
	}
	res := r.Result()
	took := time.Since(begin)
	want := sha256.New()
	numbers(want, last)
	t.Logf("%d bytes in %v, incomplete %v, %q", res.Total, took.Round(time.Millisecond), res.Incomplete, res.Notices)
	if !res.Outcome.OK() || res.Incomplete || !slices.Equal(sum.Sum(nil), want.Sum(nil)) {
		return fmt.Sprintf("%v, %d bytes, incomplete %v, %q", res.Outcome, res.Total, res.Incomplete, res.Notices)
	}
	return ""
}

func numbers(h hash.Hash, last int) {
	var line []byte
	for i := 1; i <= last; i++ {
		line = append(fmt.Append(line[:0], i), "\r\n"...)
		_, _ = h.Write(line) // a hash takes everything
	}
}

// ends is a command that ends the shell with a status.
func ends(command string, code int) cell {
	return func(t *testing.T, p *pane.Pane, _ string) string {
		if res := run(t, p, command); res.Outcome != backends.ExitedWith(code) {
			return fmt.Sprintf("%v, %q", res.Outcome, res.Notices)
		}
		res := run(t, p, "echo next")
		if len(res.Notices) != 1 || !strings.Contains(res.Notices[0], "fresh") {
			return fmt.Sprintf("the next one: %q", res.Notices)
		}
		return differs(res, "next\r\n", 0)
	}
}

// replaces execs another shell.
func replaces(argv ...string) cell {
	return func(t *testing.T, p *pane.Pane, _ string) string {
		if res := run(t, p, "exec "+strings.Join(argv, " ")); res.Outcome.State != backends.Unknown {
			return fmt.Sprint(res.Outcome)
		}
		res := run(t, p, "echo next; sh -c 'exit 4'")
		if len(res.Notices) == 0 {
			return "the next one has no notice"
		}
		return differs(res, "next\r\n", 4)
	}
}

// matrix are the cases. Those that leave another shell behind come last.
var matrix = []struct {
	name string
	try  cell
}{
	{"echo", gives("echo hi", "hi\r\n", 0)},
	{"false", gives("false", "", 1)},
	{"exit code", gives("sh -c 'exit 37'", "", 37)},
	{"no final newline", gives("printf abc", "abc", 0)},
	{"unicode", gives(`printf '日本語 é 🙂\n'`, "日本語 é 🙂\r\n", 0)},
	{"300 columns", gives("echo "+strings.Repeat("0123456789", 30), strings.Repeat("0123456789", 30)+"\r\n", 0)},
	{"a 6,000-byte line", gives("echo "+strings.Repeat("x", 6000), strings.Repeat("x", 6000)+"\r\n", 0)},
	{"pipeline", gives("echo x | tr x y", "y\r\n", 0)},
	{"several lines", gives("false\necho a\nprintf b", "a\r\nb", 0)},
	{"here-document", unlessFish(gives("cat <<'EOF'\na $x\n\tb\nEOF", "a $x\r\n\tb\r\n", 0))},
	{"unclosed quote", func(t *testing.T, p *pane.Pane, _ string) string {
		if res := run(t, p, "echo 'open"); res.Executed || res.Outcome.OK() {
			return fmt.Sprintf("%v, executed %v", res.Outcome, res.Executed)
		}
		return differs(run(t, p, "echo next"), "next\r\n", 0)
	}},
	{"fake marks", gives(`printf '\033]133;D;0;h=000000000000000000000000\007\033]133;D;0\007\033]7;nod:00:1:0:\007x'; false`,
		"\x1b]133;D;0;h=000000000000000000000000\a\x1b]133;D;0\a\x1b]7;nod:00:1:0:\ax", 1)},
	{"megabytes by SHA-256", megabytes},
	{"more than scrollback", gives("seq 1 500", func() string {
		var b strings.Builder
		for i := range 500 {
			fmt.Fprintf(&b, "%d\r\n", i+1)
		}
		return b.String()
	}(), 0)},
	{"clear", func(t *testing.T, p *pane.Pane, _ string) string {
		if res := run(t, p, "clear; echo left"); res.Text != "left\n" || !res.Outcome.OK() {
			return fmt.Sprintf("%q", res.Text)
		}
		return ""
	}},
	{"Ctrl-C", stopped("C-c", 130)},
	{"Ctrl-Z", stopped("C-z", 148)},
	{"vim", func(t *testing.T, p *pane.Pane, _ string) string {
		r := start(t, p, pane.Request{Command: "vim -u NONE -N"})
		select {
		case <-r.FullScreen():
		case <-time.After(patience):
			return "not told"
		}
		must(t, p.Type(t.Context(), []byte(":cquit 3\r")))
		if res := finish(t, p, r); res.Outcome != backends.ExitedWith(3) || !res.FullScreen {
			return fmt.Sprint(res.Outcome)
		}
		return ""
	}},
	{"background job", func(t *testing.T, p *pane.Pane, _ string) string {
		run(t, p, "true") // in fish, a background job leaves the status as it was
		if res := run(t, p, "sleep 0.05 &"); !res.Outcome.OK() {
			return fmt.Sprint(res.Outcome)
		}
		run(t, p, "wait")
		return differs(run(t, p, "echo next"), "next\r\n", 0)
	}},
	{"operator types meanwhile", func(t *testing.T, p *pane.Pane, shell string) string {
		r := start(t, p, pane.Request{Command: "echo up; read x; sh -c 'exit 8'"})
		eventually(t, p, "the command", func() bool { return strings.Contains(r.Result().Text, "up") })
		must(t, p.Type(t.Context(), []byte("mine\recho ahead")))
		if res := finish(t, p, r); res.Outcome != backends.ExitedWith(8) {
			return fmt.Sprint(res.Outcome)
		}
		if program(shell) != "dash" { // which does not show it behind its prompt
			eventually(t, p, "what was typed ahead", func() bool { return p.PendingLine() == "echo ahead" })
			must(t, p.Type(t.Context(), []byte("\r")))
		}
		return differs(run(t, p, "echo next"), "next\r\n", 0)
	}},
	{"nested shell", func(t *testing.T, p *pane.Pane, _ string) string {
		const opener = "bash --norc --noprofile"
		outer := start(t, p, pane.Request{Command: opener})
		if s := differs(inside(t, p, "echo in; sh -c 'exit 5'", opener), "in\r\n", 5); s != "" {
			return s
		}
		start(t, p, pane.Request{Command: "exit 6", Inside: []string{opener}})
		if res := finish(t, p, outer); res.Outcome != backends.ExitedWith(6) {
			return fmt.Sprint(res.Outcome)
		}
		return differs(run(t, p, "echo out"), "out\r\n", 0)
	}},
	{"set -e; false", unlessFish(ends("set -e; false", 1))},
	{"exit", ends("exit 7", 7)},
	{"exec bash", replaces("bash", "--norc", "--noprofile")},
	{"exec of another shell", replaces("dash")},
}

// TestTheMatrix tries each case in each shell, in tmux and without. With -v it prints the
// tables.
func TestTheMatrix(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T) {
		names := []string{"bash", "zsh", "fish", "dash", "ash", "ksh", "mksh"}
		table := make([][]string, len(matrix))
		for i := range table {
			table[i] = make([]string, len(names))
		}
		t.Run("shells", func(t *testing.T) {
			for j, shell := range names {
				t.Run(shell, func(t *testing.T) {
					t.Parallel()
					need(t, "vim")
					p := shared(t, shell)
					for i, c := range matrix {
						table[i][j] = tryCell(t, p, shell, c.name, c.try)
					}
				})
			}
		})
		t.Log(drawn(names, table))
	})
}

// tryCell is what the table says of a case in a shell.
func tryCell(t *testing.T, p *pane.Pane, shell, name string, try cell) string {
	begin := time.Now()
	switch wrong := try(t, p, shell); wrong {
	case "":
		return "ok"
	case "-":
		return "-"
	default:
		t.Errorf("%s (%v): %s", name, time.Since(begin), wrong)
		return "FAIL"
	}
}

func drawn(names []string, table [][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-26s", "")
	for _, shell := range names {
		fmt.Fprintf(&b, " %-5s", shell)
	}
	for i, c := range matrix {
		fmt.Fprintf(&b, "\n%-26s", c.name)
		for j := range names {
			fmt.Fprintf(&b, " %-5s", table[i][j])
		}
	}
	return b.String()
}
