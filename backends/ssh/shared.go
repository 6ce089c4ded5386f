package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/ssh/mux"
)

// SharedConn is a connection to a host that somebody else has logged in. One of
// Client and Master is set.
type SharedConn struct {
	// Client is the whole connection, as nod's daemon gives it.
	Client *ssh.Client
	// Master opens sessions on a stock master, the operator's own.
	Master *mux.Client
}

// link is the connection as a link.
func (r *SharedConn) link(s Settings) link {
	if r.Master != nil {
		return newMasterLink(r.Master)
	}
	return &clientLink{client: &client{Client: r.Client, settings: s}}
}

// shared finds a connection that somebody else has logged in, if Options say how.
// Nil means that there is none.
func (d dialer) shared(ctx context.Context, h Host) (link, Settings, error) {
	if d.opt.Shared == nil {
		return nil, Settings{}, nil
	}
	s, err := Resolve(ctx, h, d.opt)
	if err != nil {
		return nil, s, &DialError{h.String(), Resolving, err, "correct ssh_config"}
	}
	r, err := d.opt.Shared(ctx, s, d.quickest())
	if err != nil || r == nil {
		return nil, s, err
	}
	return r.link(s), s, nil
}

// Login is a connection to a host with nothing on it, for whoever shares it with
// others. It satisfies [mux.Conn].
type Login struct {
	*client
	done chan struct{}

	use   *use
	begun time.Time
	asked atomic.Int64 // when somebody's keepalive was answered, in nanoseconds since begun
}

var (
	_ mux.Conn   = (*Login)(nil)
	_ mux.Rester = (*Login)(nil)
)

// LogIn connects to a host and logs in. The errors are those of [Dial]. The
// connection is closed when the other side does not answer any more.
func LogIn(ctx context.Context, h Host, opt Options) (*Login, error) {
	opt = opt.withDefaults()
	c, err := dialer{opt: opt, vault: newVault()}.dial(ctx, h, nil, 1)
	if err != nil {
		return nil, err
	}
	l := &Login{client: c, done: make(chan struct{}), use: newUse(), begun: time.Now()}
	go func() {
		defer close(l.done)
		_ = c.Wait() // whoever uses the connection sees the reason
	}()
	go l.keepAlive(opt.Keepalive)
	return l, nil
}

// Settings are what the connection was made with.
func (l *Login) Settings() Settings { return l.settings }

// SendRequest implements [mux.Conn]. Where those who share the connection ask whether the
// other side is there, nobody else needs to.
func (l *Login) SendRequest(name string, wantReply bool, payload []byte) (bool, []byte, error) {
	if name != keepaliveRequest || !wantReply {
		return l.client.SendRequest(name, wantReply, payload)
	}
	l.use.stir()
	ok, said, err := l.client.SendRequest(name, wantReply, payload)
	if err == nil {
		l.asked.Store(int64(time.Since(l.begun)))
	}
	return ok, said, err
}

// Rest implements [mux.Rester].
func (l *Login) Rest(depth uint32) { l.use.set(Use(min(depth, uint32(AtRest)))) } //nolint:gosec // bounded

// keepAlive closes a connection whose other side does not answer.
func (l *Login) keepAlive(every time.Duration) {
	link := &clientLink{client: l.client}
	p := pulse{
		every: every, gone: l.done, vitals: link, use: l.use,
		ping:   func() error { _, err := link.ping(); return err },
		took:   func(time.Duration) {},
		others: func() time.Time { return l.begun.Add(time.Duration(l.asked.Load())) },
	}
	if p.run() != nil {
		_ = l.Close() // it is dead
	}
}

// masterLink is a link over a master that the operator has started. The
// master itself tells nothing: its end is seen by the next call.
type masterLink struct {
	master *mux.Client
	ending sync.Once
	end    chan struct{}
	err    error // why it has ended; valid then

	sent     func()       // nil: nobody wants to know
	received atomic.Int64 // bytes
}

var _ link = (*masterLink)(nil)

func newMasterLink(m *mux.Client) *masterLink {
	return &masterLink{master: m, end: make(chan struct{})}
}

func (l *masterLink) finish(err error) {
	l.ending.Do(func() {
		l.err = err
		close(l.end)
	})
}

func (l *masterLink) wait() error {
	<-l.end
	return l.err
}

func (l *masterLink) close() error {
	l.finish(nil)
	return nil
}

// ping asks the master, which answers by itself.
func (l *masterLink) ping() (all bool, err error) {
	_, err = l.master.Check(context.Background()) // has a limit of its own
	if err != nil {
		l.finish(fmt.Errorf("the operator's ssh master: %w", err))
	}
	return true, err
}

