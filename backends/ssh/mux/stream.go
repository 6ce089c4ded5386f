package mux

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// stream is a descriptor that a client passed to us. A Read or Write that
// waits returns at once when the stream is closed, and nothing is read after
// that: what is typed next belongs to the operator's shell.
//
// The open file description behind a passed descriptor is shared with the
// client's other holders, so its flags are not ours to change.
type stream struct {
	fd     int
	access access
	wake   bell // rings once the stream is closed
	closed atomic.Bool

	mu       sync.Mutex
	users    int           // calls of Read, Write and control
	polling  int           // those of them that wait and will look before they touch the descriptor again
	still    chan struct{} // closed when nobody touches the descriptor any more
	released chan struct{} // closed when the descriptor is
}

// access is how a descriptor can be used without blocking for ever.
type access uint8

const (
	// shared descriptors are used as they are, after poll(2) said so.
	shared access = iota
	// private ones have an open file description of our own, non-blocking.
	private
	// socket ones take MSG_DONTWAIT with each call.
	socket
	// direct ones never block for long: files, disks, /dev/null.
	direct
)

// releaseLimit is how long to wait for a read or write that is stuck in the
// kernel before the client is told of the end without it.
const releaseLimit = time.Second

// newStream takes over fd.
func newStream(fd int) (*stream, error) {
	wake, err := newBell()
	if err != nil {
		_ = unix.Close(fd) // taken over
		return nil, err
	}
	s := &stream{fd: fd, wake: wake, still: make(chan struct{}), released: make(chan struct{})}
	s.prepare()
	return s, nil
}

// newStreams takes over all fds, also if it fails.
func newStreams(fds []int) ([]*stream, error) {
	var all []*stream
	var failed error
	for _, fd := range fds {
		s, err := newStream(fd)
		if err != nil {
			failed = err
			continue
		}
		all = append(all, s)
	}
	if failed != nil {
		for _, s := range all {
			s.Close()
		}
		return nil, failed
	}
	return all, nil
}

func (s *stream) prepare() {
	var st unix.Stat_t
	if err := unix.Fstat(s.fd, &st); err != nil {
		return
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFSOCK:
		s.access = socket
	case unix.S_IFREG, unix.S_IFBLK:
		s.access = direct
	case unix.S_IFIFO:
		s.reopen(&st)
	case unix.S_IFCHR:
		if neverBlocks(&st) {
			s.access = direct
			return
		}
		s.reopen(&st)
	}
}

// reopen exchanges the descriptor for one with an open file description of our
// own. It may fail, for instance on a terminal of another user.
func (s *stream) reopen(st *unix.Stat_t) {
	path, same, ok := reopenable(s.fd, st)
	if !ok {
		return
	}
	flags, err := unix.FcntlInt(uintptr(s.fd), unix.F_GETFL, 0)
	if err != nil {
		return
	}
	fd, err := unix.Open(path, flags&unix.O_ACCMODE|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	if !same(fd) {
		_ = unix.Close(fd) // not the same device
		return
	}
	_ = unix.Close(s.fd) // replaced
	s.fd, s.access = fd, private
}

// Read waits for input. io.ErrClosedPipe means that the stream was closed.
func (s *stream) Read(p []byte) (int, error) {
	if !s.enter() {
		return 0, io.ErrClosedPipe
	}
	defer s.leave()
	ready := s.access != shared
	for {
		if !ready {
			if err := s.poll(unix.POLLIN); err != nil {
				return 0, err
			}
		}
		if s.closed.Load() {
			return 0, io.ErrClosedPipe
		}
		n, err := s.readOnce(p)
		switch {
		case errors.Is(err, unix.EAGAIN):
			ready = false
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// Write writes all of p, or returns what is wrong.
func (s *stream) Write(p []byte) (int, error) {
	if !s.enter() {
		return 0, io.ErrClosedPipe
	}
	defer s.leave()
	ready := s.access != shared
	done := 0
	for done < len(p) {
		if !ready {
			if err := s.poll(unix.POLLOUT); err != nil {
				return done, err
			}
		}
		if s.closed.Load() {
			return done, io.ErrClosedPipe
		}
		n, err := s.writeOnce(p[done:])
		switch {
		case errors.Is(err, unix.EAGAIN):
			ready = false
			continue
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return done, err
		}
		done += n
		ready = s.access != shared
	}
	return done, nil
}

func (s *stream) readOnce(p []byte) (int, error) {
	if s.access == socket {
		n, _, _, _, err := unix.Recvmsg(s.fd, p, nil, unix.MSG_DONTWAIT)
		return n, err
	}
	return unix.Read(s.fd, p)
}

func (s *stream) writeOnce(p []byte) (int, error) {
	switch s.access {
	case socket:
		return unix.SendmsgN(s.fd, p, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	case shared:
		p = p[:min(len(p), atomicWrite)]
	}
	return unix.Write(s.fd, p)
}

// poll waits for events on the descriptor or for the end of the stream, which
// comes first if both are there.
func (s *stream) poll(events int16) error {
	fds := [2]unix.PollFd{{Fd: int32(s.wake.fd), Events: unix.POLLIN}, {Fd: int32(s.fd), Events: events}}
	s.setPolling(1)
	defer s.setPolling(-1)
	for {
		err := pollAny(&fds)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return fmt.Errorf("poll: %w", err)
		case fds[0].Revents != 0:
			return io.ErrClosedPipe
		case fds[1].Revents != 0:
			return nil
		}
	}
}

func (s *stream) setPolling(by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.polling += by
	s.settle()
}

func (s *stream) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return false
	}
	s.users++
	return true
}

func (s *stream) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	s.settle()
}

// Close ends what waits on the stream. The descriptor itself is closed by the
// last user; see closeAndWait.
func (s *stream) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Swap(true) {
		return
	}
	if s.users > 0 {
		s.wake.ring()
	}
	s.settle()
}

// settle says what has become true since the stream was closed. The caller
// holds mu.
func (s *stream) settle() {
	if !s.closed.Load() {
		return
	}
	if s.users == s.polling {
		closeOnce(s.still)
	}
	if s.users == 0 && closeOnce(s.released) {
		_ = unix.Close(s.fd) // nothing to do about an error here
		s.wake.close()
	}
}

// closeOnce closes c and reports whether it was open. Its callers take turns.
func closeOnce(c chan struct{}) bool {
	select {
	case <-c:
		return false
	default:
		close(c)
		return true
	}
}

// closeAndWait closes the streams and returns when nobody touches their
// descriptors any more, or after releaseLimit if a call is stuck in the kernel.
func closeAndWait(streams ...*stream) {
	for _, s := range streams {
		s.Close()
	}
	var limit <-chan time.Time
	for _, s := range streams {
		select {
		case <-s.still:
			continue
		default:
		}
		if limit == nil {
			limit = time.After(releaseLimit)
		}
		select {
		case <-s.still:
		case <-limit:
			return
		}
	}
}

// control calls do with the descriptor while it is open, and reports whether
// it was.
func (s *stream) control(do func(fd int)) bool {
	if !s.enter() {
		return false
	}
	defer s.leave()
	do(s.fd)
	return true
}
