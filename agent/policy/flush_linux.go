package policy

import "golang.org/x/sys/unix"

// flushInput drops what a terminal has received and nobody has read.
func flushInput(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

// unread is how many bytes a terminal has that can be read; 0 where fd is none.
func unread(fd int) int {
	if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err != nil {
		return 0
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}
