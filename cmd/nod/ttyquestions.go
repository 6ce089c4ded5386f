package main

import (
	"bufio"
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/tools/desk"
)

// questionsOnTerminal asks on the controlling terminal, in plain lines. Where
// there is none, nothing is answered.
func (a *app) questionsOnTerminal() (ask ssh.Asker, closeTTY func()) {
	none := func() {}
	if a.inFile == nil || !term.IsTerminal(int(a.inFile.Fd())) {
		return ssh.Asker{}, none
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return ssh.Asker{}, none
	}
	t := &ttyQuestions{tty: tty}
	return t.asker(), func() { _ = tty.Close() } // it was read and written a line at a time
}

// allowOnTerminal asks for a yes on the controlling terminal; nil where there is
// none.
func (a *app) allowOnTerminal() (allow allower, closeTTY func()) {
	if a.inFile == nil || !term.IsTerminal(int(a.inFile.Fd())) {
		return nil, func() {}
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, func() {}
	}
	return (&ttyQuestions{tty: tty}).allow, func() { _ = tty.Close() } // it was read and written a line at a time
}

// chooseOnTerminal lets the operator choose on the controlling terminal; nil where
// there is none.
func (a *app) chooseOnTerminal() (choose desk.Asker, closeTTY func()) {
	if a.inFile == nil || !term.IsTerminal(int(a.inFile.Fd())) {
		return nil, func() {}
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, func() {}
	}
	return (&ttyQuestions{tty: tty}).choose, func() { _ = tty.Close() } // it was read and written a line at a time
}

func (t *ttyQuestions) allow(ctx context.Context, _, text string) (bool, error) {
	line, err := t.ask(ctx, text+" [yes/N] ", true)
	return line == "yes" || line == "y", err
}

// ttyQuestions asks one question at a time.
type ttyQuestions struct {
	mu  sync.Mutex
	tty *os.File
}

func (t *ttyQuestions) asker() ssh.Asker {
	return ssh.Asker{
		Confirm: func(ctx context.Context, q ssh.HostKeyQuestion) (bool, error) {
			line, err := t.ask(ctx, hostKeyText(q)+" [yes/N] ", true)
			return line == "yes" || line == "y", err
		},
		Secret: func(ctx context.Context, q ssh.SecretQuestion) (string, error) {
			return t.ask(ctx, secretText(q)+": ", q.Echo)
		},
	}
}

// ask asks and waits for a line that is typed from now on, or for the end of
// ctx. The terminal is left as it was.
func (t *ttyQuestions) ask(ctx context.Context, text string, echo bool) (line string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	restore, err := t.prepare(echo)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, restore()) }()
	if _, err := t.tty.WriteString(printable(text)); err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { _ = t.tty.SetReadDeadline(time.Unix(1, 0)) }) // a terminal has deadlines
	line, err = bufio.NewReader(t.tty).ReadString('\n')
	if !stop() {
		return "", errors.Join(context.Cause(ctx), t.tty.SetReadDeadline(time.Time{}))
	}
	return strings.TrimRight(line, "\r\n"), err
}

// prepare forgets what was typed before the question and, for a secret, switches
// the echo off.
func (t *ttyQuestions) prepare(echo bool) (restore func() error, err error) {
	old := &unix.Termios{}
	err = t.control(func(fd int) error {
		var err error
		if old, err = unix.IoctlGetTermios(fd, unix.TCGETS); err != nil {
			return err
		}
		silent := *old
		if !echo {
			silent.Lflag &^= unix.ECHO
			silent.Lflag |= unix.ICANON | unix.ISIG
		}
		return unix.IoctlSetTermios(fd, unix.TCSETSF, &silent)
	})
	return func() error {
		err := t.control(func(fd int) error { return unix.IoctlSetTermios(fd, unix.TCSETSW, old) })
		if !echo {
			_, endErr := t.tty.WriteString("\n")
			err = errors.Join(err, endErr)
		}
		return err
	}, err
}

// control works on the descriptor without making it blocking, as Fd would.
func (t *ttyQuestions) control(do func(fd int) error) error {
	raw, err := t.tty.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = do(int(fd)) }); err != nil {
		return err
	}
	return inner
}
