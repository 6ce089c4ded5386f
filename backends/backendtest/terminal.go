package backendtest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
)

func (s suite) terminalCases() []testCase {
	return []testCase{
		{"a terminal has its size, also after a resize", s.terminalSize},
		{"what is typed arrives, and Ctrl-C interrupts", s.terminalTyping},
		{"the last bytes of a terminal are not lost", s.terminalLastBytes},
		{"a terminal that ended takes no more keys", s.terminalEnded},
		{"a cancelled terminal ends with its jobs", s.terminalCancel},
		{"a terminal that makes no sense is not opened", s.terminalSenseless},
	}
}

// terminal starts a script on a terminal.
func (s suite) terminal(t *testing.T, ctx context.Context, out *lines, script string) backends.Terminal {
	t.Helper()
	tty, err := s.target.Terminal(ctx, backends.Command{
		Argv:   sh(script),
		Env:    []string{"TERM=xterm"},
		Stdout: out,
	}, backends.Size{Cols: 101, Rows: 23})
	if err != nil {
		t.Fatal(err)
	}
	return tty
}

func (s suite) terminalSize(t *testing.T) {
	var out lines
	tty := s.terminal(t, testContext(t), &out, `stty size; trap 'stty size; exit 5' WINCH; echo ready; while :; do sleep 0.05; done`)
	out.await(t, "23 101\r\nready\r\n")
	if err := tty.Resize(backends.Size{Cols: 200, Rows: 60}); err != nil {
		t.Fatal(err)
	}
	if o := finish(t, tty); o != backends.ExitedWith(5) {
		t.Errorf("outcome %s", o)
	}
	if got := out.String(); !strings.HasSuffix(got, "60 200\r\n") {
		t.Errorf("after the resize: %q", got)
	}
	for _, bad := range []backends.Size{{}, {Cols: 80}, {Cols: -1, Rows: 5}, {Cols: 70000, Rows: 5}} {
		if tty.Resize(bad) == nil {
			t.Errorf("resize to %s is no error", bad)
		}
	}
}

func (s suite) terminalTyping(t *testing.T) {
	var out lines
	tty := s.terminal(t, testContext(t), &out,
		`trap 'echo caught; exit 6' INT; [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && : >/dev/tty && echo ready
		 IFS= read -r line; echo "<$line>"; while :; do sleep 0.05; done`)
	out.await(t, "ready\r\n")
	if _, err := tty.Write([]byte("h\xc3\xa9llo wörld\r")); err != nil {
		t.Fatal(err)
	}
	out.await(t, "<héllo wörld>\r\n")
	if _, err := tty.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	if o := finish(t, tty); o != backends.ExitedWith(6) {
		t.Errorf("outcome %s", o)
	}
	out.await(t, "caught\r\n")
}

func (s suite) terminalLastBytes(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789abcdef"), 6000)
	for range 10 {
		var out lines
		tty := s.terminal(t, testContext(t), &out, `i=0; while [ $i -lt 6000 ]; do printf 0123456789abcdef; i=$((i+1)); done`)
		finish(t, tty)
		if got := out.String(); got != string(want) {
			t.Fatalf("%d of %d bytes", len(got), len(want))
		}
	}
}

func (s suite) terminalEnded(t *testing.T) {
	var out lines
	tty := s.terminal(t, testContext(t), &out, "exit 3")
	if o := finish(t, tty); o != backends.ExitedWith(3) {
		t.Errorf("outcome %s", o)
	}
	if _, err := tty.Write([]byte("x")); err == nil {
		t.Error("an ended terminal took a key")
	}
	if err := tty.Signal(backends.INT); err != nil {
		t.Errorf("signal to an ended program: %v", err)
	}
}

// terminalCancel ends a shell whose job has a process group of its own, and
// which does not care for TERM.
func (s suite) terminalCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(testContext(t))
	defer cancel(nil)
	var out lines
	tty := s.terminal(t, ctx, &out, `set -m; trap '' TERM; sleep 1000 & echo $!; echo $$; sleep 1000; :`)
	until(t, "process ids", func() bool { return strings.Count(out.String(), "\n") >= 2 })
	pids := out.numbers(t, 2)
	cancel(errTired)
	if o, err := tty.Wait(); o.OK() || !errors.Is(err, errTired) {
		t.Errorf("%s, %v", o, err)
	}
	s.allGone(t, pids)
}

func (s suite) terminalSenseless(t *testing.T) {
	good := backends.Size{Cols: 80, Rows: 24}
	for _, c := range []struct {
		cmd  backends.Command
		size backends.Size
	}{
		{backends.Command{Argv: []string{"true"}}, backends.Size{}},
		{backends.Command{Argv: []string{"true"}, Stdin: strings.NewReader("x")}, good},
		{backends.Command{Argv: []string{"true"}, Stderr: &bytes.Buffer{}}, good},
		{backends.Command{Argv: []string{"nod-no-such-program"}}, good},
		{backends.Command{}, good},
	} {
		if tty, err := s.target.Terminal(testContext(t), c.cmd, c.size); err == nil || tty != nil {
			t.Errorf("%+v on %s was started", c.cmd, c.size)
		}
	}
}
