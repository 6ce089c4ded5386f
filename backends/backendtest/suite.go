package backendtest

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
)

// patience is how long a condition may take before a test fails. It only
// matters when something is wrong.
const patience = 2 * time.Minute

// Run tests that the targets made by open keep the contract of package
// backends. open registers with t.Cleanup what it needs to; Run closes the
// targets itself. The caller sets NOD_TEST_SECRET in nod's own environment
// before: programs must not see it.
func Run(t *testing.T, open func(t *testing.T) backends.Target) { run(t, open, false) }

// RunUntold is Run for targets that hear of no signals, since what is between
// nod and the program does not pass them on: what a signal has ended has an
// unknown outcome there, and nothing else has.
func RunUntold(t *testing.T, open func(t *testing.T) backends.Target) { run(t, open, true) }

func run(t *testing.T, open func(t *testing.T) backends.Target, untold bool) {
	t.Run("closed target", func(t *testing.T) { testClose(t, open(t)) })

	target := open(t)
	t.Cleanup(func() {
		if err := target.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	dir := strings.TrimSpace(output(t, target, "mktemp -d"))
	if !strings.HasPrefix(dir, "/") {
		t.Fatalf("mktemp -d on the target printed %q", dir)
	}
	t.Cleanup(func() { output(t, target, `chmod -R u+rwX "$0" && rm -rf "$0"`, dir) })

	s := suite{target: target, dir: dir, untold: untold}
	t.Run("parallel", func(t *testing.T) { // ends when all of its parallel tests have
		for _, c := range s.cases() {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				c.test(t)
			})
		}
	})
}

type suite struct {
	target backends.Target
	dir    string // a folder on the target, for all tests
	untold bool   // of signals
}

// endedBy is the outcome of a program that a signal has ended.
func (s suite) endedBy(sig backends.Signal) backends.Outcome {
	if s.untold {
		return backends.Outcome{}
	}
	return backends.EndedBy(sig)
}

// finishSignalled waits for the end of a program that a signal may have ended.
func (s suite) finishSignalled(t *testing.T, p backends.Process) backends.Outcome {
	t.Helper()
	if !s.untold {
		return finish(t, p)
	}
	o, err := p.Wait()
	if (err == nil) != (o.State != backends.Unknown) {
		t.Fatalf("wait: %v (outcome %s)", err, o)
	}
	return o
}

type testCase struct {
	name string
	test func(t *testing.T)
}

func (s suite) cases() []testCase {
	var all []testCase
	all = append(all, s.execCases()...)
	all = append(all, s.endCases()...)
	all = append(all, s.terminalCases()...)
	all = append(all, s.fileCases()...)
	all = append(all, s.writeCases()...)
	all = append(all, s.searchCases()...)
	all = append(all, testCase{"a held command changes nothing", s.held})
	return all
}

// folder makes a new folder on the target for one test.
func (s suite) folder(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(output(t, s.target, `mktemp -d "$0/XXXXXX"`, s.dir))
}

// sh is a command of the target's shell; args arrive as $0, $1, …
func sh(script string, args ...string) []string {
	return append([]string{"sh", "-c", script}, args...)
}

// testContext is cancelled when patience or the test ends.
func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// start starts c or fails the test.
func start(t *testing.T, target backends.Target, c backends.Command) backends.Process {
	t.Helper()
	p, err := target.Exec(testContext(t), c)
	if err != nil {
		t.Fatalf("exec %q: %v", c.Argv, err)
	}
	return p
}

// finish waits for p and fails the test if its outcome could not be learnt.
func finish(t *testing.T, p backends.Process) backends.Outcome {
	t.Helper()
	o, err := p.Wait()
	if err != nil {
		t.Fatalf("wait: %v (outcome %s)", err, o)
	}
	return o
}

// output runs a script that must succeed and returns its standard output. It
// works in cleanups, too.
func output(t *testing.T, target backends.Target, script string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	p, err := target.Exec(ctx, backends.Command{Argv: sh(script, args...), Stdout: &stdout, Stderr: &stderr})
	if err != nil {
		t.Fatalf("exec %q: %v", script, err)
	}
	if o := finish(t, p); !o.OK() {
		t.Fatalf("%q: %s: %s", script, o, stderr.String())
	}
	return stdout.String()
}

// until waits for a condition.
func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	if !Soon(patience, cond) {
		t.Fatalf("%s: not within %s", what, patience)
	}
}

// alive reports whether a process of the target runs; a zombie does not.
func alive(t *testing.T, target backends.Target, pid int) bool {
	t.Helper()
	const script = `[ -r "/proc/$0/stat" ] || exit 0; sed 's/.*) //; s/ .*//' "/proc/$0/stat" 2>/dev/null || :`
	state := strings.TrimSpace(output(t, target, script, strconv.Itoa(pid)))
	return state != "" && state != "Z" && state != "X"
}

// lines collects output and lets a test wait for it.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// await waits until the output holds s.
func (l *lines) await(t *testing.T, s string) {
	t.Helper()
	limit := time.Now().Add(patience)
	for !strings.Contains(l.String(), s) {
		if time.Now().After(limit) {
			t.Fatalf("no %q within %s in the output %q", s, patience, l.String())
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// numbers waits for n whole lines and returns them as numbers.
func (l *lines) numbers(t *testing.T, n int) []int {
	t.Helper()
	until(t, "output of process ids", func() bool { return strings.Count(l.String(), "\n") >= n })
	var all []int
	for _, line := range strings.Fields(l.String())[:n] {
		v, err := strconv.Atoi(line)
		if err != nil {
			t.Fatalf("process ids: %q", l.String())
		}
		all = append(all, v)
	}
	return all
}
