package mux

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// ownSession starts a program in a session of its own. It also ends with a test
// that is killed.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// pipe makes a pipe that no program inherits.
func pipe(ends *[2]int) error { return unix.Pipe2(ends[:], unix.O_CLOEXEC) }

// socketpair makes two connected sockets that no program inherits.
func socketpair() (ends [2]int, err error) {
	return unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
}

// blockingSocket makes a socket that no program inherits.
func blockingSocket() (fd int, err error) {
	return unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
}

// unread is the number of bytes that a pipe holds.
func unread(fd int) (int, error) { return unix.IoctlGetInt(fd, unix.TIOCINQ) }
