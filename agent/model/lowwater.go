package model

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// lullBytes is how much comes in before the system says so, while nobody wants to know.
// No reply brings that much in one pause.
const lullBytes = 128 << 10

// lull keeps the system from waking this process for each packet of a reply that is read
// at intervals (SO_RCVLOWAT, socket(7)): the runtime's poller is told of each, whether or
// not somebody waits for it. Where it cannot be had, nothing but that saving is lost. The
// zero value is without a connection. It is safe for concurrent use.
type lull struct {
	mu   sync.Mutex
	conn syscall.RawConn
}

// trace has the lull know the connection of a request.
func (l *lull) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		conn := info.Conn
		if secure, ok := conn.(*tls.Conn); ok {
			conn = secure.NetConn()
		}
		tcp, ok := conn.(*net.TCPConn)
		if !ok {
			return
		}
		if raw, err := tcp.SyscallConn(); err == nil {
			l.mu.Lock()
			l.conn = raw
			l.mu.Unlock()
		}
	}})
}

// begin begins a pause, and end ends it: what has come by then can be read.
func (l *lull) begin() { l.set(lullBytes) }
func (l *lull) end()   { l.set(1) }

func (l *lull) set(bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil {
		return
	}
	_ = l.conn.Control(func(fd uintptr) { // a closed connection needs no pause
		_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVLOWAT, bytes)
	})
}
