//go:build !linux

package ssh_test

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// streamSocket makes a socket that no program inherits.
func streamSocket(family int) (fd int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if fd, err = unix.Socket(family, unix.SOCK_STREAM, 0); err == nil {
		unix.CloseOnExec(fd)
	}
	return fd, err
}
