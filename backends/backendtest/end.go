package backendtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/nod-console/nod/backends"
)

func (s suite) endCases() []testCase {
	return []testCase{
		{"a cancelled program ends with all that it started", s.cancelEndsAll},
		{"a program that refuses to end is made to", s.cancelForces},
		{"a polite end leaves time to tidy up", s.cancelIsPolite},
		{"a call whose context has ended starts nothing", s.cancelledBefore},
		{"an end and a cancel at once give the true outcome", s.cancelRace},
		{"signals reach the whole group", s.signals},
		{"a background child that holds the output does not hold Wait", s.backgroundChild},
		{"what a background child writes on is not cut by a clock", s.lateOutput},
		{"an input that blocks does not hold Wait", s.blockedInput},
		{"an input that fails is not taken for the whole", s.failedInput},
		{"a writer that blocks does not hold Wait", s.blockedWriter},
	}
}

var errTired = errors.New("the test is tired")

// cancel starts c, waits until ready, cancels and returns what Wait says.
func (s suite) cancel(t *testing.T, c backends.Command, ready func()) (took time.Duration, o backends.Outcome, err error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(testContext(t))
	defer cancel(nil)
	p, err := s.target.Exec(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	ready()
	began := time.Now()
	cancel(errTired)
	o, err = p.Wait()
	return time.Since(began), o, err
}

func (s suite) cancelEndsAll(t *testing.T) {
	var out lines
	var pids []int
	_, o, err := s.cancel(t, backends.Command{
		Argv:   sh(`echo $$; sleep 1000 & echo $!; sh -c 'echo $$; sleep 1000; :' & wait`),
		Stdout: &out,
	}, func() { pids = out.numbers(t, 3) })
	if o != s.endedBy(backends.TERM) || !errors.Is(err, errTired) {
		t.Errorf("%s, %v; want signalled TERM, %v", o, err, errTired)
	}
	s.allGone(t, pids)
}

// allGone waits until processes that would not end by themselves are gone: the kernel takes
// its time with those that were killed.
func (s suite) allGone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		until(t, fmt.Sprintf("the end of process %d of %v", pid, pids), func() bool { return !alive(t, s.target, pid) })
	}
}

func (s suite) cancelForces(t *testing.T) {
	var out lines
	var pids []int
	took, _, err := s.cancel(t, backends.Command{
		Argv:   sh(`trap '' TERM HUP; sh -c 'echo $$; while :; do sleep 0.1; done' & echo $$; wait`),
		Stdout: &out,
	}, func() { pids = out.numbers(t, 2) })
	if !errors.Is(err, errTired) {
		t.Errorf("error %v, want %v", err, errTired)
	}
	if took < backends.KillDelay-100*time.Millisecond {
		t.Errorf("took %s, less than the polite delay", took)
	}
	s.allGone(t, pids)
}

func (s suite) cancelIsPolite(t *testing.T) {
	var out lines
	_, o, err := s.cancel(t, backends.Command{
		Argv:   sh(`trap 'echo tidied; exit 9' TERM; echo ready; while :; do sleep 0.05; done`),
		Stdout: &out,
	}, func() { out.await(t, "ready\n") })
	if o != backends.ExitedWith(9) || !errors.Is(err, errTired) || !strings.Contains(out.String(), "tidied") {
		t.Errorf("%s, %v, %q", o, err, out.String())
	}
}

func (s suite) cancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errTired)
	if p, err := s.target.Exec(ctx, backends.Command{Argv: []string{"true"}}); p != nil || !errors.Is(err, errTired) {
		t.Errorf("exec: %v, %v", p, err)
	}
	if p, err := s.target.Terminal(ctx, backends.Command{Argv: []string{"true"}}, backends.Size{Cols: 80, Rows: 24}); p != nil || !errors.Is(err, errTired) {
		t.Errorf("terminal: %v, %v", p, err)
	}
	if _, err := s.target.Files().Open(ctx, s.dir+"/x"); !errors.Is(err, errTired) {
		t.Errorf("open: %v", err)
	}
}

// cancelRace cancels while a program ends: whichever comes first, the outcome
// is known, and without an error it is the program's own. It tries a few times, or
// more with NOD_E2E=1.
func (s suite) cancelRace(t *testing.T) {
	times := 8
	if os.Getenv("NOD_E2E") == "1" {
		times = 30
	}
	for range times {
		ctx, cancel := context.WithCancel(testContext(t))
		p, err := s.target.Exec(ctx, backends.Command{Argv: []string{"true"}})
		if err != nil {
			t.Fatal(err)
		}
		go cancel()
		o, err := p.Wait()
		if o == (backends.Outcome{}) && !s.untold || err == nil && !o.OK() || err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("%s, %v", o, err)
		}
	}
}

func (s suite) signals(t *testing.T) {
	for _, sig := range []backends.Signal{backends.HUP, backends.INT, backends.QUIT, backends.TERM, backends.KILL} {
		p := start(t, s.target, backends.Command{Argv: []string{"sleep", "1000"}})
		if err := p.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if o := s.finishSignalled(t, p); o != s.endedBy(sig) {
			t.Errorf("%s: %s", sig, o)
		}
	}
	var out lines
	p := start(t, s.target, backends.Command{Argv: sh(`sh -c 'echo $$; exec sleep 1000' & echo $$; wait`), Stdout: &out})
	pids := out.numbers(t, 2)
	if err := p.Signal("NONSENSE"); err == nil {
		t.Error("a signal that does not exist was sent")
	}
	if err := p.Signal(backends.KILL); err != nil {
		t.Error(err)
	}
	s.finishSignalled(t, p)
	for _, pid := range pids {
		until(t, "the end of the group", func() bool { return !alive(t, s.target, pid) })
	}
}

