package mcp

import (
	"errors"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Bounds of what a server may send.
const (
	MaxMessage      = 4 << 20  // bytes of one message
	MaxUnasked      = 32 << 20 // bytes between two requests that answer none
	MaxUnaskedLines = 50_000   // lines of that kind
	MaxTools        = 256      // tools of one server
	MaxOffered      = 20       // tools of all servers in one request to the model
)

// FaultError is what a server has done that ends the connection to it.
type FaultError struct{ Why string }

// Error implements error.
func (e *FaultError) Error() string { return e.Why }

func tooLong() *FaultError {
	return &FaultError{fmt.Sprintf("it sent a message of more than %d MiB", MaxMessage>>20)}
}

// meter counts what comes without having been asked for, from one request to the next.
// Safe for concurrent use.
type meter struct {
	mu    sync.Mutex
	bytes int
	lines int
	asked map[jsonrpc.ID]bool // requests without an answer
	fault error               // the first fault
}

// begin starts to count anew: a request of nod's own is about to be made.
func (m *meter) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes, m.lines = 0, 0
}

// sent notes a request.
func (m *meter) sent(msg jsonrpc.Message) {
	r, ok := msg.(*jsonrpc.Request)
	if !ok || !r.IsCall() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked == nil {
		m.asked = map[jsonrpc.ID]bool{}
	}
	m.asked[r.ID] = true
}

// received notes a message of n bytes. wanted is false for an answer that nobody has
// asked for, or a second one. The error is a *FaultError.
func (m *meter) received(msg jsonrpc.Message, n int) (wanted bool, err error) {
	r, answers := msg.(*jsonrpc.Response)
	if answers {
		m.mu.Lock()
		asked := m.asked[r.ID]
		delete(m.asked, r.ID)
		m.mu.Unlock()
		if asked {
			return true, nil
		}
	}
	return !answers, m.unasked(n, 1)
}

// unasked counts bytes and lines that answer nothing.
func (m *meter) unasked(bytes, lines int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes += bytes
	m.lines += lines
	switch {
	case m.bytes > MaxUnasked:
		return &FaultError{fmt.Sprintf("it sent more than %d MiB that nobody had asked for", MaxUnasked>>20)}
	case m.lines > MaxUnaskedLines:
		return &FaultError{fmt.Sprintf("it sent more than %d messages that nobody had asked for", MaxUnaskedLines)}
	}
	return nil
}

// fail keeps the first fault.
func (m *meter) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fault == nil {
		m.fault = err
	}
}

// why is the first fault; nil if there is none.
func (m *meter) why() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.fault
}

var errClosed = errors.New("the connection was closed")
