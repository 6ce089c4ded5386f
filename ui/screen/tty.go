package screen

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gdamore/tcell/v2"
)

// quietTTY is a terminal device that does not send what would change nothing.
// Writes are safe for concurrent use: those of tcell's own goroutines, which
// repaint after a change of size, and those of the pump.
//
// It also keeps the input to itself: its reader makes events of it, and tcell's own
// reader gets nothing but the end.
type quietTTY struct {
	tcell.Tty
	path   string                  // of the device; empty if it is not known
	events func() chan tcell.Event // where events of the input go
	ground ground

	mute atomic.Bool // nothing is sent any more

	mu      sync.Mutex
	q       squeezer
	opening *strings.Builder // what is sent meanwhile; nil while nobody wants to know

	input   sync.Mutex
	reader  *reader       // nil while the terminal is given back
	drained chan struct{} // closed by Drain
}

// Start implements tcell.Tty.
func (t *quietTTY) Start() error {
	if err := t.Tty.Start(); err != nil {
		return err
	}
	t.input.Lock()
	defer t.input.Unlock()
	t.drained = make(chan struct{})
	t.reader = newReader(t.source(), t.events(), &t.ground)
	if size, err := t.Tty.WindowSize(); err == nil {
		t.reader.resize(size.Width, size.Height)
	}
	go t.reader.run()
	return nil
}

// source is the terminal's input.
func (t *quietTTY) source() source {
	if t.path != "" {
		if f, err := openFile(t.path); err == nil { // else the device can be read all the same
			return f
		}
	}
	return newStream(t.Tty)
}

// Read implements tcell.Tty: tcell reads nothing.
func (t *quietTTY) Read([]byte) (int, error) {
	t.input.Lock()
	drained := t.drained
	t.input.Unlock()
	<-drained
	return 0, io.EOF
}

// Drain implements tcell.Tty. It ends the reader.
func (t *quietTTY) Drain() error {
	err := t.Tty.Drain()
	t.input.Lock()
	defer t.input.Unlock()
	if t.reader != nil {
		t.reader.end()
		t.reader = nil
		close(t.drained)
	}
	return err
}

// listener is the reader; nil while there is none.
func (t *quietTTY) listener() *reader {
	t.input.Lock()
	defer t.input.Unlock()
	return t.reader
}

// hungUp reports whether nothing can be read any more.
func (t *quietTTY) hungUp() bool {
	r := t.listener()
	return r == nil || r.hungUp()
}

// inputWaits reports whether there is input that is not in the queue of events.
func (t *quietTTY) inputWaits() bool {
	r := t.listener()
	return r != nil && r.waits()
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
		if r := t.listener(); r != nil {
			r.resize(size.Width, size.Height)
		}
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
