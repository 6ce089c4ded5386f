package mux

import (
	"errors"
	"io"
	"os"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// openTerminal makes the local terminal that a stock master wants to see: it
// takes the modes and the size from its standard input, and from nothing else
// (mux.c and clientloop.c of OpenSSH). The output goes through a pipe. A stock
// master writes as soon as it has told that the session is open, and nobody can
// make the terminal raw in time: as an output, it could change the first ends
// of line.
func (s *Session) openTerminal(t *Terminal) (theirs []*os.File, err error) {
	mine, their, err := pty.Open()
	if err != nil {
		return nil, err
	}
	if err = setSize(mine, t.Cols, t.Rows); err == nil {
		theirs, s.files, err = pipes(0, 1)
	}
	if err != nil {
		closeFiles([]*os.File{mine, their})
		return nil, err
	}
	s.pty = mine
	s.Stdin, s.Stdout, s.Stderr = typing{mine}, s.files[0], noInput{}
	s.files = append(s.files, mine)
	return []*os.File{their, theirs[0], theirs[0]}, nil
}

// typing is a terminal's input. It has no end of its own.
type typing struct{ io.Writer }

func (typing) Close() error { return nil }

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
