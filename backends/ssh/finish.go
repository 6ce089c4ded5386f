package ssh

import (
	"time"

	"github.com/nod-console/nod/backends"
)

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
	drains := []*drain{st.out, st.err}
	f := newFlow(st, ping)
	for pause := backends.DrainDelay; !waitAll(drains, pause); pause = finishPoll {
		f.look()
		if f.closed.IsZero() && f.isOver() {
			f.closed, f.left, notice = time.Now(), f.last, backends.OutputOpen
			st.s.close()
		}
		if st.abandoned() || f.outlastsClose() {
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

// flow is what is known of output that goes on behind the end of the program.
type flow struct {
	st   *streams
	ping func()

	before int64           // what had come when the program ended
	ended  time.Time       // when that was
	last   int64           // what has come by now
	busy   bool            // a writer is at work
	silent time.Time       // since when nothing has come
	quiet  bool            // that is for DrainDelay
	asked  time.Time       // when the other side was asked last
	answer <-chan struct{} // closed when it has answered that; nil if it was not asked
	late   <-chan struct{} // closed when it has answered what was asked DrainDelay after the end

	period time.Time // of neverPauses: its beginning,
	begun  int64     // and what had come by then
	flowed time.Time // when a period was over in which much had come

	closed time.Time // when the session was closed
	left   int64     // what had come by then
}

func newFlow(st *streams, ping func()) *flow {
	now, read := time.Now(), st.read()
	return &flow{
		st: st, ping: ping, before: read, last: read, begun: read,
		ended: now, silent: now, period: now, flowed: now,
	}
}

// look takes in what has come since the look before.
func (f *flow) look() {
	busy := f.st.out.busy()
	f.busy = f.st.err.busy() || busy
	now := f.st.read()
	if f.busy || now != f.last {
		f.last, f.silent = now, time.Now()
	}
	f.quiet = time.Since(f.silent) >= backends.DrainDelay
	f.ask()
	if time.Since(f.period) >= neverPauses {
		if now-f.begun >= much {
			f.flowed = time.Now()
		}
		f.period, f.begun = time.Now(), now
	}
}

// ask asks the other side in silence, and once DrainDelay after the end.
func (f *flow) ask() {
	if isClosed(f.answer) && f.silent.After(f.asked) {
		f.answer = nil // something has come since
	}
	if f.answer == nil && f.quiet {
		f.asked, f.answer = time.Now(), answered(f.ping)
	}
	if f.late == nil && time.Since(f.ended) >= backends.DrainDelay {
		f.late = answered(f.ping)
	}
}

// isOver reports whether all that the program wrote has come, by what the last look has shown.
func (f *flow) isOver() bool {
	never := time.Since(f.flowed) >= neverPauses && isClosed(f.late) && !f.busy
	return f.quiet && isClosed(f.answer) || f.last-f.before > maxAfterEnd || never
}

// outlastsClose reports whether the session was closed, and output still comes that is not
// waited for.
func (f *flow) outlastsClose() bool {
	if f.closed.IsZero() || f.busy {
		return false
	}
	return f.last-f.left > maxAfterEnd || min(time.Since(f.closed), time.Since(f.flowed)) > closeTime
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
