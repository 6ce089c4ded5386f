package ssh_test

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/ssh"
)

// BenchmarkTrue runs "true" in turns: in this process, there in a bare session,
// which cannot be signalled and has no launcher, by a fresh ssh, and by
// ssh through its own master. It reports the medians and what ours takes of
// theirs, so that the machine's load cancels out. Measure again with:
//
//	go test -run '^$' -bench True -benchtime 100x ./backends/ssh
func BenchmarkTrue(b *testing.B) {
	w, c, stock := newContest(b)
	times := turns{}
	for b.Loop() {
		times.take(b, "nod", func() error { return execTrue(w, c) })
		times.take(b, "bare", func() error { return c.RunBare("true") })
		times.take(b, "fresh", exec.Command("ssh", "-F", w.path("config"), "box", "true").Run)
		times.take(b, "master", exec.Command("ssh", "-F", w.path("config"), "-S", stock, "box", "true").Run)
	}
	report(b, times)
}

// BenchmarkDownload reads 256 MiB in turns: in this process, and by ssh through
// its own master.
func BenchmarkDownload(b *testing.B) {
	const size = 256 << 20
	w, c, stock := newContest(b)
	file := w.path("big")
	if err := os.WriteFile(file, make([]byte, size), 0o600); err != nil {
		b.Fatal(err)
	}
	times := map[string][]time.Duration{}
	for b.Loop() {
		began := time.Now()
		p, err := c.Exec(w.context(), backends.Command{Argv: []string{"cat", file}, Stdout: nowhere{}})
		if err == nil {
			_, err = p.Wait()
		}
		if err != nil {
			b.Fatal(err)
		}
		times["nod"] = append(times["nod"], time.Since(began))
		began = time.Now()
		cmd := exec.Command("ssh", "-F", w.path("config"), "-S", stock, "box", "cat "+file)
		cmd.Stdout = nowhere{} // the same copying as ours
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		times["master"] = append(times["master"], time.Since(began))
	}
	report(b, times)
}

// nowhere is a writer that nobody recognizes as a way to copy less.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

var _ io.Writer = nowhere{}

// newContest connects to one sshd in both ways.
func newContest(b *testing.B) (*world, *ssh.Conn, string) {
	b.Helper()
	w := newWorld(b)
	c, stock := contest(b, w)
	return w, c, stock
}

// contest connects to an sshd in both ways.
func contest(b *testing.B, w *world) (*ssh.Conn, string) {
	b.Helper()
	c := w.dial(w.options())
	dir, err := os.MkdirTemp("", "nod-ssh-") // short enough for a socket
	if err != nil {
		b.Fatal(err)
	}
	socket := dir + "/master"
	if out, err := exec.Command("ssh", "-F", w.path("config"), "-M", "-S", socket, "-N", "-f", "-o", "ControlPersist=yes", "box").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	b.Cleanup(func() {
		_ = exec.Command("ssh", "-S", socket, "-O", "exit", "box").Run() // has ended
		_ = os.RemoveAll(dir)
	})
	return c, socket
}

// turns are how long each of some ways to do the same has taken.
type turns map[string][]time.Duration

// take does it once in one way.
func (t turns) take(b *testing.B, name string, do func() error) {
	began := time.Now()
	if err := do(); err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	t[name] = append(t[name], time.Since(began))
}

// execTrue runs "true" in this process.
func execTrue(w *world, c *ssh.Conn) error {
	p, err := c.Exec(w.context(), backends.Command{Argv: []string{"true"}})
	if err == nil {
		_, err = p.Wait()
	}
	return err
}

func report(b *testing.B, times map[string][]time.Duration) {
	median := func(name string) float64 {
		all := times[name]
		slices.Sort(all)
		return float64(all[len(all)/2]) / float64(time.Millisecond)
	}
	for name := range times {
		b.ReportMetric(median(name), name+"-ms")
		if name != "nod" {
			b.ReportMetric(median("nod")/median(name), "of-"+name)
		}
	}
}

// BenchmarkHeld is what a cage adds to "true" over ssh.
//
//	go test -run '^$' -bench Held -benchtime 100x ./backends/ssh
func BenchmarkHeld(b *testing.B) {
	w := newWorld(b)
	backendtest.BenchmarkHeld(b, w.dial(w.options()))
}

// BenchmarkFar runs "true" on a host that is 50 ms away (there and back), in turns: in
// this process, and by ssh through its own master. A program costs one round trip where a
// session was opened ahead, and two where it was not.
//
//	go test -run '^$' -bench Far -benchtime 50x ./backends/ssh
func BenchmarkFar(b *testing.B) {
	w := newWorld(b)
	w.between(25 * time.Millisecond)
	c, stock := contest(b, w)
	times := turns{}
	for b.Loop() {
		times.take(b, "nod", func() error { return execTrue(w, c) })
		times.take(b, "master", exec.Command("ssh", "-F", w.path("config"), "-S", stock, "box", "true").Run)
	}
	report(b, times)
}
