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
// is given up. Only finish calls it.
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

const (
	// stuckWrite is how long one call of a writer may take after the program's
	// end before the writer is left alone.
	stuckWrite = 2 * time.Second
	// closeTime is how long the server may take to close the session after the program's
	// end, from when much came last. It only matters on a link that is about to be lost.
	closeTime = 10 * time.Second
	// finishPoll is how often the streams are looked at then.
	finishPoll = 20 * time.Millisecond
	// maxAfterEnd is how many bytes after the program's end are certainly not its
	// own: more than a full window (2 MiB) and what pipes hold.
	maxAfterEnd = 8 << 20
	// neverPauses is how long after the program's end output that does not pause is taken
	// for somebody else's, once the other side has answered what it was asked DrainDelay
	// after the end: it had read what the program wrote by then, and its answer comes
	// behind that, however slow the link is. The answer does not wait for a full window,
	// so while much comes in each such time, the window may be what holds the rest back.
	neverPauses = 4 * backends.DrainDelay
	// much is as many bytes in neverPauses as a reader on a machine under load takes at
	// the least.
	much = 64 << 10
)

// finish is called when the program has ended. It returns when the output has
// been handed over: all of it if the streams end; else, since something still holds
// them, what has come until nothing came for DrainDelay and the other side has
// answered meanwhile, so that neither a busy machine nor a slow link costs a byte.
// The session is closed then; the server's answer to that
// comes behind all that it sent before, so nothing is
// cut off on the way. Output that waits for a slow writer is waited for, as
// long as the writer goes on. ping returns when the other side has answered; notice
// is for [backends.OutputNotice].
func (st *streams) finish(ping func()) (notice string) {
	if st.input != nil {
		st.input.Stop()
	}
	var (
		drains = []*drain{st.out, st.err}
		before = st.read()
		last   = before
		ended  = time.Now()
		silent = ended               // since when nothing has come
		asked  time.Time             // when the other side was asked last
		answer <-chan struct{}       // closed when it has answered that; nil if it was not asked
		late   <-chan struct{}       // closed when it has answered what was asked DrainDelay after the end
		pause  = backends.DrainDelay // until the next look
		closed time.Time

		period = ended  // of neverPauses: its beginning,
		begun  = before // and what had come by then
		flowed = ended  // when a period was over in which much had come
		left   int64    // what had come when the session was closed
	)
	for !waitAll(drains, pause) {
		pause = finishPoll
		busy := st.out.busy()
		busy = st.err.busy() || busy
		now := st.read()
		if busy || now != last {
			last, silent = now, time.Now()
		}
		quiet := time.Since(silent) >= backends.DrainDelay
		if isClosed(answer) && silent.After(asked) {
			answer = nil // something has come since
		}
		if answer == nil && quiet {
			asked, answer = time.Now(), answered(ping)
		}
		if late == nil && time.Since(ended) >= backends.DrainDelay {
			late = answered(ping)
		}
		if time.Since(period) >= neverPauses {
			if now-begun >= much {
				flowed = time.Now()
			}
			period, begun = time.Now(), now
		}
		never := time.Since(flowed) >= neverPauses && isClosed(late) && !busy
		if closed.IsZero() && (quiet && isClosed(answer) || now-before > maxAfterEnd || never) {
			closed, left, notice = time.Now(), now, backends.OutputOpen
			st.s.close()
		}
		if st.abandoned() || !closed.IsZero() && !busy && (now-left > maxAfterEnd || min(time.Since(closed), time.Since(flowed)) > closeTime) {
			break
		}
	}
	st.s.close()
	for _, d := range drains {
		d.state.CompareAndSwap(drainIdle, drainClosed)
		if d.stuck {
			notice = backends.OutputCut
		}
	}
	return notice
}

// answered returns a channel that is closed when the other side has answered.
func answered(ping func()) <-chan struct{} {
	c := make(chan struct{})
	go func() {
		defer close(c)
		ping()
	}()
	return c
}

// isClosed reports whether a channel that never holds anything is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
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
