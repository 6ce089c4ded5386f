package questions

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/ui/screen"
)

// Allow asks a question that is answered by yes or no; an empty line is a no.
func (t *Terminal) Allow(ctx context.Context, _, text string) (bool, error) {
	line, err := t.Ask(ctx, text+" [yes/N] ", true)
	return line == "yes" || line == "y", err
}

// Terminal asks in plain lines on the controlling terminal, one question at a time.
// A nil one stands for no terminal: then nobody can be asked.
type Terminal struct {
	mu  sync.Mutex
	Tty *os.File
}

// OnTerminal asks on the controlling terminal of a nod whose standard input is one; nil where
// there is none.
func OnTerminal(s *process.System) *Terminal {
	if !s.OnInput() {
		return nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	return &Terminal{Tty: tty}
}

// Close lets go of the terminal, which was read and written a line at a time.
func (t *Terminal) Close() {
	if t != nil {
		_ = t.Tty.Close()
	}
}

// Allower asks for a yes.
func (t *Terminal) Allower() Allower {
	if t == nil {
		return nil
	}
	return t.Allow
}

// Chooser lets the operator choose.
func (t *Terminal) Chooser() desk.Asker {
	if t == nil {
		return nil
	}
	return t.Choose
}

// Asker asks the questions of logins.
func (t *Terminal) Asker() ssh.Asker {
	if t == nil {
		return ssh.Asker{}
	}
	return ssh.Asker{
		Confirm: func(ctx context.Context, q ssh.HostKeyQuestion) (bool, error) {
			line, err := t.Ask(ctx, hostKeyText(q)+" [yes/N] ", true)
			return line == "yes" || line == "y", err
		},
		Secret: func(ctx context.Context, q ssh.SecretQuestion) (string, error) {
			return t.Ask(ctx, secretLine(q), q.Echo)
		},
	}
}

// secretLine asks for what a login wants where no title names its host: several may ask.
func secretLine(q ssh.SecretQuestion) string {
	text := secretText(q) + ": "
	if q.Kind != ssh.Password { // which names it
		text = q.Host + ": " + text
	}
	return text
}

// Ask asks and waits for a line that is typed from now on, or for the end of
// ctx. The terminal is left as it was.
func (t *Terminal) Ask(ctx context.Context, text string, echo bool) (line string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	restore, err := t.prepare(echo)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, restore()) }()
	if _, err := t.Tty.WriteString(screen.CleanLines(text)); err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { _ = t.Tty.SetReadDeadline(time.Unix(1, 0)) }) // a terminal has deadlines
	line, err = bufio.NewReader(t.Tty).ReadString('\n')
	if !stop() {
		return "", errors.Join(context.Cause(ctx), t.Tty.SetReadDeadline(time.Time{}))
	}
	return strings.TrimRight(line, "\r\n"), err
}

// prepare forgets what was typed before the question and, for a secret, switches
// the echo off.
func (t *Terminal) prepare(echo bool) (restore func() error, err error) {
	old := &unix.Termios{}
	err = t.control(func(fd int) error {
		var err error
		if old, err = unix.IoctlGetTermios(fd, getTermios); err != nil {
			return err
		}
		silent := *old
		if !echo {
			silent.Lflag &^= unix.ECHO
			silent.Lflag |= unix.ICANON | unix.ISIG
		}
		return unix.IoctlSetTermios(fd, setTermiosFlush, &silent)
	})
	return func() error {
		err := t.control(func(fd int) error { return unix.IoctlSetTermios(fd, setTermiosDrain, old) })
		if !echo {
			_, endErr := t.Tty.WriteString("\n")
			err = errors.Join(err, endErr)
		}
		return err
	}, err
}

// control works on the descriptor without making it blocking, as Fd would.
func (t *Terminal) control(do func(fd int) error) error {
	raw, err := t.Tty.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = do(int(fd)) }); err != nil {
		return err
	}
	return inner
}

// leastWords is how many characters an answer in the operator's own words has.
const leastWords = 2

// Choose lets the operator choose on the terminal, by a number, or answer in their own
// words.
func (t *Terminal) Choose(ctx context.Context, text string, options []string) (desk.Choice, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe model asks: %s\n", text)
	for i, o := range options {
		fmt.Fprintf(&b, "  %d  %s\n", i+1, o)
	}
	line, err := t.Ask(ctx, fmt.Sprintf("%sWhich one? [1-%d, or your own words; nothing for none] ", b.String(), len(options)), true)
	if err != nil {
		return desk.Choice{}, err
	}
	line = strings.TrimSpace(line)
	switch number, err := strconv.Atoi(line); {
	case err == nil && number >= 1 && number <= len(options):
		return desk.Choice{Given: true, Option: number - 1}, nil
	case err == nil || len([]rune(line)) < leastWords: // a number that is none of them, a slip of a finger
		return desk.Choice{}, nil
	}
	return desk.Choice{Given: true, Own: line}, nil
}
