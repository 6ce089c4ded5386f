package ssh_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/ssh"
)

// faulty is a link that can be slow, or swallow what comes from one side.
type faulty struct {
	delay    time.Duration
	swallows atomic.Int32 // 1 what we send, 2 what the server sends, 3 both
}

// between puts a faulty link in front of the sshd.
func (w *world) between(delay time.Duration) *faulty {
	w.t.Helper()
	f := &faulty{delay: delay}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	server := fmt.Sprintf("127.0.0.1:%d", w.port)
	var flowing sync.WaitGroup
	flowing.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", server)
			if err != nil {
				_ = near.Close()
				continue
			}
			flowing.Go(func() { f.flow(far, near, 1) })
			flowing.Go(func() { f.flow(near, far, 2) })
		}
	})
	w.t.Cleanup(func() {
		_ = l.Close()
		w.sshd.HangUp() // which ends what flows
		flowing.Wait()
	})
	w.port = l.Addr().(*net.TCPAddr).Port
	w.write("known_hosts", w.knownLine(w.hostKey))
	w.write("config", w.clientConfig())
	return f
}

func (f *faulty) flow(to, from net.Conn, side int32) {
	type piece struct {
		data []byte
		due  time.Time
	}
	queue := make(chan piece, 10_000)
	go func() {
		defer close(queue)
		for {
			buf := make([]byte, 16<<10)
			n, err := from.Read(buf)
			if n > 0 && f.swallows.Load()&side == 0 {
				queue <- piece{buf[:n], time.Now().Add(f.delay)}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range queue {
		time.Sleep(time.Until(p.due))
		if _, err := to.Write(p.data); err != nil {
			break
		}
	}
	_ = to.Close()
	_ = from.Close()
	for range queue { // until the reader has seen it
		continue
	}
}

// However far away the host is, no output is lost; and what a background child
// goes on writing is not waited for: it writes for as long as the test lasts. How long
// the end may take is a matter of TestNoClockCutsOutput.
func TestADistantHostLosesNothing(t *testing.T) {
	w := newWorld(t)
	w.between(2 * backends.DrainDelay)
	c := w.dial(w.options())
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if o, out, errs := run(t, c, "sh", "-c", "head -c 200000 /dev/zero; head -c 100000 /dev/zero >&2; exit 3"); o != backends.ExitedWith(3) || len(out) != 200_000 || len(errs) != 100_000 {
				t.Errorf("%s, %d and %d bytes", o, len(out), len(errs))
			}
		})
	}
	wg.Go(func() {
		var out lines
		p, err := c.Exec(t.Context(), backends.Command{Argv: []string{"sh", "-c", "(while echo still here; do sleep 0.01; done) & echo done"}, Stdout: &out})
		if err != nil {
			t.Error(err)
			return
		}
		if o, err := p.Wait(); !o.OK() || err != nil { // while it still says so
			t.Errorf("%s, %v", o, err)
		}
		if !bytes.Contains([]byte(out.String()), []byte("done\n")) {
			t.Errorf("%.100q", out.String())
		}
	})
	wg.Wait()
}

// A link that swallows what goes one way, or both, is found to be dead, and the
// target comes back when the link does.
func TestBlackHoles(t *testing.T) {
	for name, side := range map[string]int32{"out": 1, "in": 2, "both": 3} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			link := w.between(0)
			opt := w.options()
			opt.Keepalive, opt.RetryEvery = 50*time.Millisecond, 50*time.Millisecond
			w.write("config", w.clientConfig("ConnectTimeout 1"))
			target := w.open(opt)
			conn, err := target.Conn()
			if err != nil {
				t.Fatal(err)
			}
			p, err := target.Exec(w.context(), backends.Command{Argv: []string{"cat"}, Stdin: endless(t)})
			if err != nil {
				t.Fatal(err)
			}
			link.swallows.Store(side)
			if o, err := p.Wait(); o.State != backends.Unknown || !errors.Is(err, ssh.ErrLost) {
				t.Errorf("%s, %v", o, err)
			}
			<-conn.Done()
			until(t, "an attempt that fails", func() bool {
				_, err := target.Conn()
				var outage *ssh.OutageError
				return errors.As(err, &outage) && outage.Tries > 0
			})
			link.swallows.Store(0)
			if err := target.Ready(w.context()); err != nil {
				t.Fatal(err)
			}
			if o, _, _ := run(t, target, "true"); !o.OK() {
				t.Error(o)
			}
		})
	}
}
