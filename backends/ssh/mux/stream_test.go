package mux

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// ends are the two ends of something that a client can pass: ours is read and
// written by the stream under test, theirs by the test.
type ends struct {
	name         string
	ours, theirs *os.File
	want         access
}

// passable makes one of each kind for reading, or for writing.
func passable(t *testing.T, reading bool) []ends {
	t.Helper()
	blocking := func(f *os.File, err error) *os.File {
		check(t, err)
		check(t, unix.SetNonblock(int(f.Fd()), false)) // as a shell's descriptors are
		t.Cleanup(func() { quietly(f) })
		return f
	}
	var fds [2]int
	check(t, pipe(&fds))
	if !reading {
		fds[0], fds[1] = fds[1], fds[0]
	}
	pipe := ends{"pipe", blocking(os.NewFile(uintptr(fds[0]), "ours"), nil), blocking(os.NewFile(uintptr(fds[1]), "theirs"), nil), private}
	fds, err := socketpair()
	check(t, err)
	sockets := ends{"socket", blocking(os.NewFile(uintptr(fds[0]), "ours"), nil), blocking(os.NewFile(uintptr(fds[1]), "theirs"), nil), socket}
	theirs, ours, err := pty.Open()
	check(t, err)
	check(t, setRaw(ours))
	tty := ends{"terminal", blocking(ours, nil), blocking(theirs, nil), private}
	return []ends{pipe, sockets, tty}
}

// passed is a copy of a file's descriptor, as it comes through a socket.
func passed(t *testing.T, f *os.File) *stream {
	t.Helper()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	check(t, err)
	s, err := newStream(fd)
	check(t, err)
	return s
}

func flagsOf(t *testing.T, f *os.File) int {
	t.Helper()
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	check(t, err)
	return flags
}

// TestStreamTakesNothing: a read that waits ends with the stream, the flags of
// the shared description never change, and the next byte is for the next
// reader.
func TestStreamTakesNothing(t *testing.T) {
	for _, e := range passable(t, true) {
		t.Run(e.name, func(t *testing.T) {
			before := flagsOf(t, e.ours)
			s := passed(t, e.ours)
			if s.access != e.want {
				t.Errorf("access %d, want %d", s.access, e.want)
			}
			_, err := e.theirs.WriteString("first")
			check(t, err)
			buf := make([]byte, 100)
			n, err := s.Read(buf)
			if string(buf[:n]) != "first" || err != nil {
				t.Errorf("%q %v", buf[:n], err)
			}
			var reading sync.WaitGroup
			reading.Go(func() {
				if n, err := s.Read(make([]byte, 100)); n != 0 || !errors.Is(err, io.ErrClosedPipe) {
					t.Errorf("read after the end: %d %v", n, err)
				}
			})
			until(t, "the reader", func() bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				return s.users == 1
			})
			if during := flagsOf(t, e.ours); during != before {
				t.Errorf("flags %#x, were %#x", during, before)
			}
			s.Close()
			reading.Wait()
			<-s.released
			if after := flagsOf(t, e.ours); after != before {
				t.Errorf("flags %#x, were %#x", after, before)
			}
			_, err = e.theirs.WriteString("k")
			check(t, err)
			n, err = e.ours.Read(buf)
			if string(buf[:n]) != "k" || err != nil {
				t.Errorf("the keystroke: %q %v", buf[:n], err)
			}
		})
	}
}

// TestStreamWriteEnds: a write that nobody takes ends with the stream.
func TestStreamWriteEnds(t *testing.T) {
	for _, e := range passable(t, false) {
		t.Run(e.name, func(t *testing.T) {
			s := passed(t, e.ours)
			var writing sync.WaitGroup
			writing.Go(func() {
				if _, err := s.Write(make([]byte, 8<<20)); !errors.Is(err, io.ErrClosedPipe) {
					t.Errorf("write after the end: %v", err)
				}
			})
			until(t, "the writer", func() bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				return s.users == 1
			})
			start := time.Now()
			closeAndWait(s)
			select {
			case <-s.still:
			default:
				t.Errorf("waited %v, and somebody still writes", time.Since(start))
			}
			writing.Wait()
		})
	}
}

