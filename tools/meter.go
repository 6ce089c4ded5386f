package tools

import (
	"sync"
	"time"
)

// reportEvery is the time between two reports of a [Meter].
const reportEvery = 500 * time.Millisecond

// Meter counts what is written to it, and reports how much that was: not more often
// than twice a second, and not after Stop. It is safe for concurrent use.
type Meter struct {
	env Env

	mu      sync.Mutex
	bytes   int64
	last    time.Time
	stopped bool
}

// NewMeter returns a meter that reports to env.
func NewMeter(env Env) *Meter { return &Meter{env: env, last: env.Time()} }

// Write implements [io.Writer] and never fails.
func (m *Meter) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes += int64(len(p))
	if now := m.env.Time(); !m.stopped && now.Sub(m.last) >= reportEvery {
		m.last = now
		m.env.Report(Progress{Bytes: m.bytes})
	}
	return len(p), nil
}

// Stop ends the reports: none comes after it has returned.
func (m *Meter) Stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stopped = true
}
