package screen

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gdamore/tcell/v2"
	"golang.org/x/sys/unix"
)

// quietTTY is a terminal device that does not send what would change nothing.
// Writes are safe for concurrent use: those of tcell's own goroutines, which
// repaint after a change of size, and those of the pump.
//
// It also sees to it that tcell can stop. tcell's reader hands what it has read
// to a goroutine that may have ended already, and waits for it for ever. After
// parkReader no Read returns until Drain.
type quietTTY struct {
	tcell.Tty
	path   string            // of the device; empty if it is not known
	tell   func(tcell.Event) // tells what the terminal has answered
	ground ground

	escapes escapes
	answers answers
	ready   []byte // the reader's own: keys that it has not returned yet

	mute atomic.Bool // nothing is sent any more

	mu      sync.Mutex
	q       squeezer
	opening *strings.Builder // what is sent meanwhile; nil while nobody wants to know

	reader  sync.Mutex
	reading bool          // a Read is under way: the reader holds no input
	failed  bool          // the last Read failed: there is no reader any more
	parking bool          // no Read is to return
	drained chan struct{} // closed by Drain
}

// Start implements tcell.Tty.
func (t *quietTTY) Start() error {
	t.reader.Lock()
	t.drained = make(chan struct{})
	t.parking, t.failed = false, false
	t.reader.Unlock()
	return t.Tty.Start()
}

// Read implements tcell.Tty.
func (t *quietTTY) Read(p []byte) (int, error) {
	t.reader.Lock()
	t.reading = true
	drained := t.drained
	t.reader.Unlock()
	n, err := t.readKeys(p)
	t.reader.Lock()
	if t.parking {
		t.reader.Unlock()
		<-drained
		return 0, err
	}
	t.reading, t.failed = false, err != nil
	t.reader.Unlock()
	return n, err
}

// readKeys reads what is no answer of the terminal.
func (t *quietTTY) readKeys(p []byte) (int, error) {
	for len(t.ready) == 0 {
		if held, wait := t.ground.held(time.Now()); held && !t.more(wait) {
			t.ready = append(t.answers.pass(), t.ground.pass()...)
			break
		}
		if t.escapes.holds() && !t.more(escapeTime) {
			t.ready = t.answers.take(t.escapes.pass())
			continue
		}
		if t.answers.holds() && !t.more(pieceTime) {
			t.ready = t.answers.pass()
			break
		}
		n, err := t.Tty.Read(p)
		if n == 0 || err != nil {
			return 0, err
		}
		keys, color := t.ground.take(p[:n])
		if light, ok := lightColor(color); ok {
			ev := &EventGround{Light: light}
			ev.SetEventTime(time.Now())
			t.tell(ev)
		}
		if t.path != "" { // else nobody can say whether there is more
			keys = t.escapes.take(keys)
		}
		t.ready = append([]byte(nil), t.answers.take(keys)...)
	}
	n := copy(p, t.ready)
	t.ready = t.ready[n:]
	return n, nil
}

// more waits until there is input, or reports that none came. On a device that it
// cannot ask, it says so at once.
func (t *quietTTY) more(wait time.Duration) bool {
	fd, err := unix.Open(t.path, readNow, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd) //nolint:errcheck // it was opened to look
	for end := time.Now().Add(wait); ; {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(max(0, time.Until(end)).Milliseconds()))
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n > 0
		}
	}
}

// readNow opens a terminal only to look at its input.
const readNow = unix.O_RDONLY | unix.O_NOCTTY | unix.O_NONBLOCK | unix.O_CLOEXEC

// parkReader asks for the reader to be stopped, and reports whether it is:
// whether it stands in a Read that does not return before Drain.
func (t *quietTTY) parkReader() bool {
	t.reader.Lock()
	defer t.reader.Unlock()
	t.parking = true
	return t.reading || t.failed
}

// hungUp reports whether nothing can be read any more.
func (t *quietTTY) hungUp() bool {
	t.reader.Lock()
	defer t.reader.Unlock()
	return t.failed
}

// inputWaits reports whether there is input that the reader has not handed on.
func (t *quietTTY) inputWaits() bool {
	t.reader.Lock()
	holds := !t.reading && !t.failed
	t.reader.Unlock()
	held, _ := t.ground.held(time.Now())
	return holds || held || t.escapes.holds() || t.answers.holds() || t.path != "" && typedInto(t.path)
}

// typedInto reports whether a terminal has input that nobody has read. It says no
// where it cannot know.
func typedInto(terminal string) bool {
	fd, err := unix.Open(terminal, readNow, 0)
	if err != nil {
		return false
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	return errors.Join(err, unix.Close(fd)) == nil && n > 0
}

// Drain implements tcell.Tty.
func (t *quietTTY) Drain() error {
	t.reader.Lock()
	close(t.drained)
	t.reader.Unlock()
	return t.Tty.Drain()
}

// openTTY opens the operator's terminal.
func openTTY() (tcell.Tty, error) {
	tty, err := tcell.NewDevTty()
	if err == nil {
		return tty, nil
	}
	if tty, stdioErr := tcell.NewStdIoTty(); stdioErr == nil {
		return tty, nil
	}
	return nil, fmt.Errorf("open the terminal: %w", err)
}

// Write sends p, or less of it to the same effect.
func (t *quietTTY) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mute.Load() {
		return len(p), nil
	}
	if t.opening != nil {
		t.opening.Write(p)
	}
	if out := t.q.squeeze(p); len(out) > 0 {
		if _, err := t.Tty.Write(out); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// note keeps what is sent until noted.
func (t *quietTTY) note() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.opening = &strings.Builder{}
}

// noted is what was sent since note.
func (t *quietTTY) noted() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	sent := t.opening.String()
	t.opening = nil
	return sent
}

// Send sends p as it is.
func (t *quietTTY) Send(p []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mute.Load() {
		return nil
	}
	_, err := t.Tty.Write(p)
	return err
}

// WindowSize implements tcell.Tty.
func (t *quietTTY) WindowSize() (tcell.WindowSize, error) {
	size, err := t.Tty.WindowSize()
	if err == nil {
		t.mu.Lock()
		t.q.cols = size.Width
		t.mu.Unlock()
	}
	return size, err
}

// NotifyResize implements tcell.Tty. A terminal that changes its size may move
// its cursor.
func (t *quietTTY) NotifyResize(cb func()) {
	if cb == nil {
		t.Tty.NotifyResize(nil)
		return
	}
	t.Tty.NotifyResize(func() {
		t.mu.Lock()
		t.q.forget()
		t.mu.Unlock()
		cb()
	})
}
