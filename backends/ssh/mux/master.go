package mux

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"
)

// Conn is the connection that a master shares: an *ssh.Client.
type Conn interface {
	// OpenChannel opens a channel of any type.
	OpenChannel(kind string, extra []byte) (ssh.Channel, <-chan *ssh.Request, error)
	// SendRequest sends a global request.
	SendRequest(name string, wantReply bool, payload []byte) (bool, []byte, error)
	// Listen asks the far side to listen; the host goes there as it is.
	Listen(network, address string) (net.Listener, error)
	// Wait returns when the connection has ended.
	Wait() error
	io.Closer
}

var _ Conn = (*ssh.Client)(nil)

// Options are a master's settings. The zero value is usable.
type Options struct {
	// SendEnv are patterns, as in ssh_config, of the names of settings that
	// clients may pass on. Empty passes none.
	SendEnv []string

	// SetEnv are settings "NAME=value" for each session, as in ssh_config.
	SetEnv []string

	// Activity is told how many sessions, stdio forwards, proxy clients and
	// forwarded connections are open, after each change. It is called from one
	// goroutine at a time and must not block.
	Activity func(open int)

	// Log takes what went wrong with single clients. Nil discards.
	Log *slog.Logger
}

// flushLimit is how long the output of sessions may take to reach their
// clients once the connection has ended.
const flushLimit = time.Second

// Serve answers the clients of l over conn, until ctx ends, the connection
// ends, or a client asks for the end (ssh -O exit: ErrTerminated). The error
// says which; it is never nil.
//
// Serve owns l and conn: both are closed when it returns, and everything that
// it started has ended. "ssh -O stop" closes l only. A process that serves must
// be the one that is to get the clients' SIGWINCH: they send it to the process
// id that ALIVE_CHECK reports, which is this one's.
func Serve(ctx context.Context, l *Listener, conn Conn, o Options) error {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m := &master{
		ctx: ctx, end: cancel, listener: l, conn: conn, options: o,
		forwards: map[forwardAsk]*forward{}, sessions: map[*session]struct{}{}, open: map[io.Closer]struct{}{},
		proxies: map[*proxied]bool{},
	}
	m.pacer = newPacer(func() error {
		_, _, err := conn.SendRequest(keepaliveRequest, true, nil)
		return err
	})
	defer m.pacer.end()
	return m.run()
}

// master is one shared connection and its clients.
type master struct {
	ctx      context.Context
	end      context.CancelCauseFunc
	listener *Listener
	conn     Conn
	options  Options
	pacer    *pacer

	work sync.WaitGroup // clients, forwards and what they started

	mu       sync.Mutex
	closed   bool
	nextID   uint32
	forwards map[forwardAsk]*forward
	sessions map[*session]struct{}
	open     map[io.Closer]struct{} // closed at the end
	last     []string               // command lines that run before the connection ends

	counting sync.Mutex
	active   int
	proxies  map[*proxied]bool // that are among them
}

func (m *master) run() error {
	windows := make(chan os.Signal, 1)
	signal.Notify(windows, unix.SIGWINCH)
	defer signal.Stop(windows)
	m.work.Go(m.accept)
	go m.pacer.learn() // ends with the connection

	var lastWords error
	dead := make(chan struct{})
	go func() { // ends with the connection, which is closed below
		defer close(dead)
		lastWords = m.conn.Wait()
	}()
	var cause error
	lost := false
	for cause == nil {
		select {
		case <-windows:
			m.resizeAll()
		case <-dead:
			lost = true
			cause = errors.New("connection ended: closed by the far side")
			if lastWords != nil && !errors.Is(lastWords, io.EOF) {
				cause = fmt.Errorf("connection ended: %w", lastWords)
			}
		case <-m.ctx.Done():
			cause = context.Cause(m.ctx)
		}
	}
	if err := m.listener.Close(); err != nil {
		m.options.Log.Warn("control socket not removed", "path", m.listener.path, "error", err)
	}
	if lost {
		m.flush()
	} else {
		m.runLast()
	}
	m.pacer.end()
	_ = m.conn.Close() // before the rest: closing a remote forward would wait for a frozen peer
	m.closeAll()
	<-dead
	m.work.Wait()
	return cause
}

// accept takes clients until the listener is closed.
func (m *master) accept() {
	for {
		c, err := m.listener.AcceptUnix()
		switch {
		case err == nil:
			m.work.Go(func() { m.serve(c) })
		case errors.Is(err, net.ErrClosed):
			return
		default: // clients wait in the queue
			m.options.Log.Warn("accept", "error", err)
			m.pause()
		}
	}
}

// exhausted reports whether a connection was not accepted for want of
// something that may be there again soon.
func exhausted(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) || errors.Is(err, unix.ENOBUFS) || errors.Is(err, unix.ENOMEM)
}

// pause lets some time pass before the next try, or the master end.
func (m *master) pause() {
	select {
	case <-m.ctx.Done():
	case <-time.After(100 * time.Millisecond):
	}
}

// serve talks with one client.
func (m *master) serve(c *net.UnixConn) {
	defer func() { _ = c.Close() }() // the end of the conversation
	if !m.keep(c) {
		return
	}
	defer m.forget(c)
	user, err := PeerUser(c)
	if err != nil || user != 0 && int(user) != os.Geteuid() {
		m.options.Log.Warn("client refused", "user", user, "error", err)
		return
	}
	v := &clientConn{master: m, conn: c}
	if err := v.talk(); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		m.options.Log.Info("client", "error", err)
	}
}

// keep remembers what is to be closed at the end, and reports whether there is
// still time for it.
func (m *master) keep(c io.Closer) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.open[c] = struct{}{}
	return true
}

func (m *master) forget(c io.Closer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.open, c)
}

// flush waits until the sessions have ended, which they do by themselves once
// the connection has, but for clients that do not take their output.
func (m *master) flush() {
	limit := time.NewTimer(flushLimit)
	defer limit.Stop()
	for _, s := range m.allSessions() {
		select {
		case <-s.ended:
		case <-limit.C:
			return
		}
	}
}

func (m *master) closeAll() {
	m.mu.Lock()
	m.closed = true
	all := make([]io.Closer, 0, len(m.open))
	for c := range m.open {
		all = append(all, c)
	}
	m.mu.Unlock()
	for _, c := range all {
		_ = c.Close() // everybody is told by the close itself
	}
}

func (m *master) addSession(s *session) {
	m.count(1)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sessions[s] = struct{}{}
}

func (m *master) removeSession(s *session) {
	m.mu.Lock()
	delete(m.sessions, s)
	m.mu.Unlock()
	close(s.ended)
	m.count(-1)
}

func (m *master) allSessions() []*session {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]*session, 0, len(m.sessions))
	for s := range m.sessions {
		all = append(all, s)
	}
	return all
}

// resizeAll is what a SIGWINCH asks for: nothing says whose it was.
func (m *master) resizeAll() {
	for _, s := range m.allSessions() {
		select {
		case s.resized <- struct{}{}:
		default: // it has not looked yet, and will
		}
	}
}

// number is a fresh session id.
func (m *master) number() uint32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.nextID++
	return m.nextID
}

// count tells the owner that there is more or less to do.
func (m *master) count(by int) {
	m.counting.Lock()
	defer m.counting.Unlock()
	m.active += by
	m.tellActive()
}

// tellActive tells how much is open. m.counting is held.
func (m *master) tellActive() {
	m.tellRest()
	if m.options.Activity != nil {
		m.options.Activity(m.active)
	}
}
