//go:build !linux

package main

import (
	"errors"
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

// queueLength is how many connections wait at a listener.
func queueLength(int) (int, error) {
	return 0, errors.New("how many connections wait is only known on Linux")
}

// threadUser makes user the effective user of this thread.
func threadUser(uintptr) (back func(), err error) {
	return nil, errors.New("a thread has a user of its own only on Linux")
}