// atEnd implements [link]: a stock master knows nothing of the kind.
func (l *masterLink) atEnd(string) bool { return false }

// use implements [link]: a stock master knows nothing of the kind.
func (l *masterLink) use(Use) {}

// onWrite implements [link].
func (l *masterLink) onWrite(sent func()) { l.sent = sent }

// signs implements [link]: what comes out of our sessions has come over the
// master's connection a moment ago.
func (l *masterLink) signs() int64 { return l.received.Load() }

// underway implements [link]. What the master has taken may be there long ago.
func (l *masterLink) underway() int64 { return 0 }

// open implements [link].
func (l *masterLink) open(ctx context.Context, r request) (session, error) {
	q := mux.Request{Command: r.command, Env: r.env}
	if r.subsystem != "" {
		q.Command, q.Subsystem = r.subsystem, true
	}
	if t := r.terminal; t != nil {
		q.Terminal = &mux.Terminal{Term: t.term, Cols: t.size.Cols, Rows: t.size.Rows}
	}
	s, err := l.master.Start(ctx, q)
	if err != nil {
		if errors.Is(err, mux.ErrNoMaster) || errors.Is(err, mux.ErrStale) || errors.Is(err, mux.ErrHung) {
			l.finish(fmt.Errorf("the operator's ssh master: %w", err))
		}
		return nil, err
	}
	p := &masterSession{Session: s, link: l, over: make(chan struct{})}
	p.out, p.errs = l.outlet(s.Stdout), l.outlet(s.Stderr)
	go p.watch()
	return p, nil
}

// masterSession is a session on the operator's master.
type masterSession struct {
	*mux.Session
	link      *masterLink
	out, errs *outlet
	over      chan struct{}
	result    backends.Outcome
	closing   sync.Once
}

// outlet is an output of a session on the operator's master.
type outlet struct {
	io.Reader
	link  *masterLink
	read  atomic.Int64 // bytes
	once  sync.Once
	empty chan struct{} // closed when it has been read to its end
}

func (l *masterLink) outlet(r io.Reader) *outlet {
	return &outlet{Reader: r, link: l, empty: make(chan struct{})}
}

func (o *outlet) Read(b []byte) (int, error) {
	n, err := o.Reader.Read(b)
	o.link.received.Add(int64(n))
	o.read.Add(int64(n))
	if err != nil {
		o.once.Do(func() { close(o.empty) })
	}
	return n, err
}

var _ session = (*masterSession)(nil)

func (p *masterSession) watch() {
	defer close(p.over)
	if code, err := p.Wait(); err == nil {
		p.result = backends.ExitedWith(code)
	}
}

func (p *masterSession) Read(b []byte) (int, error) { return p.out.Read(b) }
func (p *masterSession) stderr() io.Reader          { return p.errs }
func (p *masterSession) closeInput() error          { return p.Stdin.Close() }
func (p *masterSession) ended() <-chan struct{}     { return p.over }
func (p *masterSession) gone() <-chan struct{}      { return p.over }
func (p *masterSession) outcome() backends.Outcome  { return p.result }

func (p *masterSession) Write(b []byte) (int, error) {
	if p.link.sent != nil {
		p.link.sent()
	}
	return p.Stdin.Write(b)
}

// unreadTime is how long the outputs of a session that was given up may wait for
// somebody to read on.
const unreadTime = 10 * time.Second

func (p *masterSession) close() {
	p.closing.Do(func() {
		p.GiveUp()
		go func() {
			p.out.leave()
			p.errs.leave()
			_ = p.Session.Close() // gives no error
		}()
	})
}

// leave returns when the output has been read to its end, or nobody reads it any more.
func (o *outlet) leave() {
	for before := int64(-1); before != o.read.Load(); {
		before = o.read.Load()
		select {
		case <-o.empty:
			return
		case <-time.After(unreadTime):
		case <-o.link.end: // whoever still reads does it now
			select {
			case <-o.empty:
			case <-time.After(backends.DrainDelay):
			}
			return
		}
	}
}

// refuseOutput closes our end of the pipe: the master tells the other side.
func (p *masterSession) refuseOutput() bool {
	if out, ok := p.Stdout.(io.Closer); ok {
		_ = out.Close() // only read
		return true
	}
	return false
}

func (p *masterSession) resize(s backends.Size) error { return p.Resize(s.Cols, s.Rows) }

// signal implements [session]: a stock master has no word for it.
func (p *masterSession) signal(string) error {
	return errors.New("ssh: the operator's master passes no signals on")
}
