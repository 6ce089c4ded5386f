package ssh

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// Target is a host whose connection is made again when it is lost.
//
// What ran when it was lost has an unknown outcome; what is called meanwhile
// fails at once with an *OutageError, so that nothing stalls. Who wants to wait
// calls Ready.
type Target struct {
	host   Host
	dialer dialer

	life   context.Context // ends with Close
	cancel context.CancelFunc
	done   chan struct{} // closed when nothing runs any more
	retry  chan struct{} // has room for one wish to try now

	mu      sync.Mutex
	conn    *Conn
	outage  *OutageError // nil while connected
	changed chan struct{}
}

var _ backends.Target = (*Target)(nil)

// Open connects to a host and stays connected until Close. The errors are those
// of [Dial].
func Open(ctx context.Context, h Host, opt Options) (*Target, error) {
	t := &Target{
		host:    h,
		dialer:  dialer{opt: opt.withDefaults(), vault: newVault()},
		done:    make(chan struct{}),
		retry:   make(chan struct{}, 1),
		changed: make(chan struct{}),
	}
	conn, err := t.dialer.connect(ctx, h)
	if err != nil {
		return nil, err
	}
	t.conn = conn
	t.life, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go t.tend(conn)
	return t, nil
}

// Name implements [backends.Target].
func (t *Target) Name() string { return t.host.String() }

// Exec implements [backends.Target].
func (t *Target) Exec(ctx context.Context, c backends.Command) (backends.Process, error) {
	conn, err := t.Conn()
	if err != nil {
		return nil, err
	}
	return conn.Exec(ctx, c)
}

// Terminal implements [backends.Target].
func (t *Target) Terminal(ctx context.Context, c backends.Command, s backends.Size) (backends.Terminal, error) {
	conn, err := t.Conn()
	if err != nil {
		return nil, err
	}
	return conn.Terminal(ctx, c, s)
}

// SetUse is [Conn.SetUse] of the connection of this moment.
func (t *Target) SetUse(as Use) {
	if conn, err := t.Conn(); err == nil {
		conn.SetUse(as)
	}
}

// AtEnd is [Conn.AtEnd] of the connection of this moment.
func (t *Target) AtEnd(ctx context.Context, argv []string) bool {
	conn, err := t.Conn()
	return err == nil && conn.AtEnd(ctx, argv)
}

// StayingShell is [Conn.StayingShell] of the connection of this moment.
func (t *Target) StayingShell(ctx context.Context) (*posix.RemoteShell, error) {
	conn, err := t.Conn()
	if err != nil {
		return nil, err
	}
	return conn.StayingShell(ctx)
}

// Files implements [backends.Target].
func (t *Target) Files() backends.Files { return targetFiles{t} }

// Conn is the connection of this moment. The error is *OutageError while there
// is none, and ErrClosed after Close.
func (t *Target) Conn() (*Conn, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.life.Err() != nil {
		return nil, ErrClosed
	}
	if t.outage != nil {
		outage := *t.outage
		return nil, &outage
	}
	if err := t.conn.Err(); err != nil { // tend has not seen it yet
		return nil, &OutageError{Since: time.Now(), Last: err}
	}
	return t.conn, nil
}

// Changed returns a channel that is closed when a connection is lost or made
// next, or an attempt has failed; Conn then tells which.
func (t *Target) Changed() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}

// Ready waits until there is a connection. It ends early if the attempts have
// been given up.
func (t *Target) Ready(ctx context.Context) error {
	for {
		changed := t.Changed()
		_, err := t.Conn()
		var outage *OutageError
		if !errors.As(err, &outage) || outage.GivenUp {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case <-t.done:
		}
	}
}

// Retry makes the next attempt come now, also after the attempts have been
// given up.
func (t *Target) Retry() {
	select {
	case t.retry <- struct{}{}:
	default: // one is on its way
	}
}

// Close implements [backends.Target].
func (t *Target) Close() error {
	t.cancel()
	<-t.done
	return nil
}

// tend waits for the end of connections and makes new ones.
func (t *Target) tend(conn *Conn) {
	defer close(t.done)
	for conn != nil {
		select {
		case <-conn.Done():
		case <-t.life.Done():
		}
		since := time.Now()
		if t.life.Err() == nil {
			t.set(nil, &OutageError{Since: since, Last: conn.Err()})
		}
		_ = conn.Close() // lost, or not needed any more; it gives no error
		if t.life.Err() != nil {
			return
		}
		conn = t.reconnect(since)
	}
}

