//go:build !linux

package questions

import "golang.org/x/sys/unix"

// What reads a terminal's settings, and sets them once its output is through: with what
// was typed before dropped, or kept (tty(4) of the BSDs and macOS).
const (
	getTermios      = unix.TIOCGETA
	setTermiosFlush = unix.TIOCSETAF
	setTermiosDrain = unix.TIOCSETAW
)
