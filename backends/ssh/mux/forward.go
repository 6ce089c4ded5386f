package mux

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// forward is a place where connections are taken and passed to the other side.
type forward struct {
	ready     chan struct{} // closed when the fields below are final
	err       error
	listeners []net.Listener
	port      int // where the far side listens
}

// socksHost in place of a host, with port 0, is how a client asks for a
// remote forward whose connections name their destination themselves.
const socksHost = "socks"

func (a forwardAsk) valid() bool {
	switch a.kind {
	case forwardLocal:
		return a.listenPort != 0 && a.connectHost != "" && a.connectPort != 0
	case forwardRemote:
		return a.connectHost != ""
	case forwardDynamic:
		return a.listenPort != 0 && a.listenPort != portUnix
	}
	return false
}

// openForward answers an OPEN_FWD. A forward that is there already is fine.
func (v *clientConn) openForward(id uint32, body *fields) error {
	ask, err := parseForward(body)
	if err != nil {
		return err
	}
	if !ask.valid() {
		return v.fail(id, "Invalid forwarding request")
	}
	f, err := v.master.addForward(ask)
	if err != nil {
		v.master.options.Log.Info("forward", "listen", ask.listenHost, "port", ask.listenPort, "error", err)
		return v.fail(id, ask.failure())
	}
	if ask.kind == forwardRemote && ask.listenPort == 0 {
		return v.send(newFrame(sayRemotePort).u32(id).u32(uint32(f.port)))
	}
	return v.ok(id)
}

// failure is what OpenSSH says when a forward cannot be had.
func (a forwardAsk) failure() string {
	switch {
	case a.kind != forwardRemote:
		return "Port forwarding failed"
	case a.listenPort == portUnix:
		return "remote port forwarding failed for listen path " + a.listenHost
	}
	return fmt.Sprintf("remote port forwarding failed for listen port %d", a.listenPort)
}

// closeForward answers a CLOSE_FWD. Connections that it took go on.
func (v *clientConn) closeForward(id uint32, body *fields) error {
	ask, err := parseForward(body)
	if err != nil {
		return err
	}
	m := v.master
	m.mu.Lock()
	f := m.forwards[ask]
	m.mu.Unlock()
	if f == nil {
		return v.fail(id, "port not forwarded")
	}
	<-f.ready
	m.mu.Lock()
	if m.forwards[ask] != f || f.err != nil {
		m.mu.Unlock()
		return v.fail(id, "port not forwarded")
	}
	delete(m.forwards, ask)
	m.mu.Unlock()
	var failed error
	for _, l := range f.listeners {
		failed = errors.Join(failed, l.Close())
	}
	if failed != nil {
		m.options.Log.Warn("forward not closed", "listen", ask.listenHost, "port", ask.listenPort, "error", failed)
		return v.fail(id, "port not in permitted opens")
	}
	return v.ok(id)
}

// addForward returns the forward of that name, after opening it if need be.
func (m *master) addForward(ask forwardAsk) (*forward, error) {
	m.mu.Lock()
	if f := m.forwards[ask]; f != nil {
		m.mu.Unlock()
		<-f.ready
		return f, f.err
	}
	f := &forward{ready: make(chan struct{})}
	m.forwards[ask] = f
	m.mu.Unlock()
	defer close(f.ready)
	f.listeners, f.err = m.listenFor(ask)
	if f.err != nil {
		m.mu.Lock()
		delete(m.forwards, ask)
		m.mu.Unlock()
		return nil, f.err
	}
	for _, l := range f.listeners {
		if a, ok := l.Addr().(*net.TCPAddr); ok {
			f.port = a.Port
		}
		if !m.keep(l) {
			_ = l.Close() // too late, the master ends
			continue
		}
		m.work.Go(func() { m.acceptForward(l, ask) })
	}
	return f, nil
}

// listenFor opens the listening end, here or on the far side.
func (m *master) listenFor(ask forwardAsk) ([]net.Listener, error) {
	port := strconv.FormatUint(uint64(ask.listenPort), 10)
	switch {
	case ask.kind == forwardRemote && ask.listenPort == portUnix:
		return one(m.conn.Listen("unix", ask.listenHost))
	case ask.kind == forwardRemote:
		host := ask.listenHost
		switch host {
		case "":
			host = "localhost"
		case "*":
			host = "" // any address of any family (RFC 4254, 7.1)
		}
		return one(m.conn.Listen("tcp", net.JoinHostPort(host, port)))
	case ask.listenPort == portUnix:
		return one(listenUnix(ask.listenHost))
	}
	return listenTCP(m.ctx, ask.listenHost, port)
}

