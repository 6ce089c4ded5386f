package docker

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// outputs copies what a program writes to a command's writers, and to nowhere
// what they do not take: the engine's stream has to flow.
type outputs struct {
	s        Stream
	out, err *sink
	read     atomic.Int64  // bytes that have come
	done     chan struct{} // closed when nothing more comes

	// Until it is known that the program runs, what comes may be the runtime's
	// words about why it does not: that is held back.
	first chan struct{} // closed when early is set
	early string        // what came first
	gate  chan struct{} // closed by admit and refuse
	drop  bool          // set by refuse
}

// admit hands the output over from now on.
func (o *outputs) admit() { close(o.gate) }

// refuse throws the output away: there is no program.
func (o *outputs) refuse() {
	o.drop = true
	close(o.gate)
	_ = o.s.Close() // it has nothing to say
}

// newOutputs does not begin to read before run.
func newOutputs(s Stream, c backends.Command) *outputs {
	o := &outputs{s: s, out: newSink(c.Stdout), done: make(chan struct{}), first: make(chan struct{}), gate: make(chan struct{})}
	o.err = o.out
	if !posix.SameWriter(c.Stdout, c.Stderr) {
		o.err = newSink(c.Stderr)
	}
	return o
}

// Each frame of an engine's stream begins with a header: the stream's number,
// three zeros and the length, big endian (Docker's API, "attach").
const (
	headerSize = 8
	stderrMark = 2
)

// podmanSays begins what podman itself writes into a stream, as if the program
// had, when it lost its own connection to the program: at the end of some.
var podmanSays = [][]byte{[]byte("Error: read unixpacket @->"), []byte("Error: write unixpacket @->")}

func byPodman(p []byte) bool {
	return slices.ContainsFunc(podmanSays, func(s []byte) bool { return bytes.HasPrefix(p, s) })
}

// run reads until the stream ends.
func (o *outputs) run(framed bool) {
	defer close(o.done)
	buf := make([]byte, 32<<10)
	if !framed {
		for {
			n, err := o.s.Read(buf)
			if n > 0 {
				o.give(o.out, buf[:n])
			}
			if err != nil {
				return
			}
		}
	}
	give := func(which byte, p []byte) {
		if which == stderrMark {
			o.give(o.err, p)
		} else {
			o.give(o.out, p)
		}
	}
	var held []byte // what may be podman's: at the end it is
	var heldOf byte
	_ = unframe(o.s, buf, func(which byte, p []byte) {
		if held != nil {
			give(heldOf, held)
			held = nil
		}
		if byPodman(p) {
			held, heldOf = bytes.Clone(p), which
			return
		}
		give(which, p)
	}) // how the program ended is told elsewhere
}

func (o *outputs) give(to *sink, p []byte) {
	select {
	case <-o.first:
	default:
		o.early = string(p[:min(len(p), posix.TailSize)])
		close(o.first)
		<-o.gate
	}
	o.read.Add(int64(len(p)))
	if !o.drop {
		to.take(p)
	}
}

// unframe takes an engine's stream apart. A frame that is longer than buf comes
// in pieces.
func unframe(r io.Reader, buf []byte, got func(which byte, p []byte)) error {
	var header [headerSize]byte
	for {
		if _, err := io.ReadFull(r, header[:]); err != nil {
			return err
		}
		for left := int64(binary.BigEndian.Uint32(header[4:])); left > 0; {
			n, err := r.Read(buf[:min(left, int64(len(buf)))])
			if n > 0 {
				got(header[0], buf[:n])
				left -= int64(n)
			}
			if err != nil && left > 0 {
				return err
			}
		}
	}
}

// The states of a sink: the writer is called only from sinkWriting.
const (
	sinkIdle int32 = iota
	sinkWriting
	sinkClosed
)

// sink is one writer of a command.
type sink struct {
	w      io.Writer
	state  atomic.Int32
	writes atomic.Int64  // how many were begun
	failed chan struct{} // closed when the writer does not want any more
	off    bool          // it has failed, or was left alone

	seen  int64     // writes begun, when atWork last looked
	since time.Time // when it saw that
}

func newSink(w io.Writer) *sink { return &sink{w: w, failed: make(chan struct{})} }

func (s *sink) take(p []byte) {
	if s.w == nil || s.off || len(p) == 0 {
		return
	}
	if !s.state.CompareAndSwap(sinkIdle, sinkWriting) {
		s.off = true
		return
	}
	s.writes.Add(1)
	n, err := s.w.Write(p)
	switch {
	case !s.state.CompareAndSwap(sinkWriting, sinkIdle):
		s.off = true
	case err != nil || n != len(p):
		s.off = true
		close(s.failed)
	}
}

// atWork reports whether the writer is at work, and whether it is stuck for stuckWrite: then it
// is left alone. Only finish calls it.
func (s *sink) atWork() (writes, stuck bool) {
	if s.state.Load() != sinkWriting {
		return false, false
	}
	if n := s.writes.Load(); n != s.seen || s.since.IsZero() {
		s.seen, s.since = n, time.Now()
	}
	stuck = time.Since(s.since) > stuckWrite
	if stuck {
		s.state.Store(sinkClosed)
	}
	return true, stuck
}

const (
	// stuckWrite is how long one call of a writer may take after the program's
	// end before the writer is left alone.
	stuckWrite = 2 * time.Second
	// lookEvery is how often the flow is looked at then.
	lookEvery = 20 * time.Millisecond
	// maxAfterEnd bounds what a background child may still add to the output.
	maxAfterEnd = 8 << 20
)

// finish is called when the program has ended. It returns when the output has
// been handed over: all of it if the stream ends; else, since something still
// holds it, what has come until it was silent for DrainDelay and the container
// has answered meanwhile, so that a busy engine does not cost the last bytes.
// Output that waits for a slow writer is waited for while the writer goes on.
// notice is for [backends.OutputNotice].
func (o *outputs) finish(answered <-chan struct{}) (notice string) {
	defer func() { _ = o.s.Close() }() // all that matters was read
	began := o.read.Load()
	sinks := []*sink{o.out, o.err}
	seen, silent := began, time.Now()
	pause := backends.DrainDelay
	for {
		select {
		case <-o.done:
			return ""
		case <-time.After(pause):
		}
		pause = lookEvery
		busy, abandoned := false, false
		for _, s := range sinks {
			writes, stuck := s.atWork()
			busy, abandoned = busy || writes, abandoned || stuck
		}
		if n := o.read.Load(); n != seen || busy {
			seen, silent = n, time.Now()
		}
		select {
		case <-answered:
		default:
			busy = true
		}
		if abandoned || seen-began > maxAfterEnd || !busy && time.Since(silent) >= backends.DrainDelay {
			o.abandon()
			if abandoned {
				return backends.OutputCut
			}
			return backends.OutputOpen
		}
	}
}

// abandon sees to it that no writer is called any more.
func (o *outputs) abandon() {
	_ = o.s.Close() // it is given up
	for _, s := range []*sink{o.out, o.err} {
		if s.state.CompareAndSwap(sinkIdle, sinkClosed) {
			continue
		}
		select {
		case <-o.done:
		case <-time.After(backends.DrainDelay):
			s.state.Store(sinkClosed)
		}
	}
}
