package screen

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// file is a terminal that is read without blocking, so that it is known at any time
// whether there is more.
type file struct {
	fd            int
	wake, stopper *os.File // the two ends of a pipe: wake can be read once it is to stop
}

// openFile opens the terminal at path once more, to read it.
func openFile(path string) (*file, error) {
	fd, err := unix.Open(path, readNow, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	wake, stopper, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return &file{fd, wake, stopper}, nil
}

// readNow opens a terminal to read what there is.
const readNow = unix.O_RDONLY | unix.O_NOCTTY | unix.O_NONBLOCK | unix.O_CLOEXEC

func (f *file) wait(d time.Duration) bool {
	var end time.Time
	if d >= 0 {
		end = time.Now().Add(d)
	}
	wake := int32(f.wake.Fd()) //nolint:gosec // descriptors are small
	for {
		timeout := -1
		if d >= 0 {
			timeout = int(min(max(0, time.Until(end)+time.Millisecond-1).Milliseconds(), math.MaxInt32))
		}
		on := []unix.PollFd{{Fd: int32(f.fd), Events: unix.POLLIN}, {Fd: wake, Events: unix.POLLIN}} //nolint:gosec // descriptors are small
		switch _, err := unix.Poll(on, timeout); {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil: // take says what
			return true
		}
		return on[0].Revents != 0 && on[1].Revents == 0
	}
}

func (f *file) take(p []byte) (int, error) {
	for {
		n, err := unix.Read(f.fd, p)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return 0, nil
		case err != nil:
			return 0, fmt.Errorf("read the terminal: %w", err)
		case n == 0:
			return 0, fmt.Errorf("read the terminal: %w", io.EOF)
		}
		return n, nil
	}
}

func (f *file) more() bool {
	n, err := unread(f.fd)
	return err == nil && n > 0
}

func (f *file) stop() {
	_, _ = f.stopper.Write([]byte{0}) // it has room for it
}

func (f *file) close() {
	_ = unix.Close(f.fd) // it was only read
	_ = f.wake.Close()
	_ = f.stopper.Close()
}

// stream is a terminal of which only a reader is known. Its goroutine ends when the
// terminal's Read does, after tcell's Drain.
type stream struct {
	pieces chan piece
	ended  chan struct{}
	once   sync.Once
	first  *piece // that wait has taken
}

type piece struct {
	bytes []byte
	err   error
}

func newStream(from io.Reader) *stream {
	s := &stream{pieces: make(chan piece), ended: make(chan struct{})}
	go func() {
		defer close(s.pieces)
		for {
			p := make([]byte, 4<<10)
			n, err := from.Read(p)
			if n == 0 && err == nil {
				err = io.EOF
			}
			select {
			case s.pieces <- piece{p[:n], err}:
			case <-s.ended:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return s
}

func (s *stream) wait(d time.Duration) bool {
	if s.first != nil {
		return true
	}
	var over <-chan time.Time
	if d >= 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case p, ok := <-s.pieces:
		if !ok {
			p.err = io.EOF
		}
		s.first = &p
		return true
	case <-over:
	case <-s.ended:
	}
	return false
}

func (s *stream) take(p []byte) (int, error) {
	if s.first == nil {
		return 0, nil
	}
	n := copy(p, s.first.bytes)
	s.first.bytes = s.first.bytes[n:]
	if len(s.first.bytes) > 0 {
		return n, nil
	}
	err := s.first.err
	s.first = nil
	if n > 0 && err != nil {
		s.first = &piece{err: err}
		return n, nil
	}
	return n, err
}

func (s *stream) more() bool { return s.first != nil }

func (s *stream) stop() { s.once.Do(func() { close(s.ended) }) }

func (s *stream) close() {
	for range s.pieces { // until its goroutine has ended
	}
}
