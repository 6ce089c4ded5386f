package backendtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/nod-console/nod/backends"
)

func (s suite) execCases() []testCase {
	return []testCase{
		{"the two outputs stay apart", s.splitStreams},
		{"one writer for both outputs keeps their order", s.mergedStreams},
		{"outcomes are exit codes and signals", s.outcomes},
		{"wait gives every caller the same", s.waitTwice},
		{"arguments arrive byte for byte", s.exactArguments},
		{"a program that is missing is not started", s.missingProgram},
		{"a command that makes no sense is not started", s.senseless},
		{"the directory is the one asked for", s.directory},
		{"the environment holds what was added and nothing secret", s.environment},
		{"an absent input is empty", s.emptyInput},
		{"many megabytes go in and come out whole", s.bulk},
		{"a writer that fails ends the program's output", s.brokenWriter},
		{"a slow writer slows only its own program", s.slowWriter},
	}
}

func (s suite) splitStreams(t *testing.T) {
	var stdout, stderr bytes.Buffer
	p := start(t, s.target, backends.Command{
		Argv:   sh(`printf 'a\000b'; printf 'c\377' >&2; printf 'd'`),
		Stdout: &stdout, Stderr: &stderr,
	})
	if o := finish(t, p); !o.OK() {
		t.Errorf("outcome %s", o)
	}
	if stdout.String() != "a\x00bd" || stderr.String() != "c\xff" {
		t.Errorf("stdout %q, stderr %q", stdout.String(), stderr.String())
	}
}

func (s suite) mergedStreams(t *testing.T) {
	var both bytes.Buffer // not safe for concurrent use: one goroutine in all
	p := start(t, s.target, backends.Command{
		Argv:   sh(`for i in 1 2 3 4 5 6 7 8; do echo $i; echo -$i >&2; done`),
		Stdout: &both, Stderr: &both,
	})
	finish(t, p)
	want := "1\n-1\n2\n-2\n3\n-3\n4\n-4\n5\n-5\n6\n-6\n7\n-7\n8\n-8\n"
	if both.String() != want {
		t.Errorf("got %q, want %q", both.String(), want)
	}
}

func (s suite) outcomes(t *testing.T) {
	for script, want := range map[string]backends.Outcome{
		"exit 0":          backends.ExitedWith(0),
		"exit 1":          backends.ExitedWith(1),
		"exit 255":        backends.ExitedWith(255),
		"sh -c 'exit 7'":  backends.ExitedWith(7),
		"kill -TERM $$":   s.endedBy(backends.TERM),
		"kill -KILL $$":   s.endedBy(backends.KILL),
		"kill -HUP $$":    s.endedBy(backends.HUP),
		"exit 137":        backends.ExitedWith(137), // says KILL, but is no signal
		"no-such-program": backends.ExitedWith(127), // the shell ran; its program did not
	} {
		p := start(t, s.target, backends.Command{Argv: sh(script)})
		if got := s.finishSignalled(t, p); got != want {
			t.Errorf("%q: %s, want %s", script, got, want)
		}
	}
}

func (s suite) waitTwice(t *testing.T) {
	p := start(t, s.target, backends.Command{Argv: sh("exit 3")})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if o, err := p.Wait(); o != backends.ExitedWith(3) || err != nil {
				t.Errorf("%s, %v", o, err)
			}
		})
	}
	wg.Wait()
	if o := finish(t, p); o != backends.ExitedWith(3) {
		t.Errorf("later: %s", o)
	}
	if err := p.Signal(backends.TERM); err != nil {
		t.Errorf("signal to an ended program: %v", err)
	}
}

