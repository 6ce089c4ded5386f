package pane

import (
	"errors"
	"io"
	"sync"
)

// maxUntyped bounds what waits for a program that does not read its input.
const maxUntyped = 1 << 20

// Why keys were not typed.
var (
	errNotReading = errors.New("pane: the program in the pane does not read its input, and too much waits for it")
	errShellEnded = errors.New("pane: the shell in the pane has ended")
)

// typist types into a terminal that may take its time, in the order of put.
type typist struct {
	to    io.Writer
	ended <-chan struct{} // closed with the terminal, of which writes then fail

	mu      sync.Mutex
	queue   []keystrokes
	waiting int           // bytes of what is queued or being written
	wake    chan struct{} // holds a value after put
	over    bool
}

type keystrokes struct {
	bytes []byte
	sent  func(error)
}

func newTypist(to io.Writer, ended <-chan struct{}) *typist {
	t := &typist{to: to, ended: ended, wake: make(chan struct{}, 1)}
	go t.run()
	return t
}

// put types p some time. It does not block, and calls sent later, on another
// goroutine.
func (t *typist) put(p []byte, sent func(error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.over:
		go sent(errShellEnded)
	case t.waiting+len(p) > maxUntyped:
		go sent(errNotReading)
	default:
		t.waiting += len(p)
		t.queue = append(t.queue, keystrokes{p, sent})
		select {
		case t.wake <- struct{}{}:
		default:
		}
	}
}

func (t *typist) run() {
	for {
		select {
		case <-t.wake:
			for _, k := range t.take() {
				_, err := t.to.Write(k.bytes)
				t.mu.Lock()
				t.waiting -= len(k.bytes)
				t.mu.Unlock()
				k.sent(err)
			}
		case <-t.ended:
			t.mu.Lock()
			t.over = true
			t.mu.Unlock()
			for _, k := range t.take() {
				k.sent(errShellEnded)
			}
			return
		}
	}
}

func (t *typist) take() []keystrokes {
	t.mu.Lock()
	defer t.mu.Unlock()
	queue := t.queue
	t.queue = nil
	return queue
}
