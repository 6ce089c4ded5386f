package ssh

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// meter is a connection that counts its signs of life.
type meter struct {
	net.Conn
	received atomic.Int64
	written  atomic.Int64
	latest   atomic.Int64 // when the last bytes came, in nanoseconds since 1970
	queue    sendQueue

	mu     sync.Mutex
	acked  uint64 // what the other side's kernel had taken when signs last looked
	queued bool   // whether there was more for it then
	taken  int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	if n > 0 {
		m.received.Add(int64(n))
		m.latest.Store(time.Now().UnixNano())
	}
	return n, err
}

// heard reports whether anything has come from the other side lately.
func (m *meter) heard(lately time.Duration) bool {
	return time.Since(time.Unix(0, m.latest.Load())) <= lately
}

func (m *meter) Write(p []byte) (int, error) {
	m.written.Add(int64(len(p))) // before it can be answered
	return m.queue.write(m.Conn, p)
}

// signs is a number that grows while the other side is there: by the bytes that
// have come from it, and by those that it takes out of a queue. Each call adds
// what has been taken since the last.
//
// Without a queue the second says nothing: the kernel of a host takes a few
// bytes also for a server that hangs.
func (m *meter) signs() int64 {
	acked, queued := m.sent()
	m.mu.Lock()
	defer m.mu.Unlock()
	if (queued || m.queued) && acked > m.acked {
		m.taken += int64(acked - m.acked) //nolint:gosec // no connection carries 2^63 bytes
	}
	m.acked, m.queued = acked, queued
	return m.received.Load() + m.taken
}

// underway is a number that grows with what has been sent and is not in our own
// kernel any more: somebody has taken it, who need not be the host itself. It is
// 0 while something is.
func (m *meter) underway() int64 {
	if acked, queued := m.sent(); queued || acked == 0 {
		return 0
	}
	return m.written.Load()
}

// sent is how much of what was sent has been acknowledged, and whether more
// waits for that. It is known of TCP only.
func (m *meter) sent() (acked uint64, queued bool) {
	tcp, ok := m.Conn.(*net.TCPConn)
	if !ok {
		return 0, false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = raw.Control(func(fd uintptr) { acked, queued = m.queue.look(int(fd)) })
	return acked, queued && err == nil
}
