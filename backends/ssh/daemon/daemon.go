package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/ssh/mux"
)

// Login makes a connection that is to be held, and says how it is served.
type Login func(ctx context.Context, host ssh.Host, opt ssh.Options) (conn mux.Conn, settings mux.Options, err error)

// Serve is the life of the daemon: it holds connections for whoever asks on the
// socket in the folder, until it holds none any more and nobody asks. Where another
// daemon has the folder it returns at once. lasting says of an error of a login that
// another try would fail, too. program is the command that relays the questions of
// the system's ssh (see [Ask]).
func Serve(ctx context.Context, f Folder, login Login, lasting func(error) bool, program []string) error {
	l, err := mux.Listen(filepath.Join(string(f), daemonSocket))
	if errors.Is(err, mux.ErrLive) {
		return nil
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := &daemon{
		ctx: ctx, folder: f, login: login, lasting: lasting, program: program, listener: l,
		held: map[string]*connection{}, prompts: map[string]ssh.Asker{}, limit: ssh.NewLimit(),
	}
	defer context.AfterFunc(ctx, d.leave)()
	d.enter() // whoever has started it is given time to ask
	waited := sync.OnceFunc(d.exit)
	defer time.AfterFunc(graceTime, waited).Stop()
	for {
		conn, err := l.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			break
		}
		if err != nil {
			slog.Warn("accept", "error", err)
			time.Sleep(acceptPause)
			continue
		}
		if !d.enter() {
			_ = conn.Close() // it asks again, and another daemon
			continue
		}
		waited()
		d.work.Go(func() {
			defer d.exit()
			d.serve(conn)
		})
	}
	d.closeAll()
	d.work.Wait()
	return nil
}

const (
	// graceTime is how long a daemon waits for the first request.
	graceTime = 10 * time.Second
	// acceptPause is the time until it listens again after an error, as for want of
	// descriptors: the log does not fill the disk.
	acceptPause = time.Second
)

// daemon holds the connections of a folder.
type daemon struct {
	ctx      context.Context // ends with it
	folder   Folder
	login    Login
	lasting  func(error) bool
	program  []string
	listener *mux.Listener
	limit    *ssh.Limit
	work     sync.WaitGroup // requests and connections

	mu      sync.Mutex
	leaving bool
	busy    int                    // requests that are answered
	held    map[string]*connection // by host; those that are being made, too
	closed  []*connection          // whose sockets were closed, and that go on
	prompts map[string]ssh.Asker   // who answers for which system's ssh
}

// enter counts a request. It is false when the daemon leaves.
func (d *daemon) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.leaving {
		d.busy++
	}
	return !d.leaving
}

// exit ends a request, and the daemon if nothing is left to do.
func (d *daemon) exit() {
	d.mu.Lock()
	d.busy--
	d.mu.Unlock()
	d.leaveIfIdle()
}

func (d *daemon) leaveIfIdle() {
	d.mu.Lock()
	idle := d.busy == 0 && len(d.held) == 0 && len(d.closed) == 0
	d.leaving = d.leaving || idle
	d.mu.Unlock()
	if idle {
		d.leave()
	}
}

// leave ends the listening; who comes now asks another daemon.
func (d *daemon) leave() {
	d.mu.Lock()
	d.leaving = true
	d.mu.Unlock()
	if err := d.listener.Close(); err != nil {
		slog.Warn("left behind", "error", err)
	}
	_ = os.Remove(filepath.Join(string(d.folder), daemonLog)) // it says nothing that matters any more
}

func (d *daemon) closeAll() {
	for _, c := range d.all() {
		c.end(errStopped)
	}
}

func (d *daemon) all() []*connection {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := slices.Clone(d.closed)
	for _, c := range d.held {
		all = append(all, c)
	}
	return all
}

// serve answers one request.
func (d *daemon) serve(conn *net.UnixConn) {
	defer func() { _ = conn.Close() }() // answered
	if !own(conn) {
		slog.Warn("somebody else's request refused")
		return
	}
	p := newPipe(conn, conn)
	m, err := p.receive()
	if err != nil {
		return // it only looked whether somebody is there
	}
	switch {
	case m.Order != nil:
		d.start(p, *m.Order)
	case m.List:
		err = p.send(message{Infos: d.list()})
	case m.Stop != "":
		err = p.send(message{Infos: d.stop(m.Stop)})
	case m.Prompt != nil:
		err = d.answer(p, *m.Prompt)
	}
	if err != nil {
		slog.Warn("answer", "error", err)
	}
}