func (t *Target) set(conn *Conn, outage *OutageError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if conn != nil {
		t.conn = conn
	}
	t.outage = outage
	close(t.changed)
	t.changed = make(chan struct{})
}

const (
	// eager is how long a lost connection is tried again at the shortest
	// interval: most outages are short, and somebody waits.
	eager = time.Minute
	// eagerDial bounds a TCP connection then: the kernel repeats a lost SYN
	// after 1, 3 and 7 s, and a new attempt is there sooner.
	eagerDial = 4 * time.Second
	// leastPause is which part of the interval is left between an attempt that
	// took long and the next.
	leastPause = 5
)

// reconnect tries until there is a connection. Nil means that the target was
// closed.
func (t *Target) reconnect(since time.Time) *Conn {
	opt := t.dialer.opt
	rare := backoff.NewExponentialBackOff()
	rare.InitialInterval, rare.MaxInterval, rare.Multiplier = opt.RetryEvery, opt.RetryAtMost, 2
	for tries := 1; ; tries++ {
		d, pause, begun := t.dialer, opt.RetryEvery, time.Now()
		if time.Since(since) < eager {
			d.quick = eagerDial
		} else {
			pause = rare.NextBackOff()
		}
		conn, err := d.connect(t.life, t.host)
		if err == nil {
			t.set(conn, nil)
			return conn
		}
		if t.life.Err() != nil {
			return nil
		}
		outage := &OutageError{Since: since, Tries: tries, Last: err, GivenUp: Lasting(err)}
		t.set(nil, outage)
		var timer <-chan time.Time
		if !outage.GivenUp { // what the attempt took was a pause, too
			timer = time.After(max(pause-time.Since(begun), pause/leastPause))
		}
		select {
		case <-timer:
		case <-t.retry:
			rare.Reset()
		case <-t.life.Done():
			return nil
		}
	}
}

// targetFiles are the files of whatever connection there is.
type targetFiles struct{ t *Target }

var _ backends.Files = targetFiles{}

func (f targetFiles) files() (*files, error) {
	conn, err := f.t.Conn()
	if err != nil {
		return nil, err
	}
	return conn.files, nil
}

// Open implements [backends.Files].
func (f targetFiles) Open(ctx context.Context, name string) (backends.File, error) {
	files, err := f.files()
	if err != nil {
		return nil, posix.PathError("open", name, err)
	}
	return files.Open(ctx, name)
}

// Stat implements [backends.Files].
func (f targetFiles) Stat(ctx context.Context, name string) (backends.Info, error) {
	files, err := f.files()
	if err != nil {
		return backends.Info{}, posix.PathError("stat", name, err)
	}
	return files.Stat(ctx, name)
}

// List implements [backends.Files].
func (f targetFiles) List(ctx context.Context, name string) ([]backends.Info, error) {
	files, err := f.files()
	if err != nil {
		return nil, posix.PathError("list", name, err)
	}
	return files.List(ctx, name)
}

// Write implements [backends.Files].
func (f targetFiles) Write(ctx context.Context, name string, data []byte, opt backends.WriteOptions) (backends.Info, error) {
	files, err := f.files()
	if err != nil {
		return backends.Info{}, posix.PathError("write", name, err)
	}
	return files.Write(ctx, name, data, opt)
}

// Resolve says where a path leads; see the files of a Conn.
func (f targetFiles) Resolve(ctx context.Context, name string) (string, error) {
	files, err := f.files()
	if err != nil {
		return "", posix.PathError("resolve", name, err)
	}
	return files.Resolve(ctx, name)
}

// OpenExact opens a path without links; see the files of a Conn.
func (f targetFiles) OpenExact(ctx context.Context, name string) (backends.File, error) {
	files, err := f.files()
	if err != nil {
		return nil, posix.PathError("open", name, err)
	}
	return files.OpenExact(ctx, name)
}

// WriteExact writes a path without links; see the files of a Conn.
func (f targetFiles) WriteExact(ctx context.Context, name string, data []byte, opt backends.WriteOptions) (backends.Info, error) {
	files, err := f.files()
	if err != nil {
		return backends.Info{}, posix.PathError("write", name, err)
	}
	return files.WriteExact(ctx, name, data, opt)
}
