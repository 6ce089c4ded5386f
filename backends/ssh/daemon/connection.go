package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/ssh/mux"
)

// Why connections end that are in order.
var (
	errIdle    = errors.New("not used for as long as it was to persist")
	errStopped = errors.New("the daemon ends")
)

// connection is a connection that is held, or being made.
type connection struct {
	daemon *daemon
	host   ssh.Host
	ready  chan struct{} // closed when it can be used, or never will be
	gone   chan struct{} // closed when it has ended

	// Valid when ready is closed.
	info   Info
	dialer dialer

	mu      sync.Mutex
	usable  bool
	stop    context.CancelCauseFunc
	idle    *time.Timer // nil: it stays until it is stopped
	clients int         // what clients of its socket have open
	users   int         // connections that go through it, and starters
}

// dialer reaches addresses that a host reaches.
type dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// make logs in and serves the control socket. The connection is in use then.
func (c *connection) make(ctx context.Context, o Order, ask ssh.Asker, step func(ssh.Step)) error {
	err := c.logIn(ctx, o, ask, step)
	close(c.ready)
	if err != nil {
		c.daemon.forget(c)
	}
	return err
}

func (c *connection) logIn(ctx context.Context, o Order, ask ssh.Asker, step func(ssh.Step)) error {
	opt := ssh.Options{
		Config: o.Config, Agent: o.Agent, Keepalive: o.Keepalive, DialTimeout: o.DialTimeout,
		Env: o.Env, Dir: o.Dir, Asker: ask, Step: step, Limit: c.daemon.limit,
		Hop: func(ctx context.Context, hop ssh.Host) (ssh.Through, error) {
			return c.daemon.hop(ctx, o, hop, ask, step)
		},
	}
	if o.Mode == OpenSSH {
		return c.logInStock(ctx, o, opt, `login is "openssh"`)
	}
	conn, settings, err := c.daemon.login(ctx, c.host, opt)
	var stock *ssh.StockError
	if errors.As(err, &stock) && o.Mode != Native && isFor(err, c.host) {
		return c.logInStock(ctx, o, opt, stock.Keyword+": "+stock.Why)
	}
	if err != nil {
		return err
	}
	socket := c.daemon.folder.Socket(c.host)
	l, err := mux.Listen(socket)
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	c.dialer, _ = conn.(dialer)
	c.begin(Info{Host: c.host.String(), Socket: socket, Pid: os.Getpid(), Since: time.Now(), Persist: o.Persist}, func(ctx context.Context) error {
		settings.Log = slog.Default()
		settings.Activity = c.activity
		return mux.Serve(ctx, l, conn, settings)
	})
	return nil
}

// isFor reports whether an error of connecting is the host's own, not a hop's.
func isFor(err error, host ssh.Host) bool {
	var dial *ssh.DialError
	return !errors.As(err, &dial) || dial.Host == host.String()
}

// begin makes the connection usable, by one user, and has it served.
func (c *connection) begin(info Info, serve func(context.Context) error) {
	ctx, cancel := context.WithCancelCause(c.daemon.ctx)
	c.mu.Lock()
	c.info, c.usable, c.stop, c.users = info, true, cancel, 1
	if info.Persist > 0 {
		c.idle = time.AfterFunc(info.Persist, func() { c.end(errIdle) })
		c.idle.Stop()
	}
	c.mu.Unlock()
	c.daemon.work.Go(func() {
		defer cancel(nil)
		err := serve(ctx)
		c.mu.Lock()
		c.usable = false
		if c.idle != nil {
			c.idle.Stop()
		}
		c.mu.Unlock()
		if !errors.Is(err, errIdle) && !errors.Is(err, mux.ErrTerminated) && !errors.Is(err, errStopped) {
			slog.Warn("connection", "host", c.host.String(), "error", err)
		}
		c.daemon.forget(c)
	})
}

// end ends the connection. One that is being made ends with who waits for it.
func (c *connection) end(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil {
		c.stop(why)
	}
}

// describe tells of the connection, if there is one.
func (c *connection) describe() (Info, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	info := c.info
	info.Closed = c.usable && !isSocket(info.Socket)
	return info, c.usable
}

// abandoned reports whether the socket was closed while the connection goes on.
func (c *connection) abandoned() bool {
	info, usable := c.describe()
	return usable && info.Closed
}

func isSocket(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == os.ModeSocket
}

// use counts what uses the connection besides the clients of its socket. It is
// false if there is no connection to use.
func (c *connection) use(by int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.usable {
		return false
	}
	c.users += by
	c.wind()
	return true
}

// activity is told how much its clients have open.
func (c *connection) activity(open int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clients = open
	c.wind()
}

// wind lets the time run until the connection is not needed any more, or stops it.
func (c *connection) wind() {
	switch {
	case c.idle == nil || !c.usable:
	case c.users+c.clients > 0:
		c.idle.Stop()
	default:
		c.idle.Reset(c.info.Persist)
	}
}
