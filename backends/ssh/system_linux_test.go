package ssh_test

import "golang.org/x/sys/unix"

// streamSocket makes a socket that no program inherits.
func streamSocket(family int) (fd int, err error) {
	return unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
}
