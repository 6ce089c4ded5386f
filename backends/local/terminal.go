package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends"
)

// terminal is a program on a pseudo terminal.
type terminal struct {
	*process
	master *os.File
}

var _ backends.Terminal = (*terminal)(nil)

// Terminal implements [backends.Target].
func (t *Target) Terminal(ctx context.Context, c backends.Command, size backends.Size) (backends.Terminal, error) {
	if c.Stdin != nil || c.Stderr != nil {
		return nil, errors.New("local: a terminal has one stream: Stdin and Stderr must be nil")
	}
	l, err := t.prepare(ctx, c)
	if err != nil {
		return nil, err
	}
	master, slave, err := openTerminal(size)
	if err != nil {
		return nil, err
	}
	out := c.Stdout
	if out == nil {
		out = io.Discard // a terminal that nobody reads stops its program
	}
	s := &streams{
		child: []*os.File{slave, slave, slave},
		out:   []*drain{newDrain(master, out)},
	}
	l.attr.Files = s.child
	l.attr.Sys = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	p, err := t.launch(ctx, l, s, syscall.SIGHUP)
	if err != nil {
		return nil, err
	}
	return &terminal{process: p, master: master}, nil
}

// openTerminal opens a pseudo terminal of the given size. The master end can be
// closed while another goroutine reads or writes it.
func openTerminal(size backends.Size) (master, slave *os.File, err error) {
	ws, err := winsize(size)
	if err != nil {
		return nil, nil, err
	}
	raw, slave, err := pty.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("local: open a pseudo terminal: %w", err)
	}
	defer func() { _ = raw.Close() }() // its copy goes on
	// The library leaves the descriptor in blocking mode, in which Close
	// cannot interrupt a Read.
	fd, err := unix.FcntlInt(raw.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, ws)
	}
	if err != nil {
		if fd >= 0 {
			_ = unix.Close(fd) // unused
		}
		_ = slave.Close() // unused
		return nil, nil, fmt.Errorf("local: set up a pseudo terminal: %w", err)
	}
	return os.NewFile(uintptr(fd), raw.Name()), slave, nil
}

func winsize(s backends.Size) (*unix.Winsize, error) {
	if s.Cols < 1 || s.Rows < 1 || s.Cols > math.MaxUint16 || s.Rows > math.MaxUint16 {
		return nil, fmt.Errorf("local: a terminal of %s is not possible", s)
	}
	return &unix.Winsize{Row: uint16(s.Rows), Col: uint16(s.Cols)}, nil
}

// Write implements [backends.Terminal].
func (t *terminal) Write(p []byte) (int, error) {
	n, err := t.master.Write(p)
	if err != nil {
		return n, fmt.Errorf("local: type into the terminal: %w", err)
	}
	return n, nil
}

// Resize implements [backends.Terminal].
func (t *terminal) Resize(size backends.Size) error {
	ws, err := winsize(size)
	if err != nil {
		return err
	}
	conn, err := t.master.SyscallConn()
	if err != nil {
		return fmt.Errorf("local: resize the terminal: %w", err)
	}
	var ioctlErr error
	err = conn.Control(func(fd uintptr) { ioctlErr = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, ws) })
	if err = errors.Join(err, ioctlErr); err != nil {
		return fmt.Errorf("local: resize the terminal: %w", err)
	}
	return nil
}
