package main

import (
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A wire is the network between nod and a host: a relay whose bytes can be
// held, lost, bent and delayed, each way by itself. toxiproxy can neither bend a
// byte nor hold one and hand it over later, and brings ten modules along.
type wire struct {
	t        testing.TB
	listener *net.TCPListener
	to       string
	running  sync.WaitGroup
	carried  atomic.Int64 // bytes, both ways

	mu      sync.Mutex
	changed *sync.Cond
	closed  bool
	down    bool // connections end at once
	deaf    bool // connections are not taken
	waiting bool // who takes them has heard of that
	legs    [2]leg
	calls   []*net.TCPConn // two for each connection: the near end, and the far one
	// stranded is how many of the calls carry nothing any more.
	stranded int
}

// leg is one of a wire's two directions.
type leg struct {
	hole    bool          // bytes stay where they are
	bend    bool          // the next byte is another one
	rate    int           // bytes per second; 0: as fast as it goes
	latency time.Duration // of each piece
	jitter  time.Duration // more or less
}

// The directions.
const (
	toHost = iota
	fromHost
)

// openWire relays to an address until the test ends.
func openWire(t testing.TB, to string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{t: t, listener: l.(*net.TCPListener), to: to}
	w.changed = sync.NewCond(&w.mu)
	w.running.Go(w.accept)
	t.Cleanup(w.close)
	return w
}

func (w *wire) port() int { return w.listener.Addr().(*net.TCPAddr).Port }

func (w *wire) accept() {
	for {
		w.hear()
		conn, err := w.listener.Accept()
		if err != nil {
			return
		}
		w.hear()
		w.running.Go(func() { w.relay(conn.(*net.TCPConn)) })
	}
}

func (w *wire) relay(near *net.TCPConn) {
	w.mu.Lock()
	if w.down || w.closed {
		w.mu.Unlock()
		_ = near.Close() // that is what it is to be down
		return
	}
	w.mu.Unlock()
	conn, err := net.Dial("tcp", w.to)
	if err != nil {
		_ = near.Close() // like a host that refuses
		return
	}
	far := conn.(*net.TCPConn)
	w.mu.Lock()
	w.calls = append(w.calls, near, far)
	if w.closed {
		_, _ = near.Close(), far.Close()
	}
	w.mu.Unlock()
	w.running.Go(func() { w.pump(toHost, near, far) })
	w.pump(fromHost, far, near)
}

// piece is what was read at once, and when it is to arrive.
type piece struct {
	bytes []byte
	due   time.Time
}

// pump carries one direction of a connection until one of its ends is closed.
func (w *wire) pump(way int, from, to *net.TCPConn) {
	pieces := make(chan piece, 1024)
	w.running.Go(func() {
		for p := range pieces {
			time.Sleep(time.Until(p.due))
			if w.pass(way, p.bytes) && !w.isStranded(from) {
				_, _ = to.Write(p.bytes) // a connection that is closed takes nothing
			}
		}
		_ = to.CloseWrite() // may be closed
	})
	defer close(pieces)
	for {
		size := 16 << 10
		if rate := w.leg(way).rate; rate > 0 {
			size = max(rate/100, 10)
		}
		buf := make([]byte, size)
		n, err := from.Read(buf)
		l := w.leg(way)
		due := time.Now().Add(l.latency)
		if l.jitter > 0 {
			due = due.Add(rand.N(2*l.jitter) - l.jitter)
		}
		w.carried.Add(int64(n))
		if n > 0 {
			pieces <- piece{buf[:n], due}
		}
		if l.rate > 0 {
			time.Sleep(time.Second * time.Duration(n) / time.Duration(l.rate))
		}
		if err != nil {
			return
		}
	}
}

func (w *wire) isStranded(conn *net.TCPConn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Contains(w.calls[:min(w.stranded, len(w.calls))], conn)
}

func (w *wire) leg(way int) leg {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.legs[way]
}

// pass waits until a direction lets bytes through, and bends one if it is to.
func (w *wire) pass(way int, bytes []byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.legs[way].hole && !w.closed {
		w.changed.Wait()
	}
	if w.legs[way].bend {
		w.legs[way].bend = false
		bytes[rand.IntN(len(bytes))] ^= 1 << rand.IntN(8)
	}
	return !w.closed
}

// set changes a direction, or both.
func (w *wire) set(change func(*leg), ways ...int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, way := range ways {
		change(&w.legs[way])
	}
	w.changed.Broadcast()
}

// hang ends all connections: with a FIN, or with an RST. While down, new ones
// end at once.
func (w *wire) hang(reset, down bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = down
	for _, c := range w.calls {
		if reset {
			_ = c.SetLinger(0) // may be closed
		}
		_ = c.Close() // may be closed
	}
	w.calls = nil
}

// halfClose ends one direction of all connections, by a FIN; the other goes on.
func (w *wire) halfClose(way int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, c := range w.calls {
		if i%2 != way { // that direction leads there
			_ = c.CloseWrite() // may be closed
		}
	}
}

// silent is a black hole that swallows the packets of new connections, too: the
// kernel drops those while the short queue of a listener is full. The kernel of
// who dials repeats them at ever longer intervals.
func (w *wire) silent(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	queue := 128
	if on {
		queue = 0
		w.legs = [2]leg{{hole: true}, {hole: true}}
	}
	w.deaf = on
	raw, err := w.listener.SyscallConn()
	if err != nil {
		w.t.Error(err)
		return
	}
	if err := raw.Control(func(fd uintptr) {
		if err := syscall.Listen(int(fd), queue); err != nil {
			w.t.Error(err)
		}
	}); err != nil {
		w.t.Error(err)
	}
	w.changed.Broadcast()
	for on { // until there is no room, and nobody makes any
		w.mu.Unlock()
		conn, err := net.DialTimeout("tcp", w.listener.Addr().String(), 100*time.Millisecond)
		w.mu.Lock()
		if err == nil {
			w.calls = append(w.calls, conn.(*net.TCPConn))
		}
		if w.closed || w.waiting && w.queued(raw) > queue {
			return
		}
	}
}

// queued is how many connections wait to be taken.
func (w *wire) queued(listener syscall.RawConn) (n int) {
	if err := listener.Control(func(fd uintptr) {
		var err error
		if n, err = queueLength(int(fd)); err != nil {
			w.t.Error(err)
		}
	}); err != nil {
		w.t.Error(err)
	}
	return n
}

// strand holds back what the connections of now would carry, for ever; new ones
// are as good as new.
func (w *wire) strand() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stranded = len(w.calls)
}

// hear waits until connections are taken from the queue.
func (w *wire) hear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.deaf && !w.closed {
		w.waiting = true
		w.changed.Wait()
	}
	w.waiting = false
}

// mend makes the wire as good as new. What it held back arrives now, as TCP
// would send it again; with drop the connections are forgotten, as by a router.
func (w *wire) mend(drop bool) {
	if drop {
		w.hang(true, false)
	}
	w.silent(false)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down, w.legs = false, [2]leg{}
	w.changed.Broadcast()
}

func (w *wire) close() {
	w.mu.Lock()
	w.closed = true
	w.changed.Broadcast()
	w.mu.Unlock()
	_ = w.listener.Close() // once
	w.hang(true, true)
	w.running.Wait()
}