func one(l net.Listener, err error) ([]net.Listener, error) {
	if err != nil {
		return nil, err
	}
	return []net.Listener{l}, nil
}

// listenTCP listens on all addresses of a host. It is enough if one works: not
// every machine has IPv6.
func listenTCP(ctx context.Context, host, port string) ([]net.Listener, error) {
	hosts := []string{"127.0.0.1", "::1"}
	switch host {
	case "", "localhost":
	case "*":
		hosts = []string{""}
	default:
		var err error
		if hosts, err = net.DefaultResolver.LookupHost(ctx, host); err != nil {
			return nil, err
		}
	}
	var all []net.Listener
	var failed error
	for _, h := range hosts {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(h, port))
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		all = append(all, l)
	}
	if len(all) == 0 {
		return nil, failed
	}
	return all, nil
}

// listenUnix listens on a new socket with mode 0600, as OpenSSH's
// StreamLocalBindMask does. Closing removes it.
func listenUnix(path string) (net.Listener, error) {
	if len(path) > maxPath {
		return nil, fmt.Errorf("%w: %q has %d bytes, the limit is %d", ErrPathTooLong, path, len(path), maxPath)
	}
	fd, err := newSocket()
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), path)
	defer func() { _ = file.Close() }() // net.FileListener has its own
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		return nil, fmt.Errorf("bind %q: %w", path, err)
	}
	if err := restrict(unix.AT_FDCWD, path); err != nil {
		_ = os.Remove(path) // made just now
		return nil, fmt.Errorf("chmod %q: %w", path, err)
	}
	if err := unix.Listen(fd, backlog); err != nil {
		_ = os.Remove(path) // made just now
		return nil, fmt.Errorf("listen: %w", err)
	}
	l, err := net.FileListener(file)
	if err != nil {
		_ = os.Remove(path) // made just now
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(true)
	return l, nil
}

// acceptForward takes connections until the listener is closed.
func (m *master) acceptForward(l net.Listener, ask forwardAsk) {
	defer m.forget(l)
	for {
		c, err := l.Accept()
		if err != nil && exhausted(err) {
			m.options.Log.Warn("forward", "listen", ask.listenHost, "port", ask.listenPort, "error", err)
			m.pause()
			continue
		}
		if err != nil {
			if !errors.Is(err, net.ErrClosed) && !errors.Is(err, io.EOF) {
				m.options.Log.Warn("forward ended", "listen", ask.listenHost, "port", ask.listenPort, "error", err)
				_ = l.Close() // it accepts no more
			}
			return
		}
		near, ok := c.(halfCloser)
		if !ok || !m.keep(c) {
			_ = c.Close() // too late, the master ends
			continue
		}
		m.work.Go(func() {
			defer m.forget(c)
			m.count(1)
			defer m.count(-1)
			m.carry(near, c.RemoteAddr(), ask)
		})
	}
}

// carry connects one accepted connection with its destination.
func (m *master) carry(near halfCloser, from net.Addr, ask forwardAsk) {
	defer func() { _ = near.Close() }()
	host, port, reply := ask.connectHost, ask.connectPort, socksReply(nil)
	if ask.kind == forwardDynamic || ask.kind == forwardRemote && host == socksHost && port == 0 {
		to, err := readSocks(near)
		if err != nil {
			m.options.Log.Info("socks", "error", err)
			return
		}
		host, port, reply = to.host, uint32(to.port), to.reply
	}
	far, closed, err := m.connect(ask.kind, host, port, from)
	if reply.call(near, err) != nil || err != nil {
		if err != nil {
			m.options.Log.Info("forwarded connection", "host", host, "port", port, "error", err)
		} else {
			_ = far.Close() // who asked has left
		}
		return
	}
	if m.keep(far) {
		defer m.forget(far)
		join(near, far, m.pacer.lane(), closed)
		return
	}
	_ = far.Close() // too late, the master ends
}

// connect reaches the destination of a forwarded connection, from here for
// remote forwards, else from the far side.
func (m *master) connect(kind uint32, host string, port uint32, from net.Addr) (halfCloser, <-chan struct{}, error) {
	if kind != forwardRemote {
		t, err := openTunnel(m.conn, host, port, from)
		if err != nil {
			return nil, nil, err
		}
		return t, t.closed, nil
	}
	network, address := "unix", host
	if port != portUnix {
		network, address = "tcp", net.JoinHostPort(host, strconv.FormatUint(uint64(port), 10))
	}
	c, err := new(net.Dialer).DialContext(m.ctx, network, address)
	if err != nil {
		return nil, nil, err
	}
	return c.(halfCloser), nil, nil
}
