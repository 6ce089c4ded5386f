package docker_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/docker/enginetest"
)

func TestSplitStreamsAndExitCodes(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		for _, image := range []string{enginetest.Busybox, enginetest.Debian} {
			target := open(t, e, image)
			for range 10 {
				stdout, stderr, o := run(t, target, sh("echo out; echo err >&2; exit 7")...)
				if stdout != "out\n" || stderr != "err\n" || o != backends.ExitedWith(7) {
					t.Errorf("%s: %q, %q, %s", image, stdout, stderr, o)
				}
			}
			out, _, _ := run(t, target, sh("seq 1 200000")...)
			want, err := exec.Command("seq", "1", "200000").Output()
			if err != nil {
				t.Fatal(err)
			}
			if sha256.Sum256([]byte(out)) != sha256.Sum256(want) {
				t.Errorf("%s: %d of %d bytes", image, len(out), len(want))
			}
		}
	})
}

// An exit code and a signal are one number for the engine.
func TestSignalsAreToldFromExitCodes(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		target := open(t, e, enginetest.Debian)
		for script, want := range map[string]backends.Outcome{
			"exit 130":       backends.ExitedWith(130),
			"kill -INT $$":   backends.EndedBy(backends.INT),
			"exit 141":       backends.ExitedWith(141),
			"kill -PIPE $$":  backends.EndedBy("PIPE"),
			"kill -ABRT $$":  backends.EndedBy("ABRT"),
			"exit 255":       backends.ExitedWith(255),
			"kill -SEGV $$":  backends.EndedBy("SEGV"),
			"sh -c 'exit 9'": backends.ExitedWith(9),
		} {
			if _, _, o := run(t, target, sh(script)...); o != want {
				t.Errorf("%s: %s, want %s", script, o, want)
			}
		}
	})
}

// Where a container has nothing to tell them apart by, a number that may be either
// is no outcome, and the error says so.
func TestWhereSignalsCannotBeToldTheOutcomeIsUnknown(t *testing.T) {
	t.Parallel()
	container := enginetest.Docker(t).Container(t, enginetest.Debian)
	enginetest.Docker(t).Do(t, "exec", container, "sh", "-c", "rm -f /usr/bin/awk /etc/alternatives/awk /usr/bin/mawk /usr/bin/time")
	target := openNamed(t, enginetest.Docker(t), container, docker.Options{})
	facts, err := target.Facts(limited(t))
	if err != nil || len(facts.Limits) != 1 || !strings.Contains(facts.Limits[0], "awk") {
		t.Errorf("%+v, %v", facts, err)
	}
	for script, want := range map[string]backends.Outcome{
		"exit 3": backends.ExitedWith(3), "exit 255": backends.ExitedWith(255), "exit 137": {}, "kill -KILL $$": {},
	} {
		p, err := target.Exec(limited(t), backends.Command{Argv: sh(script)})
		if err != nil {
			t.Fatal(err)
		}
		if o, err := p.Wait(); o != want || (err == nil) != (want.State != backends.Unknown) {
			t.Errorf("%s: %s, %v", script, o, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	p, err := target.Exec(ctx, backends.Command{Argv: sh("sleep 4714 & sleep 4714; :")})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := p.Wait(); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if n := processes(t, target, "sleep 4714"); n != 0 {
		t.Errorf("%d are left", n)
	}
}

func TestWhatIsTypedIsNeverTakenForTheEnginesKeys(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		target := open(t, e, enginetest.Debian)
		var out buffer
		tty, err := target.Terminal(limited(t), backends.Command{
			Argv:   sh("stty raw -echo; echo ready; dd bs=1 count=6 2>/dev/null | od -An -tx1; echo end"),
			Stdout: &out,
		}, backends.Size{Cols: 80, Rows: 24})
		if err != nil {
			t.Fatal(err)
		}
		out.await(t, "ready")
		for _, key := range []string{"\x10", "\x11", "\x10\x11", "xy"} { // ^P, ^Q
			if _, err := tty.Write([]byte(key)); err != nil {
				t.Fatal(err)
			}
		}
		out.await(t, "end")
		if o, err := tty.Wait(); err != nil || !o.OK() {
			t.Errorf("%s, %v", o, err)
		}
		if !strings.Contains(out.String(), "10 11 10 11 78 79") {
			t.Errorf("%q", out.String())
		}
	})
}

// processes counts the programs in a container whose command line holds a word.
func processes(t testing.TB, target *docker.Target, word string) int {
	t.Helper()
	out, _, _ := run(t, target, "sh", "-c", `for f in /proc/[0-9]*/cmdline; do tr '\0' ' ' <$f 2>/dev/null && echo; done`)
	n := 0
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, word) {
			n++
		}
	}
	return n
}

func TestNothingIsLeftAfterACancel(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		target := open(t, e, enginetest.Debian)
		ctx, cancel := context.WithCancel(t.Context())
		var all []backends.Process
		for range 3 {
			p, err := target.Exec(ctx, backends.Command{Argv: sh("sleep 4711 & sleep 4711; :")})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
		tty, err := target.Terminal(ctx, backends.Command{Argv: []string{"sleep", "4711"}}, backends.Size{Cols: 80, Rows: 24})
		if err != nil {
			t.Fatal(err)
		}
		until(t, "all of them", func() bool { return processes(t, target, "sleep 4711") == 7 })
		cancel()
		for _, p := range append(all, tty) {
			if _, err := p.Wait(); !errors.Is(err, context.Canceled) {
				t.Errorf("wait: %v", err)
			}
		}
		if n := processes(t, target, "sleep 4711"); n != 0 {
			t.Errorf("%d are left", n)
		}
	})
}