// TestStreamCarries: what goes in comes out, also where the description could
// not be opened anew.
func TestStreamCarries(t *testing.T) {
	data := []byte(strings.Repeat("0123456789abcdef", 64<<10))
	for _, forced := range []bool{false, true} {
		for i, in := range passable(t, true) {
			out := passable(t, false)[i]
			t.Run(in.name, func(t *testing.T) {
				r, w := passed(t, in.ours), passed(t, out.ours)
				if forced {
					r.Close()
					w.Close()
					r, w = passShared(t, in.ours), passShared(t, out.ours)
				}
				var work sync.WaitGroup
				work.Go(func() { _, _ = in.theirs.Write(data) })
				work.Go(func() { _, _ = io.CopyN(w, r, int64(len(data))) })
				got := make([]byte, len(data))
				if _, err := io.ReadFull(out.theirs, got); err != nil || !bytes.Equal(got, data) {
					t.Errorf("%v, same %v", err, bytes.Equal(got, data))
				}
				work.Wait()
				closeAndWait(r, w)
			})
		}
	}
}

// passShared is passed for a description that cannot be opened anew.
func passShared(t *testing.T, f *os.File) *stream {
	t.Helper()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	check(t, err)
	wake, err := newBell()
	check(t, err)
	return &stream{fd: fd, wake: wake, access: shared, still: make(chan struct{}), released: make(chan struct{})}
}

func TestStreamKinds(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/file")
	check(t, err)
	defer quietly(file)
	null, err := os.Open(os.DevNull)
	check(t, err)
	defer quietly(null)
	ptmx, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	check(t, err)
	defer quietly(ptmx)
	for _, c := range []struct {
		f    *os.File
		want access
	}{{file, direct}, {null, direct}, {ptmx, shared}} {
		s := passed(t, c.f)
		if s.access != c.want {
			t.Errorf("%s: access %d, want %d", c.f.Name(), s.access, c.want)
		}
		s.Close()
	}
	// The offset of a file is shared with whoever passed it.
	s := passed(t, file)
	_, err = io.WriteString(s, "abc")
	check(t, err)
	s.Close()
	if at, err := file.Seek(0, io.SeekCurrent); at != 3 || err != nil {
		t.Errorf("offset %d %v", at, err)
	}
}

// TestAClosedStreamTouchesNothing: a stream that ends in the very instant in which its
// descriptor becomes ready is neither read nor written. The lock holds up what has
// waited, until both are so.
func TestAClosedStreamTouchesNothing(t *testing.T) {
	r, w, err := os.Pipe()
	check(t, err)
	defer quietly(r)
	defer quietly(w)
	for _, reads := range []bool{true, false} {
		end := r
		if !reads {
			end = w
			fill(t, w)
		}
		s := passShared(t, end)
		done := make(chan error, 1)
		go func() {
			var err error
			if reads {
				_, err = s.Read(make([]byte, 10))
			} else {
				_, err = s.Write([]byte("late"))
			}
			done <- err
		}()
		until(t, "the wait", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.polling == 1
		})
		s.mu.Lock()
		s.closed.Store(true)
		if reads {
			_, err = w.WriteString("k")
		} else {
			_, err = io.ReadFull(r, make([]byte, 8<<10)) // there is room now
		}
		s.mu.Unlock()
		check(t, err)
		if err := <-done; !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("reads %t: %v", reads, err)
		}
		<-s.released
		if reads {
			key := make([]byte, 10)
			n, err := r.Read(key)
			if string(key[:n]) != "k" || err != nil {
				t.Errorf("the keystroke: %q %v", key[:n], err)
			}
		}
	}
}

// fill writes to a pipe until it takes no more.
func fill(t *testing.T, w *os.File) {
	t.Helper()
	fd := int(w.Fd()) // which makes it block
	check(t, unix.SetNonblock(fd, true))
	for {
		if _, err := unix.Write(fd, make([]byte, 4096)); err != nil {
			break
		}
	}
	check(t, unix.SetNonblock(fd, false))
}
