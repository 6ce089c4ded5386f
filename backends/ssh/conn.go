package ssh

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
	"github.com/nod-console/nod/backends/ssh/mux"
)

// Conn is one connection to a host, with everything that runs on it. It does
// not come back when it is lost; [Target] does. It is safe for concurrent use.
type Conn struct {
	name     string
	link     link
	settings Settings
	opt      Options
	env      []string // sent with each session
	files    *files

	use     *use
	down    chan struct{} // closed when the link is gone
	downErr error         // why; valid then
	latency atomic.Int64  // of the last answer, in nanoseconds
	telling sync.Mutex    // held while the link is told what it is used for

	mu       sync.Mutex
	closed   bool
	lost     error // why we gave the link up, if we did
	closing  chan struct{}
	freed    chan struct{}               // closed and replaced when a session has gone
	programs int                         // sessions with programs that are open
	single   atomic.Bool                 // the server allows one session
	running  sync.WaitGroup              // one for each supervised program
	starting chan struct{}               // has room for one: who starts a remote shell
	remote   atomic.Pointer[remoteShell] // the last one
}

var _ backends.Target = (*Conn)(nil)

// Dial connects to a host and logs in. ctx bounds all of it, questions to the
// operator as well; each step has its own time limit besides.
//
// Errors are *DialError, with the cause inside: *UnknownHostKeyError,
// *ChangedHostKeyError, *RevokedHostKeyError, *AuthError, ErrTimeout,
// ErrNoShell, ErrConfig, or the network's own.
func Dial(ctx context.Context, h Host, opt Options) (*Conn, error) {
	return dialer{opt: opt.withDefaults(), vault: newVault()}.connect(ctx, h)
}

// connect finds a connection that somebody else has logged in, or logs in.
func (d dialer) connect(ctx context.Context, h Host) (*Conn, error) {
	l, s, err := d.shared(ctx, h)
	if err != nil {
		return nil, err
	}
	if l != nil {
		return newConn(ctx, l, s, d.opt)
	}
	client, err := d.dial(ctx, h, nil, 1)
	if err != nil {
		return nil, err
	}
	return newConn(ctx, &clientLink{client: client}, client.settings, d.opt)
}

// newConn makes a connection of a link, which it owns from here on.
func newConn(ctx context.Context, l link, s Settings, opt Options) (*Conn, error) {
	c := &Conn{
		name:     s.Host.String(),
		link:     l,
		settings: s,
		opt:      opt,
		env:      sentEnv(s, opt),
		use:      newUse(),
		down:     make(chan struct{}),
		closing:  make(chan struct{}),
		freed:    make(chan struct{}),

		starting: make(chan struct{}, 1),
	}
	c.files = newFiles(c)
	l.onWrite(c.use.stir)
	go c.watch()
	go c.keepAlive()
	opt.step(c.name, Starting, "")
	stop := context.AfterFunc(ctx, func() { c.giveUp(context.Cause(ctx)) })
	_, err := c.remoteShell(ctx)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = c.usable()
	}
	if err != nil {
		_ = c.Close() // the first error counts
		return nil, &DialError{c.name, Starting, err, ""}
	}
	opt.step(c.name, Ready, "")
	return c, nil
}

// usable reports whether programs can be ended at the other side.
func (c *Conn) usable() error {
	about := c.about()
	if !about.own && !about.setsid {
		return errors.New("its ssh server does not start commands in sessions of their own, and there is no setsid, so that they could not be ended: install util-linux or busybox there")
	}
	return nil
}

// Name implements [backends.Target].
func (c *Conn) Name() string { return c.name }

// Files implements [backends.Target].
func (c *Conn) Files() backends.Files { return c.files }

// Settings are what the connection was made with.
func (c *Conn) Settings() Settings { return c.settings }

// Remote describes who and where commands are at the other end.
type Remote struct {
	User   string // whom commands run as
	Home   string
	Shell  string // the login shell's path
	System string // "Linux", as uname says
}

// Remote describes the other end.
func (c *Conn) Remote() Remote {
	a := c.about()
	return Remote{User: a.user, Home: a.home, Shell: a.shell, System: a.system}
}

// Done is closed when the connection is gone.
func (c *Conn) Done() <-chan struct{} { return c.down }

