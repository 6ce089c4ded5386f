//go:build !linux

package screen

import (
	"os"

	"golang.org/x/sys/unix"
)

// What reads and sets a terminal's settings at once (tty(4) of the BSDs and macOS).
const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

// Of <sys/fcntl.h>: which queue TIOCFLUSH drops.
const (
	queueIn  = 1 // FREAD
	queueOut = 2 // FWRITE
)

// unread is the number of bytes that the terminal fd has for a reader now
// (FIONREAD of <sys/filio.h>, the same number on macOS and the BSDs).
func unread(fd int) (int, error) { return unix.IoctlGetInt(fd, 0x4004667f) }

// resumeOutput lets a terminal go on that was stopped, by Ctrl-S for example.
func resumeOutput(fd int) error { return unix.IoctlSetInt(fd, unix.TIOCSTART, 0) }

// dropOutput drops what was written and the terminal has not taken.
func dropOutput(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, queueOut) }

// dropInput drops what the terminal has received and nobody has read.
func dropInput(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, queueIn) }

// crashPipe is a plain pipe: these systems have none that holds one write at a time, so
// a crash does not wait for the guard.
func crashPipe() (in, out *os.File, err error) { return os.Pipe() }

// recoverable asks stty for what it calls sane: its -g form is another one on each system.
func recoverable(*unix.Termios) string { return "sane" }