// victim is nod that is killed without a chance to tidy up.
func TestNothingIsLeftAfterNodIsKilled(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		name := e.Container(t, enginetest.Busybox)
		target := openNamed(t, e, name, docker.Options{})
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "NOD_TEST_VICTIM="+name, "NOD_TEST_SOCKET="+e.Socket)
		var said buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		until(t, "its programs", func() bool {
			return strings.Contains(said.String(), "fatal") || processes(t, target, "sleep 4712") == 3
		})
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // killed
		until(t, "the end of its programs", func() bool { return processes(t, target, "sleep 4712") == 0 })
		until(t, "the end of its shells", func() bool { return processes(t, target, "sh -c") <= 3 }) // ours, and the looks
		if strings.Contains(said.String(), "fatal") {
			t.Error(said.String())
		}
	})
}

func TestAMissingProgramIsNotStarted(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		for _, image := range []string{enginetest.Busybox, enginetest.Bare} {
			target := open(t, e, image)
			_, err := target.Exec(limited(t), backends.Command{Argv: []string{"no-such-program", "x"}})
			if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), `"no-such-program"`) {
				t.Errorf("%s: %v", image, err)
			}
			if _, err := target.Terminal(limited(t), backends.Command{Argv: []string{"no-such-program"}}, backends.Size{Cols: 80, Rows: 24}); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s, on a terminal: %v", image, err)
			}
		}
	})
}

func TestAContainerWithoutAShell(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		target := open(t, e, enginetest.Bare)
		facts, err := target.Facts(limited(t))
		if err != nil || len(facts.Limits) != 2 {
			t.Errorf("%+v, %v", facts, err)
		}
		stdout, stderr, o := run(t, target, "cat", "/etc/motd", "/none")
		if stdout != "hello\n" || !strings.Contains(stderr, "/none") || o != backends.ExitedWith(1) {
			t.Errorf("%q, %q, %s", stdout, stderr, o)
		}
		out, _, _ := run(t, target, "echo", "a b", "*", "", "$x")
		if out != "a b *  $x\n" {
			t.Errorf("%q", out)
		}
		var got buffer
		p, err := target.Exec(limited(t), backends.Command{Argv: []string{"env"}, Env: []string{"NOD_A=1 2"}, Stdin: strings.NewReader("x"), Stdout: &got})
		if err != nil {
			t.Fatal(err)
		}
		if o, err := p.Wait(); err != nil || !o.OK() || !strings.Contains(got.String(), "NOD_A=1 2\n") {
			t.Errorf("%s, %v, %q", o, err, got.String())
		}
		ctx, cancel := context.WithCancel(t.Context())
		p, err = target.Exec(ctx, backends.Command{Argv: []string{"sleep", "3"}})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := p.Wait(); !errors.Is(err, docker.ErrNoShell) || !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		if _, err := target.Exec(limited(t), backends.Command{Argv: []string{"echo", "\xff"}}); err == nil {
			t.Error("bytes were sent that would have arrived as others")
		}
	})
}

// Small commands over the channel: exact bytes, both outputs, the code.
func TestAsk(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		target := open(t, e, enginetest.Debian)
		for range 20 {
			a, err := target.Ask(limited(t), "sh", "-c", `printf 'a\000b\n\n%s' "$0"; printf err >&2; exit 3`, "x'\ny")
			if err != nil || string(a.Stdout) != "a\x00b\n\nx'\ny" || string(a.Stderr) != "err" || a.Code != 3 {
				t.Fatalf("%q, %q, %d, %v", a.Stdout, a.Stderr, a.Code, err)
			}
		}
		a, err := target.Ask(limited(t), "head", "-c", "3000000", "/dev/zero")
		if err != nil || len(a.Stdout) != 3_000_000 {
			t.Errorf("%d bytes, %v", len(a.Stdout), err)
		}
		sum := sha256.Sum256(a.Stdout)
		if hex.EncodeToString(sum[:]) != hex.EncodeToString(func() []byte { s := sha256.Sum256(make([]byte, 3_000_000)); return s[:] }()) {
			t.Error("other bytes")
		}
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		if _, err := target.Ask(ctx, "sleep", "1000"); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		if a, err := target.Ask(limited(t), "echo", "again"); err != nil || string(a.Stdout) != "again\n" {
			t.Errorf("afterwards: %q, %v", a.Stdout, err)
		}
	})
}

// What the runtime says about a program that it cannot start is no output of that
// program.
func TestTheRuntimesWordsAreNoOutput(t *testing.T) {
	t.Parallel()
	e := enginetest.Docker(t)
	container := e.Container(t, enginetest.Debian)
	target := openNamed(t, e, container, docker.Options{})
	e.Do(t, "exec", container, "sh", "-c", "mv /usr/bin/mawk /usr/bin/mawk.away")
	var out buffer
	p, err := target.Exec(limited(t), backends.Command{Argv: []string{"true"}, Stdout: &out, Stderr: &out})
	if err == nil || p != nil || !strings.Contains(err.Error(), "not started") {
		t.Errorf("%v, %v", p, err)
	}
	if out.String() != "" {
		t.Errorf("output %q", out.String())
	}
}
