package mux

import (
	"io"
	"net"
	"sync"

	"golang.org/x/crypto/ssh"
)

// halfCloser is one end of a connection: a socket or a channel.
type halfCloser interface {
	io.ReadWriteCloser
	CloseWrite() error
}

// tunnel is a channel to an address that the far side connects to.
type tunnel struct {
	ssh.Channel
	closed <-chan struct{} // closed when the far side has closed the channel
}

// openTunnel asks the far side to connect to host and port, or with portUnix
// to the socket at the path host. from is who asks, as far as it is known.
func openTunnel(conn Conn, host string, port uint32, from net.Addr) (*tunnel, error) {
	kind, extra := "direct-streamlocal@openssh.com", ssh.Marshal(struct {
		Path, Reserved string
		Port           uint32
	}{Path: host})
	if port != portUnix {
		originHost, originPort := origin(from)
		kind, extra = "direct-tcpip", ssh.Marshal(struct {
			Host       string
			Port       uint32
			OriginHost string
			OriginPort uint32
		}{host, port, originHost, originPort})
	}
	channel, requests, err := conn.OpenChannel(kind, extra)
	if err != nil {
		return nil, err
	}
	closed := make(chan struct{})
	go func() { // ends with the channel
		defer close(closed)
		for r := range requests {
			if r.WantReply {
				_ = r.Reply(false, nil) // the connection may be gone
			}
		}
	}()
	return &tunnel{Channel: channel, closed: closed}, nil
}

// origin is an address as the ssh protocol reports it.
func origin(a net.Addr) (host string, port uint32) {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.IP.String(), uint32(tcp.Port)
	}
	return "127.0.0.1", 0
}

// join moves data between both ends until both have said all, or one fails.
// farClosed, which may be nil, is closed when far takes no more.
func join(near, far halfCloser, lane *lane, farClosed <-chan struct{}) {
	defer lane.close()
	defer func() {
		_ = near.Close() // both have ended or failed
		_ = far.Close()
	}()
	up, down := make(chan struct{}), make(chan struct{})
	var both sync.WaitGroup
	both.Go(func() {
		defer close(up)
		pass(far, near, lane)
	})
	both.Go(func() {
		defer close(down)
		pass(near, far, lane)
	})
	<-down
	select {
	case <-up:
	case <-farClosed:
		_ = near.Close() // frees the read of what nobody takes
	}
	both.Wait()
}

// pass copies from src to dst to the end, and passes the end on. If either
// fails, both are closed.
func pass(dst, src halfCloser, lane *lane) {
	err := copyAll(dst, &paced{Reader: src, lane: lane})
	if err == nil {
		err = dst.CloseWrite()
	}
	if err != nil {
		_ = src.Close() // the connection has failed
		_ = dst.Close()
	}
}

// stdioForward joins a client's standard input and output with an address on
// the far side (ssh -W).
type stdioForward struct {
	clientConn *clientConn
	ask        stdioAsk
	request    uint32
	gone       <-chan struct{}
	in, out    *stream
}

func (f *stdioForward) run() {
	m := f.clientConn.master
	m.count(1)
	defer m.count(-1)
	defer func() { _ = f.clientConn.conn.Close() }() // its end is the end of the forward
	defer closeAndWait(f.in, f.out)
	far, err := openTunnel(m.conn, f.ask.host, f.ask.port, nil)
	if err != nil {
		m.options.Log.Info("stdio forward refused", "host", f.ask.host, "port", f.ask.port, "error", err)
		_ = f.clientConn.fail(f.request, "Session open refused by peer") // the client may have left
		return
	}
	defer func() { _ = far.Close() }() // closed by the far side, or given up
	if err := f.clientConn.send(newFrame(sayOpened).u32(f.request).u32(m.number())); err != nil {
		return
	}
	near := &streamPair{in: f.in, out: f.out}
	finished := make(chan struct{})
	m.work.Go(func() {
		defer close(finished)
		join(near, far, m.pacer.lane(), far.closed)
	})
	select {
	case <-finished:
	case <-f.gone:
	}
}

// streamPair is a client's input and output as one connection.
type streamPair struct{ in, out *stream }

func (p *streamPair) Read(b []byte) (int, error)  { return p.in.Read(b) }
func (p *streamPair) Write(b []byte) (int, error) { return p.out.Write(b) }

// CloseWrite closes the output, which the client's reader sees if we held the
// last copy.
func (p *streamPair) CloseWrite() error {
	p.out.Close()
	return nil
}

func (p *streamPair) Close() error {
	p.in.Close()
	p.out.Close()
	return nil
}
