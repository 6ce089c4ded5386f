package mux

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Request says what a session runs.
type Request struct {
	// Command is a command line for the far side's shell. Empty is a login
	// shell.
	Command string

	// Subsystem says that Command is the name of a subsystem, such as "sftp".
	Subsystem bool

	// Terminal, if not nil, asks for a terminal.
	Terminal *Terminal

	// Env are settings "NAME=value". The master passes on those that its own
	// SendEnv names, and drops the rest without a word.
	Env []string
}

// Terminal describes a terminal to ask for.
type Terminal struct {
	Term       string // its type, the value of TERM
	Cols, Rows int
}

// Session is a program that runs on the far side. Its streams may be used until
// Close. A program that writes waits for somebody to read.
type Session struct {
	// Stdin is the program's input; closing it is its end. On a terminal it is
	// what is typed, and closing it does nothing.
	Stdin io.WriteCloser
	// Stdout is its output, all of it on a terminal.
	Stdout io.Reader
	// Stderr is its standard error, and empty on a terminal.
	Stderr io.Reader

	control *net.UnixConn
	number  uint32
	pid     int      // of the master
	pty     *os.File // nil without a terminal
	files   []*os.File

	sizing  sync.Mutex // held while the terminal is given a size, or closed
	closing sync.Once
	told    chan struct{} // closed when the exit status is known or never will be
	done    chan struct{} // closed when the master has said all
	code    uint32
	err     error
}

// Start runs a program. The context is for the starting only; use Close to give
// a session up. The errors are Dial's, and RefusedError.
func (c *Client) Start(ctx context.Context, q Request) (*Session, error) {
	var s *Session
	err := c.with(ctx, OpenLimit, func(r *masterConn) error {
		var err error
		s, err = r.start(q)
		return err
	})
	if err != nil {
		return nil, err
	}
	go s.watch() // ends with the control connection
	return s, nil
}

func (r *masterConn) start(q Request) (*Session, error) {
	ask := sessionAsk{escape: noEscape, command: q.Command, subsystem: q.Subsystem, env: q.Env}
	if q.Command == "" && q.Subsystem {
		return nil, errors.New("a subsystem without a name")
	}
	s := &Session{control: r.conn, told: make(chan struct{}), done: make(chan struct{})}
	var theirs []*os.File
	var err error
	if q.Terminal != nil {
		ask.terminal, ask.term = true, q.Terminal.Term
		if s.pid, err = r.alive(); err != nil { // who is to be told of a new size
			return nil, err
		}
		theirs, err = s.openTerminal(q.Terminal)
	} else {
		theirs, err = s.openPipes()
	}
	if err != nil {
		return nil, err
	}
	defer closeFiles(theirs)
	if err := r.open(s, ask, theirs); err != nil {
		closeFiles(s.files)
		return nil, err
	}
	r.keep()
	return s, nil
}

// open sends the request with its descriptors, one right after the other: a
// stock master waits for them and for nothing else meanwhile.
func (r *masterConn) open(s *Session, ask sessionAsk, theirs []*os.File) error {
	if err := ask.frame(r.request()).writeTo(r.conn); err != nil {
		return err
	}
	if err := r.sendFiles(theirs[0], theirs[1], theirs[2]); err != nil {
		return err
	}
	body, err := r.reply(sayOpened)
	if err != nil {
		return err
	}
	if s.number = body.u32(); body.bad {
		return broken("a session without a number")
	}
	if s.pty != nil {
		// The master has read the terminal's modes by now; nothing is typed yet.
		return setRaw(s.pty)
	}
	return nil
}

func (s *Session) openPipes() (theirs []*os.File, err error) {
	theirs, s.files, err = pipes(1, 2)
	if err != nil {
		return nil, err
	}
	s.Stdin, s.Stdout, s.Stderr = s.files[0], s.files[1], s.files[2]
	return theirs, nil
}

// watch reads what the master says about the session, to its end.
func (s *Session) watch() {
	defer close(s.done)
	tell := sync.OnceFunc(func() { close(s.told) })
	defer tell()
	s.err = ErrNoExitStatus
	for {
		kind, body, err := readFrame(s.control)
		if err != nil {
			return // the master has closed, or we have
		}
		number := body.u32()
		switch {
		case body.bad || number != s.number:
			s.fail(broken("message %#x about session %d in place of %d", kind, number, s.number))
			return
		case kind == sayExit:
			code := body.u32()
			if body.bad {
				s.fail(broken("an exit message without a status"))
				return
			}
			if s.err == ErrNoExitStatus { //nolint:errorlint // nothing wraps it here; only the first status counts
				s.code, s.err = code, nil
			}
			// A background child of the program may keep the session open.
			tell()
		case kind == sayNoTerminal:
			s.fail(ErrNoTerminal)
			return
		default:
			s.fail(broken("message %#x in a session", kind))
			return
		}
	}
}

// fail notes why there is no exit status, unless there is one.
func (s *Session) fail(err error) {
	if s.err != nil {
		s.err = err
	}
}

// Wait returns the program's exit status once it is known. The streams may
// still hold output, and more may come of what the program has left behind. ErrNoExitStatus means that the outcome is
// unknown: a signal ended the program, or the connection or the master ended,
// or Close was called. Wait may be called more than once.
func (s *Session) Wait() (code int, err error) {
	<-s.told
	return int(s.code), s.err
}

// Resize tells the program on a terminal its new size.
func (s *Session) Resize(cols, rows int) error {
	if s.pty == nil {
		return errors.New("resize: the session has no terminal")
	}
	s.sizing.Lock()
	err := setSize(s.pty, cols, rows)
	s.sizing.Unlock()
	if err != nil {
		return fmt.Errorf("resize: %w", err)
	}
	select {
	case <-s.done:
		return nil
	default:
	}
	// The signal means nothing to a process that does not expect it.
	if err := unix.Kill(s.pid, unix.SIGWINCH); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("resize: tell the master: %w", err)
	}
	return nil
}

// GiveUp ends the session as Close does, but what has come from it can still be
// read, to its end. Close is to be called afterwards.
func (s *Session) GiveUp() {
	_ = s.control.Close() // the master notices
	if s.pty == nil {
		_ = s.Stdin.Close() // nobody takes it any more
	}
}

// Close gives the session up and frees its streams. What the program does then
// is the far side's affair: there is no way to send it a signal. Output that
// was not read is lost. More calls than one are harmless.
func (s *Session) Close() error {
	s.closing.Do(func() {
		_ = s.control.Close() // the master notices
		s.sizing.Lock()
		defer s.sizing.Unlock()
		closeFiles(s.files)
	})
	<-s.done
	return nil
}
