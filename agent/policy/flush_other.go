//go:build !linux

package policy

import "golang.org/x/sys/unix"

// flushRead is FREAD of <sys/fcntl.h> on the BSDs and macOS.
const flushRead = 1

// flushInput drops what a terminal has received and nobody has read.
func flushInput(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, flushRead) }

// unread is how many bytes a terminal has that can be read. It is not known here.
func unread(int) int { return 0 }