func (s suite) backgroundChild(t *testing.T) {
	var out lines
	began := time.Now()
	p := start(t, s.target, backends.Command{Argv: sh(`sleep 1000 & echo $!`), Stdout: &out, Stderr: &out})
	o := finish(t, p)
	took := time.Since(began)
	pid := out.numbers(t, 1)[0]
	defer output(t, s.target, `kill -KILL "$0"`, out.String()[:strings.IndexByte(out.String(), '\n')])
	if !o.OK() {
		t.Errorf("outcome %s", o)
	}
	cuts, ok := s.target.(interface{ CutsOutput() bool }) // what is between nod and the program does not wait
	if took < backends.DrainDelay && !(ok && cuts.CutsOutput()) || took > patience/2 {
		t.Errorf("took %s, want about %s", took, backends.DrainDelay)
	}
	if notice := backends.OutputNotice(p); notice != backends.OutputOpen && !(ok && cuts.CutsOutput()) {
		t.Errorf("notice %q, want %q", notice, backends.OutputOpen)
	}
	if !alive(t, s.target, pid) {
		t.Error("the background child has ended, too")
	}
}

// lateOutput has a child write on after the program's end, with pauses that are
// short, but together longer than DrainDelay. On a busy machine one of them may be
// as long: then it is said that the output is held open.
func (s suite) lateOutput(t *testing.T) {
	if cuts, ok := s.target.(interface{ CutsOutput() bool }); ok && cuts.CutsOutput() {
		t.Skip("what is between nod and the program ends the output with it")
	}
	var out bytes.Buffer
	p := start(t, s.target, backends.Command{Argv: sh(`(for i in 1 2 3 4 5 6 7 8; do sleep 0.05; echo $i; done) & echo 0`), Stdout: &out})
	if o := finish(t, p); !o.OK() {
		t.Errorf("outcome %s", o)
	}
	if notice := backends.OutputNotice(p); out.String() != "0\n1\n2\n3\n4\n5\n6\n7\n8\n" && notice != backends.OutputOpen {
		t.Errorf("%q, notice %q", out.String(), notice)
	}
}

func (s suite) blockedInput(t *testing.T) {
	r, w := io.Pipe()
	defer func() { _ = w.Close() }() // lets the abandoned Read return
	began := time.Now()
	p := start(t, s.target, backends.Command{Argv: sh("exit 4"), Stdin: r})
	if o := finish(t, p); o != backends.ExitedWith(4) {
		t.Errorf("outcome %s", o)
	}
	if took := time.Since(began); took > patience/2 {
		t.Errorf("took %s", took)
	}
}

func (s suite) failedInput(t *testing.T) {
	var got lines
	p := start(t, s.target, backends.Command{
		Argv:   sh(`cat; echo complete; sleep 1000; :`),
		Stdin:  io.MultiReader(strings.NewReader("half"), iotest.ErrReader(errTired)),
		Stdout: &got,
	})
	if o, err := p.Wait(); o.OK() || !errors.Is(err, errTired) {
		t.Errorf("%s, %v; want the error of the input", o, err)
	}
	if strings.Contains(got.String(), "complete") {
		t.Error("the program took half an input for the whole")
	}
}

func (s suite) blockedWriter(t *testing.T) {
	release := make(chan struct{})
	w := &countingGate{open: release}
	p := start(t, s.target, backends.Command{Argv: sh("head -c 50000 /dev/zero"), Stdout: w})
	if o := finish(t, p); o.State == backends.Unknown {
		t.Errorf("outcome %s", o)
	}
	before := w.count()
	close(release)
	output(t, s.target, "sleep 0.1") // time for a call that must not come
	if after := w.count(); after != before {
		t.Errorf("the writer was called %d times after Wait had returned", after-before)
	}
}

// countingGate counts its calls and blocks until open is closed.
type countingGate struct {
	open  <-chan struct{}
	mu    sync.Mutex
	calls int
}

func (g *countingGate) Write(p []byte) (int, error) {
	g.mu.Lock()
	g.calls++
	g.mu.Unlock()
	<-g.open
	return len(p), nil
}

func (g *countingGate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls
}

// testClose proves that Close ends what runs and that nothing starts after it.
func testClose(t *testing.T, target backends.Target) {
	var out lines
	p := start(t, target, backends.Command{Argv: sh(`echo $$; sleep 1000; :`), Stdout: &out})
	tty, err := target.Terminal(testContext(t), backends.Command{Argv: sh("sleep 1000; :")}, backends.Size{Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	out.numbers(t, 1)
	if target.Name() == "" {
		t.Error("a target without a name")
	}
	for range 2 {
		if err := target.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
	for _, p := range []backends.Process{p, tty} {
		if o, err := p.Wait(); err == nil || o.OK() {
			t.Errorf("after Close: %s, %v", o, err)
		}
	}
	if p, err := target.Exec(testContext(t), backends.Command{Argv: []string{"true"}}); err == nil || p != nil {
		t.Errorf("a closed target started a program: %v", err)
	}
}
