package screen_test

import (
	"io"
	"sync"
	"testing"

	"github.com/gdamore/tcell/v2"
)

// tty is a terminal device in memory that keeps what was sent to it.
type tty struct {
	mu     sync.Mutex
	out    []byte
	size   tcell.WindowSize
	resize func()

	input chan []byte
	stop  chan struct{}
	ended bool
}

func newTTY(w, h int) *tty {
	return &tty{size: tcell.WindowSize{Width: w, Height: h}, input: make(chan []byte)}
}

func (t *tty) Start() error { t.stop = make(chan struct{}); return nil }
func (t *tty) Drain() error { close(t.stop); return nil }
func (t *tty) Stop() error  { t.ended = true; return nil }
func (t *tty) Close() error { return nil }

func (t *tty) NotifyResize(cb func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.resize = cb
}

func (t *tty) WindowSize() (tcell.WindowSize, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size, nil
}

func (t *tty) Read(p []byte) (int, error) {
	select {
	case b := <-t.input:
		return copy(p, b), nil
	case <-t.stop:
		return 0, io.EOF
	}
}

func (t *tty) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out = append(t.out, p...)
	return len(p), nil
}

// taken is what was sent since the last call.
func (t *tty) taken() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := string(t.out)
	t.out = nil
	return s
}

func (t *tty) setSize(w, h int) {
	t.mu.Lock()
	t.size = tcell.WindowSize{Width: w, Height: h}
	cb := t.resize
	t.mu.Unlock()
	cb()
}

func useTerm(t testing.TB, name string) {
	t.Helper()
	t.Setenv("TERM", name)
	t.Setenv("COLORTERM", "")
	t.Setenv("NO_COLOR", "")
	t.Setenv("LINES", "")
	t.Setenv("COLUMNS", "")
}
