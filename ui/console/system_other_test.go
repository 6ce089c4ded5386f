//go:build !linux

package console_test

import "golang.org/x/sys/unix"

// getTermios reads a terminal's settings (tty(4) of the BSDs and macOS).
const getTermios = unix.TIOCGETA

// unread is the number of bytes that the terminal fd has for a reader now
// (FIONREAD of <sys/filio.h>, the same number on macOS and the BSDs).
func unread(fd int) (int, error) { return unix.IoctlGetInt(fd, 0x4004667f) }
