package mux

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Whoever connects while the queue of a socket is full waits until there is room.
func TestAFullQueueIsWaitedFor(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	raw, err := l.(*net.UnixListener).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) { err = unix.Listen(int(fd), 0) }); err != nil {
		t.Fatal(err)
	}
	const many = 20
	done := make(chan error, many)
	for range many {
		go func() {
			c, err := DialSocket(t.Context(), new(net.Dialer), path)
			if err == nil {
				_ = c.Close()
			}
			done <- err
		}()
	}
	for ended := 0; ended < many; {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			ended++
		case <-time.After(time.Millisecond): // the queue is full, or empty
			_ = l.(*net.UnixListener).SetDeadline(time.Now().Add(time.Second))
			if c, err := l.Accept(); err == nil {
				_ = c.Close()
			}
		}
	}
}
