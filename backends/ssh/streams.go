package ssh

import (
	"bytes"
	"io"
	"sync/atomic"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// discard takes output that nobody wants but that has to flow.
var discard io.Writer = discardWriter{}

type discardWriter struct{}

func (discardWriter) Write(p []byte) (int, error) { return len(p), nil }

// streams copy a session's streams.
type streams struct {
	s        session
	input    *posix.Feed // nil if there is nothing to copy
	out, err *drain
	begun    <-chan string // the launcher's first word on standard output
}

// newStreams begins to read a session. Output goes to the command's writers
// from behind the nonce on.
func newStreams(s session, c backends.Command, nonce string) *streams {
	st := &streams{s: s}
	begun := make(chan string, 1)
	st.begun = begun
	stdout, stderr := c.Stdout, c.Stderr
	if stdout == nil {
		stdout = discard
	}
	if stderr == nil || posix.SameWriter(c.Stdout, c.Stderr) {
		stderr = discard
	}
	st.out = newDrain(s, stdout, nonce, begun)
	st.err = newDrain(s.stderr(), stderr, nonce, nil)
	go st.out.run()
	go st.err.run()
	return st
}

// The states of a drain: the writer is called only from drainWriting.
const (
	drainIdle int32 = iota
	drainWriting
	drainClosed
)

// drain copies one output stream to a writer.
type drain struct {
	r      io.Reader
	dst    io.Writer
	nonce  []byte
	begun  chan<- string // gets the line that begins with the nonce; may be nil
	state  atomic.Int32
	read   atomic.Int64  // bytes that have come
	writes atomic.Int64  // how many were begun
	failed chan struct{} // closed when the writer does not want any more
	done   chan struct{}

	before posix.Tail // what came in front of the nonce

	seen  int64     // writes begun, when busy last looked
	since time.Time // when it saw that
	stuck bool      // the writer was given up
}

func newDrain(r io.Reader, dst io.Writer, nonce string, begun chan<- string) *drain {
	return &drain{r: r, dst: dst, nonce: []byte(nonce), begun: begun, failed: make(chan struct{}), done: make(chan struct{})}
}

func (d *drain) run() {
	defer close(d.done)
	buf := make([]byte, 32<<10)
	rest, ok := d.preamble(buf)
	if d.begun != nil && !ok {
		close(d.begun)
	}
	wanted := true
	for {
		if len(rest) > 0 && wanted && !d.hand(rest) {
			if d.state.Load() == drainClosed {
				return
			}
			wanted = false
			close(d.failed)
		}
		n, err := d.r.Read(buf)
		d.read.Add(int64(n))
		rest = buf[:n]
		if n == 0 && err != nil {
			return
		}
	}
}

// preamble reads up to the line that begins with the nonce, tells that line and
// returns what came behind it.
func (d *drain) preamble(buf []byte) (rest []byte, ok bool) {
	var have []byte
	total := 0
	for {
		n, err := d.r.Read(buf)
		have = append(have, buf[:n]...)
		total += n
		if i := bytes.Index(have, d.nonce); i >= 0 {
			if j := bytes.IndexByte(have[i:], '\n'); j >= 0 {
				d.keep(have[:i])
				if d.begun != nil {
					d.begun <- string(bytes.TrimRight(have[i+len(d.nonce):i+j], "\r")) // has room for it
				}
				return have[i+j+1:], true
			}
		} else if keep := len(d.nonce); len(have) > keep {
			d.keep(have[:len(have)-keep]) // the nonce may have come in part
			have = append(have[:0], have[len(have)-keep:]...)
		}
		if err != nil || total > posix.MaxBanner {
			d.keep(have)
			return nil, false
		}
	}
}

func (d *drain) keep(p []byte) {
	_, _ = d.before.Write(p) // never fails
}

// hand gives p to the writer and reports whether to go on.
func (d *drain) hand(p []byte) bool {
	if !d.state.CompareAndSwap(drainIdle, drainWriting) {
		return false
	}
	d.writes.Add(1)
	n, err := d.dst.Write(p)
	return d.state.CompareAndSwap(drainWriting, drainIdle) && err == nil && n == len(p)
}

// busy reports whether the writer is at work. One that is stuck for stuckWrite
// is given up. Only flow.look calls it.
func (d *drain) busy() bool {
	if d.over() || d.state.Load() != drainWriting {
		d.since = time.Time{}
		return false
	}
	if n := d.writes.Load(); n != d.seen || d.since.IsZero() {
		d.seen, d.since = n, time.Now()
	}
	if time.Since(d.since) > stuckWrite {
		d.state.Store(drainClosed)
		d.stuck = true
		return false
	}
	return true
}

// over reports whether the stream has ended.
func (d *drain) over() bool {
	select {
	case <-d.done:
		return true
	default:
		return false
	}
}

// read is how many bytes of output have come.
func (st *streams) read() int64 { return st.out.read.Load() + st.err.read.Load() }

// abandon is called when nothing more can be learnt. What has arrived is handed
// over, as far as the writers take it at once.
func (st *streams) abandon() {
	if st.input != nil {
		st.input.Stop()
	}
	st.s.close()
	drains := []*drain{st.out, st.err}
	if waitAll(drains, backends.DrainDelay) {
		return
	}
	for _, d := range drains {
		d.state.Store(drainClosed)
	}
}

// abandoned reports whether all that has not ended has been given up.
func (st *streams) abandoned() bool {
	for _, d := range []*drain{st.out, st.err} {
		if !d.over() && d.state.Load() != drainClosed {
			return false
		}
	}
	return true
}

// waitAll waits until all drains are done, for at most limit.
func waitAll(drains []*drain, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for _, d := range drains {
		select {
		case <-d.done:
		case <-timer.C:
			return false
		}
	}
	return true
}
