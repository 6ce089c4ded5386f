package questions

import "golang.org/x/sys/unix"

// What reads a terminal's settings, and sets them once its output is through: with what
// was typed before dropped, or kept (ioctl_tty(2)).
const (
	getTermios      = unix.TCGETS
	setTermiosFlush = unix.TCSETSF
	setTermiosDrain = unix.TCSETSW
)