// own reports whether who asks is the operator, or root.
func own(conn *net.UnixConn) bool {
	uid, err := mux.PeerUser(conn)
	return err == nil && (uid == 0 || int(uid) == os.Geteuid())
}

func (d *daemon) list() []Info {
	var all []Info
	for _, c := range d.all() {
		if info, ok := c.describe(); ok {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b Info) int { return strings.Compare(a.Host, b.Host) })
	return all
}

// stop ends the connections to a host and returns when they have gone.
func (d *daemon) stop(host string) []Info {
	var ended []Info
	for _, c := range d.all() {
		if info, ok := c.describe(); ok && info.Host == host {
			c.end(mux.ErrTerminated)
			<-c.gone
			ended = append(ended, info)
		}
	}
	return ended
}

// start gets the connection that an order asks for, and tells when it is there.
func (d *daemon) start(p *pipe, o Order) {
	ctx, cancel := context.WithCancelCause(d.ctx)
	defer cancel(nil)
	asker := listen(ctx, p, cancel)
	step := func(s ssh.Step) {
		if err := p.send(message{Step: &s}); err != nil {
			cancel(errStarterGone)
		}
	}
	c, err := d.connect(ctx, o, asker, step)
	if err != nil {
		err = p.send(message{Failed: failed(err, d.lasting(err))})
	} else {
		info, _ := c.describe() // it is there
		err = p.send(message{Ready: &info})
		c.use(-1)
	}
	if err != nil {
		slog.Warn("starter", "error", err) // nobody knows of the connection, but it can be used
	}
}

// listen takes the starter's answers, until it goes away: before the login is done
// that ends it.
func listen(ctx context.Context, p *pipe, gone context.CancelCauseFunc) ssh.Asker {
	answers := make(chan answer)
	go func() {
		defer close(answers)
		for {
			m, err := p.receive()
			if err != nil || m.Answer == nil {
				gone(errStarterGone)
				return
			}
			select {
			case answers <- *m.Answer:
			case <-ctx.Done():
				return
			}
		}
	}()
	return asker{p, answers}.questions()
}

// way is the context's value that names the hosts on the way to a connection.
type way struct{}

// connect finds the connection to a host, waits for one that is being made, or
// makes it. It is in use until use(-1).
func (d *daemon) connect(ctx context.Context, o Order, ask ssh.Asker, step func(ssh.Step)) (*connection, error) {
	host, err := ssh.Parse(o.Host)
	if err != nil {
		return nil, err
	}
	before, _ := ctx.Value(way{}).([]string)
	if slices.Contains(before, host.String()) {
		return nil, fmt.Errorf("ssh: %s: look for a ProxyJump that leads back to itself: %s", host.Name, strings.Join(append(before, host.String()), " "))
	}
	ctx = context.WithValue(ctx, way{}, append(slices.Clone(before), host.String()))
	for {
		c, mine := d.claim(host)
		if mine {
			if err := c.make(ctx, o, ask, step); err != nil {
				return nil, err
			}
			return c, nil
		}
		select {
		case <-c.ready:
			if c.use(1) {
				return c, nil
			}
			select { // it has failed or ended: the next try is ours, or another's
			case <-c.gone:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// claim returns a host's connection, and whether it is the caller's to make.
func (d *daemon) claim(host ssh.Host) (c *connection, mine bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	name := host.String()
	c = d.held[name]
	if c != nil && c.abandoned() { // ssh -O stop: it goes on without a socket
		d.closed = append(d.closed, c)
		c = nil
	}
	if c == nil {
		c = &connection{daemon: d, host: host, ready: make(chan struct{}), gone: make(chan struct{})}
		d.held[name] = c
		return c, true
	}
	return c, false
}

// forget removes a connection that has ended.
func (d *daemon) forget(c *connection) {
	d.mu.Lock()
	if d.held[c.host.String()] == c {
		delete(d.held, c.host.String())
	}
	d.closed = slices.DeleteFunc(d.closed, func(other *connection) bool { return other == c })
	d.mu.Unlock()
	close(c.gone)
	d.leaveIfIdle()
}
