package main

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/ssh/mux"
)

// echoes types single keys into a terminal whose program sends them back.
type echoes struct {
	terminal backends.Terminal
	came     chan struct{}
	wire     *wire
}

func (e *echoes) Write(p []byte) (int, error) {
	for range bytes.Count(p, []byte("k")) {
		e.came <- struct{}{}
	}
	return len(p), nil
}

// types measures the time from a key to its echo, and the bytes that the wire carried
// meanwhile, until done is closed, or n times.
func (e *echoes) types(t *testing.T, n int, done <-chan struct{}) (all []time.Duration, carried []int64) {
	t.Helper()
	for range n {
		begun, before := time.Now(), e.wire.carried.Load()
		if _, err := e.terminal.Write([]byte("k")); err != nil {
			t.Fatal(err)
		}
		select {
		case <-e.came:
		case <-time.After(patience):
			t.Fatal("no echo")
		}
		all = append(all, time.Since(begun))
		carried = append(carried, e.wire.carried.Load()-before)
		select {
		case <-done:
			return all, carried
		case <-time.After(50 * time.Millisecond):
		}
	}
	return all, carried
}

// percentile of times or counts, which are sorted with it.
func percentile[T cmp.Ordered](all []T, p int) T {
	slices.Sort(all)
	return all[min(len(all)*p/100, len(all)-1)]
}

// Who types into a terminal notices little of a transfer over the same
// connection, on a link of 20 Mbit/s and 50 ms; and the transfer loses little.
func TestKeysBesideBulk(t *testing.T) {
	alone(t, "how much passes before a key is a matter of who has the processor")
	size, keys := 12<<20, 20
	if thorough() {
		size, keys = 256<<20, 1000
	}
	w, r := newRemote(t)
	r.wire.set(func(l *leg) { l.rate, l.latency = 2_500_000, 25*time.Millisecond }, toHost, fromHost)
	r.write("big", "")
	if err := os.Truncate(r.path("big"), int64(size)); err != nil {
		t.Fatal(err)
	}
	w.must("ssh", "start", "box")
	socket := strings.TrimSpace(w.must("ssh", "status", "box"))
	client, err := mux.DialProxy(t.Context(), socket)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := ssh.Dial(t.Context(), ssh.Host{Name: "box"}, ssh.Options{
		Config: r.config,
		Shared: func(context.Context, ssh.Settings, time.Duration) (*ssh.SharedConn, error) {
			return &ssh.SharedConn{Client: client}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	e := &echoes{came: make(chan struct{}, 100), wire: r.wire}
	e.terminal, err = conn.Terminal(t.Context(), backends.Command{Argv: []string{"sh", "-c", "stty raw -echo; printf k; exec cat"}, Stdout: e}, backends.Size{Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-e.came: // stty has run
	case <-time.After(patience):
		t.Fatal("the terminal says nothing")
	}
	// Two megabytes of buffers would pass before each key: for a second, on this link.
	const buffers = 2 << 20
	idle, _ := e.types(t, keys, nil)
	idle50, idle99 := percentile(idle, 50), percentile(idle, 99)
	t.Logf("alone: p50 %s, p99 %s", idle50, idle99)
	copying := exec.Command("scp", "-q", "-F", r.config, "-o", "ControlPath="+socket, "box:"+r.path("big"), os.DevNull)
	copying.Env = r.ssh().Env
	for _, c := range []struct {
		name string
		cmd  *exec.Cmd
	}{
		{"scp from the host", copying},
		{"ssh to the host", feeding(r.ssh("-S", socket, "box", "cat >/dev/null"), r.path("big"), t)},
		{"nod run", command(w, "run", "-t", "box", "--dangerously-approve-all", "--", "cat "+r.path("big"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.cmd == copying && !thorough() {
				t.Skip("a longer test: set NOD_E2E=1")
			}
			before := r.wire.carried.Load()
			done := make(chan struct{})
			var running sync.WaitGroup
			begun := time.Now()
			running.Go(func() {
				defer close(done)
				var errs bytes.Buffer
				c.cmd.Stderr = &errs
				if err := c.cmd.Run(); err != nil {
					t.Errorf("%v: %.500s", err, errs.String())
				}
			})
			// It begins with a rush into all the buffers on its way.
			eventually(t, "it flows", func() bool { return r.wire.carried.Load()-before > min(int64(size)/2, 8<<20) })
			all, carried := e.types(t, 1_000_000, done)
			running.Wait()
			flow := float64(size) / time.Since(begun).Seconds() / 2_500_000
			p50, p99 := percentile(all, 50), percentile(all, 99)
			t.Logf("%d keys beside it: p50 %s, p99 %s, %d bytes pass; it had %.0f %% of the link", len(all), p50, p99, percentile(carried, 50), 100*flow)
			if passed := percentile(carried, 25); passed > buffers*3/4 {
				t.Errorf("%d bytes pass before a key and its echo", passed)
			}
			if thorough() && p50 > 3*idle50 {
				t.Errorf("p50 %s beside it, %s alone", p50, idle50)
			}
		})
	}
}

// feeding gives a command a file to read.
func feeding(cmd *exec.Cmd, path string, t *testing.T) *exec.Cmd {
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() }) // only read
	cmd.Stdin = file
	return cmd
}

// command is nod in a world.
func command(w *world, args ...string) *exec.Cmd {
	cmd := exec.Command(w.nod, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TERM=dumb"}, w.env()...)
	cmd.Dir = w.home
	return cmd
}
