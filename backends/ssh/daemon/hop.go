package daemon

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/ssh/mux"
)

// hop gives a connection that others go through: over the operator's own master
// where one answers, else one that is held like any other.
func (d *daemon) hop(ctx context.Context, o Order, hop ssh.Host, ask ssh.Asker, step func(ssh.Step)) (ssh.Through, error) {
	o.Host = hop.String()
	if !o.Own {
		s, err := ssh.Resolve(ctx, hop, ssh.Options{Config: o.Config, Env: o.Env, Dir: o.Dir, Agent: o.Agent})
		if err != nil {
			return nil, err
		}
		if s.ControlPath != "" {
			if master, err := mux.Dial(ctx, s.ControlPath); err == nil {
				return through{dialer: master, done: func() {}}, nil
			}
		}
	}
	c, err := d.connect(ctx, o, ask, step)
	if err != nil {
		return nil, err
	}
	if c.dialer == nil {
		c.use(-1)
		return nil, errors.New("ssh: the connection to the hop leads no further")
	}
	return through{c.dialer, sync.OnceFunc(func() { c.use(-1) })}, nil
}

// through is a connection to a hop that is in use.
type through struct {
	dialer
	done func()
}

// Dial implements [ssh.Through].
func (t through) Dial(ctx context.Context, address string) (net.Conn, error) {
	return t.DialContext(ctx, "tcp", address)
}

// Close gives the connection back.
func (t through) Close() error {
	t.done()
	return nil
}
