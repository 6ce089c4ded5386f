package screen

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gdamore/tcell/v2"
)

// quietTTY is a terminal device that keeps tcell's frames from the terminal where a
// painter draws in their place.
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
	keep string      // how tcell's frames begin, which are kept from the terminal; empty if they are not

	mu      sync.Mutex
	opening *strings.Builder // what is sent meanwhile; nil while nobody wants to know
	drawn   []byte           // the last frame of tcell's that was kept
	frames  int              // how many were
	touched bool             // tcell has written to the terminal
	resized bool             // the terminal's size has changed, or its owner says so

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

// Write sends what tcell says to the terminal, but for its frames where those are kept.
// Each is one write, which hides the cursor first, and the end of its bracket.
func (t *quietTTY) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keep != "" {
		frame := bytes.TrimPrefix(p, []byte("\x1b[?2026h"))
		if len(frame) > len(t.keep) && bytes.HasPrefix(frame, []byte(t.keep)) {
			t.drawn, t.frames = bytes.Clone(p), t.frames+1
			return len(p), nil
		}
		if len(p) == 0 || string(p) == "\x1b[?2026l" {
			return len(p), nil
		}
		t.touched = true
	}
	if t.mute.Load() {
		return len(p), nil
	}
	out := []byte(cursorTaste.Replace(string(p)))
	if t.opening != nil {
		t.opening.Write(out)
	}
	if _, err := t.Tty.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// cursorTaste takes out what makes the cursor blink or gives it a shape: that is the
// operator's taste. The last two are the Linux console's.
var cursorTaste = strings.NewReplacer(
	"\x1b[?12;25h", "\x1b[?25h", "\x1b[?12l", "", "\x1b[?12h", "", "\x1b[34h", "", "\x1b[34l", "", "\x1b[?0c", "", "\x1b[?1c", "")

// takeDrawn is the last frame of tcell's that was kept; alone if it is the only one
// since takeDrawn was last called.
func (t *quietTTY) takeDrawn() (frame []byte, alone bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	frame, alone = t.drawn, t.frames == 1
	t.drawn, t.frames = nil, 0
	return frame, alone
}

// takeTouched reports whether tcell has written to the terminal, and whether the
// terminal was resized, since it was last asked.
func (t *quietTTY) takeTouched() (touched, resized bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	touched, resized = t.touched, t.resized
	t.touched, t.resized = false, false
	return touched, resized
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
		if r := t.listener(); r != nil {
			r.resize(size.Width, size.Height)
		}
	}
	return size, err
}

// NotifyResize implements tcell.Tty. A terminal that changes its size may move what it
// shows.
func (t *quietTTY) NotifyResize(cb func()) {
	if cb == nil {
		t.Tty.NotifyResize(nil)
		return
	}
	t.Tty.NotifyResize(func() {
		t.mu.Lock()
		t.resized = true
		t.mu.Unlock()
		cb()
	})
}
