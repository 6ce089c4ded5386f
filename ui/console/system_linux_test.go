package console_test

import "golang.org/x/sys/unix"

// getTermios reads a terminal's settings (ioctl_tty(2)).
const getTermios = unix.TCGETS

// unread is the number of bytes that the terminal fd has for a reader now.
func unread(fd int) (int, error) { return unix.IoctlGetInt(fd, unix.TIOCINQ) }
