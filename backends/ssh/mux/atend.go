package mux

import (
	"slices"
	"time"

	"golang.org/x/crypto/ssh"
)

// AtEnd is the global request by which a client in proxy mode has a command line run right
// before the master ends the connection, once for all who ask for the same; without one it
// asks whether the master would. The payload is a string. A connection that is lost takes
// what was to run with it.
const AtEnd = "at-end@nod"

const (
	// maxLast bounds how many lines a connection takes, and maxLastLine each, in bytes.
	maxLast     = 64
	maxLastLine = 16 << 10
	// lastTime is how long all of them may take together.
	lastTime = 5 * time.Second
)

// promise takes a line that is to run in the end, and reports whether it will.
func (m *master) promise(payload []byte) bool {
	var ask struct{ Line string }
	if ssh.Unmarshal(payload, &ask) != nil || len(ask.Line) > maxLastLine {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return false
	case ask.Line == "" || slices.Contains(m.last, ask.Line):
		return true
	case len(m.last) == maxLast:
		return false
	}
	m.last = append(m.last, ask.Line)
	return true
}

// runLast runs what was promised, all at the same time, for at most lastTime. How it ends
// is nobody's business any more.
func (m *master) runLast() {
	m.mu.Lock()
	last := m.last
	m.last = nil
	m.mu.Unlock()
	if len(last) == 0 {
		return
	}
	done := make(chan struct{}, len(last))
	for _, line := range last {
		go func() { // ends with the connection, which is closed next
			defer func() { done <- struct{}{} }()
			channel, requests, err := m.conn.OpenChannel("session", nil)
			if err != nil {
				return
			}
			if ok, err := channel.SendRequest("exec", true, ssh.Marshal(struct{ Line string }{line})); err != nil || !ok {
				return
			}
			ssh.DiscardRequests(requests) // until it has ended
		}()
	}
	limit := time.NewTimer(lastTime)
	defer limit.Stop()
	for range last {
		select {
		case <-done:
		case <-limit.C:
			return
		}
	}
}