func (s suite) exactArguments(t *testing.T) {
	args := []string{
		"", " ", "a b", "*", "$HOME", "`id`", "$(id)", `\`, `"`, `'`, `'"'"'`, "-n", "--", "~", "a\nb\n", "\t",
		"ü→😀", "\xff\xfe", "!1", "%s", ";", "&", "|", "{a,b}", strings.Repeat("x", 100_000),
	}
	var got bytes.Buffer
	p := start(t, s.target, backends.Command{
		Argv:   append(sh(`for a; do printf '%s\0' "$a"; done`, "sh"), args...),
		Stdout: &got,
	})
	finish(t, p)
	if want := strings.Join(args, "\x00") + "\x00"; got.String() != want {
		t.Errorf("got %.300q", got.String())
	}
}

func (s suite) missingProgram(t *testing.T) {
	dir := s.folder(t)
	output(t, s.target, `: >"$0/plain"; chmod 644 "$0/plain"`, dir)
	for _, c := range []struct {
		cmd  backends.Command
		want error
	}{
		{backends.Command{Argv: []string{"nod-no-such-program"}}, fs.ErrNotExist},
		{backends.Command{Argv: []string{dir + "/none"}}, fs.ErrNotExist},
		{backends.Command{Argv: []string{dir + "/plain"}}, fs.ErrPermission},
		{backends.Command{Argv: []string{"true"}, Dir: dir + "/none"}, fs.ErrNotExist},
	} {
		p, err := s.target.Exec(testContext(t), c.cmd)
		if p != nil || !errors.Is(err, c.want) {
			t.Errorf("%q in %q: %v, %v; want %v", c.cmd.Argv, c.cmd.Dir, p, err, c.want)
		}
		if err != nil && c.cmd.Dir == "" && !strings.Contains(err.Error(), c.cmd.Argv[0]) {
			t.Errorf("the error %q does not name %q", err, c.cmd.Argv[0])
		}
	}
}

func (s suite) senseless(t *testing.T) {
	for _, c := range []backends.Command{
		{},
		{Argv: []string{""}},
		{Argv: []string{"echo", "a\x00b"}},
		{Argv: []string{"true"}, Dir: "relative"},
		{Argv: []string{"true"}, Env: []string{"NOVALUE"}},
		{Argv: []string{"true"}, Env: []string{"=x"}},
	} {
		if p, err := s.target.Exec(testContext(t), c); err == nil || p != nil {
			t.Errorf("%+v was started: %v, %v", c, p, err)
		}
	}
}

func (s suite) directory(t *testing.T) {
	dir := s.folder(t)
	var got bytes.Buffer
	finish(t, start(t, s.target, backends.Command{Argv: sh("pwd -P; test ./x -ef /; true"), Dir: dir, Stdout: &got}))
	want := output(t, s.target, `cd "$0" && pwd -P`, dir)
	if got.String() != want {
		t.Errorf("in %q, want %q", got.String(), want)
	}
}

// environment finds a secret only if the target's own tests have put
// NOD_TEST_SECRET into nod's environment.
func (s suite) environment(t *testing.T) {
	var got bytes.Buffer
	finish(t, start(t, s.target, backends.Command{
		Argv:   []string{"env"},
		Env:    []string{"NOD_A=1", "NOD_A=2 = 3", "NOD_B=", "HOME=/nowhere"},
		Stdout: &got,
	}))
	env := "\n" + got.String()
	for _, want := range []string{"\nNOD_A=2 = 3\n", "\nNOD_B=\n", "\nHOME=/nowhere\n", "\nPATH=/"} {
		if !strings.Contains(env, want) {
			t.Errorf("no %q in %s", want, env)
		}
	}
	for _, not := range []string{"NOD_A=1", "NOD_TEST_SECRET"} {
		if strings.Contains(env, not) {
			t.Errorf("%q in %s", not, env)
		}
	}
}

func (s suite) emptyInput(t *testing.T) {
	var got bytes.Buffer
	if o := finish(t, start(t, s.target, backends.Command{Argv: []string{"cat"}, Stdout: &got})); !o.OK() || got.Len() != 0 {
		t.Errorf("%s, %q", o, got.String())
	}
}

// bulk sends 16 MiB through the target, eight times what an ssh channel takes without
// being asked (64 MiB with NOD_E2E=1), and compares what the target got, and what came
// back, with what was sent.
func (s suite) bulk(t *testing.T) {
	size := int64(16 << 20)
	if os.Getenv("NOD_E2E") == "1" {
		size = 64 << 20
	}
	source := func() io.Reader { return io.LimitReader(rand.NewChaCha8([32]byte{7}), size) }
	want := hashOf(t, source())

	back := sha256.New()
	if o := finish(t, start(t, s.target, backends.Command{Argv: []string{"cat"}, Stdin: source(), Stdout: back})); !o.OK() {
		t.Errorf("cat: %s", o)
	}
	if got := hexOf(back); got != want {
		t.Errorf("what came back has %s, want %s", got, want)
	}
	var there bytes.Buffer
	finish(t, start(t, s.target, backends.Command{Argv: []string{"sha256sum"}, Stdin: source(), Stdout: &there}))
	if got := there.String(); !strings.HasPrefix(got, want) {
		t.Errorf("what arrived has %q, want %s", got, want)
	}
}

func hashOf(t *testing.T, r io.Reader) string {
	t.Helper()
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		t.Fatal(err)
	}
	return hexOf(h)
}

func hexOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// brokenWriter proves both ways of "yes | head": a program whose reader is
// done, and a program that does not read its input.
func (s suite) brokenWriter(t *testing.T) {
	w := &failAfter{left: 3}
	o := s.finishSignalled(t, start(t, s.target, backends.Command{Argv: []string{"yes"}, Stdout: w}))
	if o.OK() || o.State == backends.Unknown && !s.untold {
		t.Errorf("yes: %s", o)
	}
	if w.after > 0 {
		t.Errorf("the writer was called %d times after its error", w.after)
	}
	var got bytes.Buffer
	o = finish(t, start(t, s.target, backends.Command{
		Argv:   sh("head -n 1"),
		Stdin:  repeat("y\n"),
		Stdout: &got,
	}))
	if !o.OK() || got.String() != "y\n" {
		t.Errorf("head: %s, %q", o, got.String())
	}
}

// failAfter takes a number of writes and fails then.
type failAfter struct{ left, after int }

func (f *failAfter) Write(p []byte) (int, error) {
	switch {
	case f.left > 0:
		f.left--
		return len(p), nil
	case f.left == 0:
		f.left--
		return 0, errors.New("the reader is done")
	}
	f.after++
	return 0, errors.New("called again")
}

// repeat is an endless input.
type repeat string

func (r repeat) Read(p []byte) (int, error) {
	n := 0
	for n+len(r) <= len(p) {
		n += copy(p[n:], r)
	}
	return n, nil
}

func (s suite) slowWriter(t *testing.T) {
	release := make(chan struct{})
	w := &gatedWriter{open: release}
	// It writes more than is kept on the way, so it does not end before the writer goes on.
	p := start(t, s.target, backends.Command{Argv: sh("head -c 8000000 /dev/zero; echo >&2"), Stdout: w})
	for i := range 5 { // others go on meanwhile
		if got := output(t, s.target, `echo "$0"`, fmt.Sprint(i)); got != fmt.Sprintln(i) {
			t.Errorf("got %q", got)
		}
	}
	close(release)
	if o := finish(t, p); !o.OK() || w.bytes != 8_000_000 {
		t.Errorf("%s after %d bytes", o, w.bytes)
	}
}

// gatedWriter blocks until open is closed.
type gatedWriter struct {
	open  <-chan struct{}
	bytes int
}

func (g *gatedWriter) Write(p []byte) (int, error) {
	<-g.open
	g.bytes += len(p)
	return len(p), nil
}
