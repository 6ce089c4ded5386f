package screen

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// What reads and sets a terminal's settings at once (ioctl_tty(2)).
const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

// unread is the number of bytes that the terminal fd has for a reader now.
func unread(fd int) (int, error) { return unix.IoctlGetInt(fd, unix.TIOCINQ) }

// resumeOutput lets a terminal go on that was stopped, by Ctrl-S for example.
func resumeOutput(fd int) error { return unix.IoctlSetInt(fd, unix.TCXONC, unix.TCOON) }

// dropOutput drops what was written and the terminal has not taken.
func dropOutput(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCOFLUSH) }

// dropInput drops what the terminal has received and nobody has read.
func dropInput(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

// crashPipe is a pipe that holds one write at a time: packets (pipe(2), O_DIRECT), in
// one page.
func crashPipe() (in, out *os.File, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_DIRECT); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	in, out = os.NewFile(uintptr(ends[0]), "guard"), os.NewFile(uintptr(ends[1]), "guard")
	if _, err := unix.FcntlInt(out.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize()); err != nil {
		return nil, nil, errors.Join(err, in.Close(), out.Close())
	}
	return in, out, nil
}

// recoverable is settings as stty -g prints them on Linux. A stty that prints
// something else refuses it.
func recoverable(t *unix.Termios) string {
	const characters = 32 // of which the kernel knows fewer
	fields := []string{fmt.Sprintf("%x:%x:%x:%x", t.Iflag, t.Oflag, t.Cflag, t.Lflag)}
	for i := range characters {
		var c uint8
		if i < len(t.Cc) {
			c = t.Cc[i]
		}
		fields = append(fields, fmt.Sprintf("%x", c))
	}
	return strings.Join(fields, ":")
}
