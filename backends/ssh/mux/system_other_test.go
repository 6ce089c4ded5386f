//go:build !linux

package mux

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// ownSession starts a program in a session of its own. It outlives a test that is
// killed.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// pipe makes a pipe that no program inherits.
func pipe(ends *[2]int) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	err := unix.Pipe(ends[:])
	if err == nil {
		unix.CloseOnExec(ends[0])
		unix.CloseOnExec(ends[1])
	}
	return err
}

// socketpair makes two connected sockets that no program inherits.
func socketpair() (ends [2]int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if ends, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); err == nil {
		unix.CloseOnExec(ends[0])
		unix.CloseOnExec(ends[1])
	}
	return ends, err
}

// blockingSocket makes a socket that no program inherits.
func blockingSocket() (fd int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); err == nil {
		unix.CloseOnExec(fd)
	}
	return fd, err
}

// unread is the number of bytes that a pipe holds (FIONREAD of <sys/filio.h>, the same
// number on macOS and the BSDs).
func unread(fd int) (int, error) { return unix.IoctlGetInt(fd, 0x4004667f) }
