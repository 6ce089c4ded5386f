package mux

import (
	"errors"
	"io"
	"os"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// openTerminal makes the local terminal that a stock master wants to see: it
// takes the modes and the size from it.
func (s *Session) openTerminal(t *Terminal) (theirs []*os.File, err error) {
	mine, their, err := pty.Open()
	if err != nil {
		return nil, err
	}
	s.files = []*os.File{mine}
	theirs = []*os.File{their, their, their}
	if err := setSize(mine, t.Cols, t.Rows); err != nil {
		closeFiles(append(theirs[:1], mine))
		return nil, err
	}
	s.pty = mine
	s.Stdin, s.Stdout, s.Stderr = typing{mine}, ptyOutput{mine}, noInput{}
	return theirs, nil
}

// typing is a terminal's input. It has no end of its own.
type typing struct{ io.Writer }

func (typing) Close() error { return nil }

// ptyOutput ends when the last holder of the terminal's other side is gone,
// which the kernel calls EIO.
type ptyOutput struct{ f *os.File }

func (p ptyOutput) Read(b []byte) (int, error) {
	n, err := p.f.Read(b)
	if errors.Is(err, unix.EIO) {
		err = io.EOF
	}
	return n, err
}

func setSize(f *os.File, cols, rows int) error {
	const most = 1<<16 - 1
	if cols < 0 || rows < 0 || cols > most || rows > most {
		return errors.New("a terminal's size is between 0 and 65535")
	}
	return pty.Setsize(f, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
}

// setRaw makes the local terminal pass all bytes as they are: the far side's
// does the work.
func setRaw(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) {
		var t *unix.Termios
		if t, failed = unix.IoctlGetTermios(int(fd), getTermios); failed != nil {
			return
		}
		t.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
		t.Oflag &^= unix.OPOST
		t.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
		t.Cflag = t.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
		t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
		failed = unix.IoctlSetTermios(int(fd), setTermios, t)
	}); err != nil {
		return err
	}
	return failed
}