// Err says why the connection is gone, after Done: ErrClosed or ErrLost with
// the reason. It is nil before.
func (c *Conn) Err() error {
	select {
	case <-c.down:
		return c.downErr
	default:
		return nil
	}
}

// Latency is the time that the last answer of the other side took; 0 before
// the first.
func (c *Conn) Latency() time.Duration { return time.Duration(c.latency.Load()) }

// watch waits for the link's end.
func (c *Conn) watch() {
	err := c.link.wait()
	c.mu.Lock()
	switch {
	case c.lost != nil:
		c.downErr = fmt.Errorf("ssh: %w: %w", ErrLost, c.lost)
	case c.closed:
		c.downErr = ErrClosed
	case err == nil:
		c.downErr = fmt.Errorf("ssh: %w: the other side has closed it", ErrLost)
	default:
		c.downErr = fmt.Errorf("ssh: %w: %w", ErrLost, err)
	}
	c.mu.Unlock()
	close(c.down)
	_ = c.link.close() // the hops before it, too
}

// giveUp closes a link that does not work any more.
func (c *Conn) giveUp(why error) {
	c.mu.Lock()
	if c.lost == nil && !c.closed {
		c.lost = why
	}
	c.mu.Unlock()
	_ = c.link.close() // it is lost already
}

// keepAlive gives the link up when the other side does not answer any more.
func (c *Conn) keepAlive() {
	p := pulse{
		every: c.opt.Keepalive, gone: c.down, ping: c.ping, vitals: c.link, use: c.use,
		took: func(took time.Duration) { c.latency.Store(int64(took)) },
	}
	if lost := p.run(); lost != nil {
		c.giveUp(lost)
	}
}

// SetUse says what the connection is used for, and with that how soon its loss is to be
// noticed. When it comes to be in use, and when something that is sent has no answer, the
// other side is asked at once. A new one is in use.
func (c *Conn) SetUse(as Use) {
	if !c.use.set(as) {
		return
	}
	go func() { // whoever holds the connection may hang
		c.telling.Lock()
		defer c.telling.Unlock()
		c.link.use(c.use.now()) // as it is by now
	}()
}

// ping returns when the other side has answered. A master of the operator's
// answers by itself, whatever has become of its link: behind it the remote shell is
// asked.
func (c *Conn) ping() error {
	if _, err := c.link.ping(); err != nil {
		return err
	}
	a := c.remote.Load()
	if _, theirs := c.link.(*masterLink); !theirs || a == nil || !a.Alive() {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-c.down:
			cancel()
		case <-ctx.Done():
		}
	}()
	_, err := a.Ask(ctx, "ping")
	return err
}

// caughtUp returns when the other side has answered what is asked now, or is gone: what it
// had sent before is here. That somebody on the way is there says nothing of that.
func (c *Conn) caughtUp() {
	for {
		all, err := c.link.ping()
		if err != nil {
			return
		}
		if all {
			break
		}
	}
	_ = c.ping() // behind a master of the operator's; whatever it says, or that it is gone
}

