package local

import (
	"errors"
	"io"
	"os"
	"reflect"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nod-console/nod/backends"
)

// streams are a program's standard streams: the child's ends until it has
// started, and the copying on our side.
type streams struct {
	child []*os.File // what becomes descriptor 0, 1, 2
	input *feed      // nil if there is nothing to copy
	out   []*drain

	inputFailed <-chan error // nil without an input
}

// openPipes makes the streams of an Exec.
func openPipes(c backends.Command) (*streams, error) {
	s := &streams{}
	stdin, err := s.openInput(c.Stdin)
	if err != nil {
		return nil, err
	}
	s.child = append(s.child, stdin)
	stdout, err := s.openOutput(c.Stdout)
	if err != nil {
		s.abandon()
		return nil, err
	}
	s.child = append(s.child, stdout)
	if c.Stderr != nil && sameWriter(c.Stdout, c.Stderr) {
		s.child = append(s.child, stdout)
		return s, nil
	}
	stderr, err := s.openOutput(c.Stderr)
	if err != nil {
		s.abandon()
		return nil, err
	}
	s.child = append(s.child, stderr)
	return s, nil
}

func (s *streams) openInput(src io.Reader) (*os.File, error) {
	if src == nil {
		return os.Open(os.DevNull)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	failed := make(chan error, 1)
	s.input = &feed{w: w, src: src, failed: failed}
	s.inputFailed = failed
	return r, nil
}

func (s *streams) openOutput(dst io.Writer) (*os.File, error) {
	if dst == nil {
		return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.out = append(s.out, newDrain(r, dst))
	return w, nil
}

// sameWriter reports whether both are the same comparable value.
func sameWriter(a, b io.Writer) bool {
	return a != nil && reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && a == b
}

// start begins to copy; the child has its ends now.
func (s *streams) start() {
	s.closeChild()
	for _, d := range s.out {
		go d.run()
	}
	if s.input != nil {
		go s.input.run()
	}
}

// abandon frees everything of a program that was not started.
func (s *streams) abandon() {
	s.closeChild()
	for _, d := range s.out {
		_ = d.r.Close() // nothing was read
	}
	if s.input != nil {
		_ = s.input.w.Close() // nothing was written
	}
}

func (s *streams) closeChild() {
	for _, f := range s.child {
		_ = f.Close() // the child has its own copy; standard error may be standard output again
	}
	s.child = nil
}

// finish is called when the program has ended. It returns when the output has
// been handed over: at end of file, or, where something else holds a pipe open, once
// nothing has come for DrainDelay, with what the pipes held then. What the program
// itself has written is in there, since a pipe keeps the order. A writer is waited
// for while it goes on, and left alone when one call takes stuckAfter.
// notice is for [backends.OutputNotice].
func (s *streams) finish() (notice string) {
	if s.input != nil {
		s.input.stop()
	}
	over := time.Now().Add(backends.DrainMost)
	for _, d := range s.out {
		if !d.quiet(over) {
			// Pipes and terminals take deadlines; where one cannot, the reader
			// ends with the last holder of the pipe.
			_ = d.r.SetReadDeadline(time.Now())
		}
	}
	for _, d := range s.out {
		switch whole := d.leave(stuckAfter); {
		case !whole:
			return backends.OutputCut
		case d.open.Load():
			notice = backends.OutputOpen
		}
	}
	return notice
}

// quiet waits for the end of the stream. It is false once nothing has been read
// for DrainDelay, or when the time is over.
func (d *drain) quiet(over time.Time) bool {
	for last := time.Now(); ; {
		if at := d.last.Load(); at != nil && at.After(last) {
			last = *at
		}
		silent := min(time.Until(last.Add(backends.DrainDelay)), time.Until(over))
		if silent <= 0 {
			return false
		}
		select {
		case <-d.done:
			return true
		case <-time.After(silent):
		}
	}
}

// stuckAfter is how long one call of a writer may take after everything else is
// over, before it is taken to be one that never returns.
const stuckAfter = 8 * backends.DrainDelay

// leave waits until the writer has taken what was read. It is false if the
// writer does not go on: it is not called any more then.
func (d *drain) leave(after time.Duration) bool {
	timer := time.NewTimer(after)
	defer timer.Stop()
	for {
		select {
		case <-d.done:
			return true
		case <-d.returned:
			timer.Reset(after)
		case <-timer.C:
			if d.state.CompareAndSwap(drainIdle, drainClosed) {
				d.open.Store(true) // it waits for what the pipe has yet to say
				return true
			}
			d.state.Store(drainClosed)
			return false
		}
	}
}

// feed copies a reader to a program's standard input.
type feed struct {
	w       *os.File
	src     io.Reader
	failed  chan<- error
	stopped atomic.Bool
}

func (f *feed) run() {
	defer f.stop()
	buf := make([]byte, 32<<10)
	for !f.stopped.Load() {
		n, err := f.src.Read(buf)
		if n > 0 {
			if _, werr := f.w.Write(buf[:n]); werr != nil {
				return // the program has closed its input, which is its right
			}
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrClosedPipe), errors.Is(err, os.ErrClosed):
			return
		default:
			// Told before the input is closed, so that the program is ended
			// and does not take what it has for the whole.
			f.failed <- err
			<-time.After(backends.DrainDelay)
			return
		}
	}
}

// stop ends the copying; a Write that blocks returns.
func (f *feed) stop() {
	f.stopped.Store(true)
	_ = f.w.Close() // may be the second time
}

// The states of a drain: the writer is called only from drainWriting.
const (
	drainIdle int32 = iota
	drainWriting
	drainClosed
)

// drain copies one output stream of a program to a writer.
type drain struct {
	r     *os.File
	dst   io.Writer
	state atomic.Int32
	done  chan struct{}

	last     atomic.Pointer[time.Time] // when something was read last
	open     atomic.Bool               // something held the stream open to the end
	returned chan struct{}             // holds a value after a call of the writer
}

func newDrain(r *os.File, dst io.Writer) *drain {
	return &drain{r: r, dst: dst, done: make(chan struct{}), returned: make(chan struct{}, 1)}
}

func (d *drain) run() {
	defer close(d.done)
	defer func() { _ = d.r.Close() }() // read to its end, or given up
	buf := make([]byte, 32<<10)
	for {
		n, err := d.r.Read(buf)
		if n > 0 {
			now := time.Now()
			d.last.Store(&now)
			if !d.hand(buf[:n]) {
				return
			}
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			d.sweep(buf)
			return
		}
		if err != nil {
			return // end of file; on a terminal EIO
		}
	}
}

// hand gives p to the writer and reports whether to go on.
func (d *drain) hand(p []byte) bool {
	if !d.state.CompareAndSwap(drainIdle, drainWriting) {
		return false
	}
	n, err := d.dst.Write(p)
	goOn := d.state.CompareAndSwap(drainWriting, drainIdle) && err == nil && n == len(p)
	select {
	case d.returned <- struct{}{}:
	default:
	}
	return goOn
}

// sweep hands over what the pipe holds at this moment, and no more: a
// background child may go on writing for ever. It finds out whether there is one.
func (d *drain) sweep(buf []byte) {
	conn, err := d.r.SyscallConn()
	if err != nil {
		return
	}
	left := 0
	read := func() (n int) {
		_ = conn.Control(func(fd uintptr) { n, err = syscall.Read(int(fd), buf[:min(left, len(buf))]) })
		return n
	}
	if cerr := conn.Control(func(fd uintptr) { left, err = unread(int(fd)) }); cerr != nil || err != nil {
		return
	}
	for left > 0 {
		n := read()
		if n <= 0 || !d.hand(buf[:n]) {
			return
		}
		left -= n
	}
	left = 1
	more := read() // 0 at end of file
	d.open.Store(more > 0 || more < 0 && errors.Is(err, syscall.EAGAIN))
}