// remoteShell returns the remote shell, a new one if somebody has ended the last.
func (c *Conn) remoteShell(ctx context.Context) (*remoteShell, error) {
	if a := c.remote.Load(); a != nil && a.Alive() {
		return a, nil
	}
	select {
	case c.starting <- struct{}{}:
		defer func() { <-c.starting }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if a := c.remote.Load(); a != nil && a.Alive() { // somebody was quicker
		return a, nil
	}
	slow := time.AfterFunc(shellTell, c.tellSlowShell)
	a, err := startRemoteShell(ctx, c.link, c.open)
	slow.Stop()
	if err != nil {
		return nil, c.reason(err)
	}
	c.remote.Store(a)
	return a, nil
}

// StayingShell is the shell that stays at the other end for as long as the connection. There
// is none to rely on where the server allows one session: it makes way for programs.
func (c *Conn) StayingShell(ctx context.Context) (*posix.RemoteShell, error) {
	if c.single.Load() {
		return nil, fmt.Errorf("ssh: %w", ErrSessions)
	}
	a, err := c.remoteShell(ctx)
	if err != nil {
		return nil, err
	}
	return a.RemoteShell, nil
}

// about is what is known of the other end.
func (c *Conn) about() about { return c.remote.Load().about }

// reason is why something failed: the end of the link, if it has ended.
func (c *Conn) reason(err error) error {
	select {
	case <-c.down:
		return c.downErr
	default:
		return err
	}
}

// limited is a context for what the other side has limit to do, as long as there
// is a link.
func (c *Conn) limited(limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := limited(context.Background(), c.link, limit)
	go func() {
		select {
		case <-c.down: // a session on somebody else's connection may not notice
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// settle gives the link's end the moment that it needs to be known: what runs on
// it fails first.
func (c *Conn) settle() {
	select {
	case <-c.down:
	case <-time.After(backends.DrainDelay):
	}
}

// Close ends what runs and closes the connection. It may be called more than
// once.
func (c *Conn) Close() error {
	c.mu.Lock()
	first := !c.closed
	if first {
		c.closed = true
		close(c.closing)
	}
	c.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		c.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(endTime): // the link is frozen
	}
	if first {
		if a := c.remote.Load(); a != nil {
			a.close()
		}
		_ = c.link.close() // what it says shows in downErr
	}
	<-c.down
	<-ended
	c.files.close()
	return nil
}

// isClosed is ErrClosed after Close, and the reason after a loss.
func (c *Conn) isClosed() error {
	select {
	case <-c.closing:
		return c.closedWhy()
	case <-c.down:
		return c.downErr
	default:
		return nil
	}
}

// AtEnd has a command run right before the connection ends, by whoever holds it beyond the
// end of nod, once for all who ask for the same. It reports whether that is promised; it
// is not on a connection that ends with nod, nor on a stock master. Without a command it
// tells whether it would be.
func (c *Conn) AtEnd(ctx context.Context, argv []string) bool {
	line := ""
	if len(argv) > 0 {
		words := make([]string, len(argv))
		for i, word := range argv {
			words[i] = posix.Quote(word)
		}
		var err error
		if line, err = commandLine("", "exec "+strings.Join(words, " "), c.about().dialect); err != nil {
			return false
		}
	}
	promised, err := posix.Interruptible(ctx, func() (bool, error) { return c.link.atEnd(line), nil }, func(bool) {})
	return promised && err == nil
}

// closedWhy is ErrClosed, or the reason of the loss after which a lost connection was
// closed. Call it after Close has begun.
func (c *Conn) closedWhy() error {
	select {
	case <-c.down:
		return c.downErr
	default:
		return ErrClosed
	}
}

// sentEnv is the environment that goes with a session: SetEnv, and what SendEnv
// names of the operator's, but for what is withheld.
func sentEnv(s Settings, opt Options) []string {
	var env []string
	for _, kv := range opt.Env {
		name, _, _ := strings.Cut(kv, "=")
		if matchName(s.SendEnv, name) && !slices.Contains(opt.Withhold, name) {
			env = append(env, kv)
		}
	}
	for _, kv := range s.SetEnv {
		name, _, _ := strings.Cut(kv, "=")
		env = slices.DeleteFunc(env, func(have string) bool { return strings.HasPrefix(have, name+"=") })
		env = append(env, kv)
	}
	return env
}

// matchName matches the patterns of SendEnv; those with "-" take names out.
func matchName(patterns []string, name string) bool {
	matched := false
	for _, p := range patterns {
		if out, not := strings.CutPrefix(p, "-"); not {
			if mux.Match(out, name) {
				matched = false
			}
		} else if mux.Match(p, name) {
			matched = true
		}
	}
	return matched
}

// startError is the error of a command that the launcher could not start.
func startError(word string, cmd backends.Command) error {
	what, why, _ := strings.Cut(word, " ")
	subject := fmt.Sprintf("no program %q", cmd.Argv[0])
	if what == "dir" {
		subject = fmt.Sprintf("the directory %q", cmd.Dir)
	}
	switch why {
	case "none":
		return fmt.Errorf("ssh: %s: %w", subject, fs.ErrNotExist)
	case "denied":
		if what == "program" {
			subject = fmt.Sprintf("the program %q is not executable", cmd.Argv[0])
		}
		return fmt.Errorf("ssh: %s: %w", subject, fs.ErrPermission)
	case "notdir":
		return fmt.Errorf("ssh: %s is not a directory", subject)
	}
	return fmt.Errorf("ssh: the other side says %q instead of starting %q", word, cmd.Argv[0])
}
