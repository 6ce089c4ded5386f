package ssh

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nod-console/nod/backends/ssh/mux"
)

const (
	// sessionWait is how long a call waits for a session to become free.
	sessionWait = 2 * time.Minute
	// sessionTell is after how long of it the operator is told.
	sessionTell = 3 * time.Second
	// sessionRetry is when to try again at the latest though none of ours has
	// ended: others may share the connection.
	sessionRetry = 500 * time.Millisecond
	// sessionTries is how often in a row a session must be refused to nod's only
	// program before the remote shell makes way: a server needs a moment to be done with a
	// session that has ended, and without a remote shell nothing can be cancelled.
	sessionTries = 5
)

// open opens a session. Where the server allows no more it waits for one to
// end, of ours or of others on the same connection. ctx does not interrupt an
// opening that is under way, since what it starts would run unseen.
func (c *Conn) open(ctx context.Context, r request) (session, error) {
	since, told, refused := time.Now(), false, 0
	r.env = c.env
	for pause := sessionRetry / 16; ; pause = min(2*pause, sessionRetry) {
		c.count(r, 1)
		c.mu.Lock()
		freed := c.freed // from before the server is asked: what ends meanwhile counts
		c.mu.Unlock()
		s, err := c.link.open(context.WithoutCancel(ctx), r)
		if err == nil {
			go c.countUntilGone(s, r)
			return s, nil
		}
		full, err := c.full(err)
		if full && !r.remoteShell && c.alone() {
			refused++
		} else {
			refused = 0
		}
		yielded := refused > 0 && (refused >= sessionTries || c.single.Load()) && c.yield()
		c.count(r, -1)
		if yielded {
			continue
		}
		if !full {
			return nil, err
		}
		if !told && time.Since(since) > sessionTell {
			told = true
			c.opt.note(c.name, "the server allows no more sessions on this connection (MaxSessions): waiting for one to end")
		}
		if time.Since(since) > sessionWait {
			return nil, fmt.Errorf("ssh: %w", ErrSessions)
		}
		if err := c.awaitRoom(ctx, freed, pause); err != nil {
			return nil, err
		}
	}
}

// countUntilGone takes a session that was counted out of the count again when it has ended.
func (c *Conn) countUntilGone(s session, r request) {
	<-s.gone()
	c.count(r, -1)
	c.tellFreed()
}

// awaitRoom waits until it is worth to ask for a session again: one has ended, or the pause is
// over. The error says that nobody waits for it any more, or that the connection has ended.
func (c *Conn) awaitRoom(ctx context.Context, freed <-chan struct{}, pause time.Duration) error {
	select {
	case <-freed:
		return nil
	case <-time.After(pause/2 + rand.N(pause)): //nolint:gosec // those that wait do not all come at once
		return nil
	case <-ctx.Done():
		return fmt.Errorf("ssh: not started: %w", context.Cause(ctx))
	case <-c.down:
		return c.downErr
	case <-c.closing:
		return c.closedWhy()
	}
}

// full reports whether a session was refused for there being too many; if not,
// the error is for the caller.
func (c *Conn) full(err error) (bool, error) {
	var (
		refused *ssh.OpenChannelError
		master  *mux.RefusedError
	)
	switch {
	case errors.As(err, &master):
		return !master.Denied, fmt.Errorf("ssh: open a session: %w", err)
	case !errors.As(err, &refused):
		if !errors.Is(err, errRefused) && !errors.Is(err, ErrTimeout) {
			c.settle()
		}
		return false, c.reason(fmt.Errorf("ssh: open a session: %w", err))
	}
	return refused.Reason == ssh.ConnectionFailed || refused.Reason == ssh.ResourceShortage, fmt.Errorf("ssh: the server opens no session: %w", err)
}

// alone reports whether no program of ours runs but the one that is to be.
func (c *Conn) alone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.programs == 1
}

// yield gives the remote shell's session up for a program, where no other of ours needs
// it: so a server that allows one session runs everything. It reports whether there is
// one more now.
func (c *Conn) yield() bool {
	a := c.remote.Load()
	if a == nil || !a.Alive() {
		return false
	}
	a.close()
	select {
	case <-a.s.gone():
		c.single.Store(true)
		return true
	case <-c.down:
	case <-time.After(openTime):
	}
	return false
}

// count counts a session with a program, from before it is opened until the
// server has given it up.
func (c *Conn) count(r request, by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !r.remoteShell {
		c.programs += by
	}
}

// tellFreed wakes those who wait for a session.
func (c *Conn) tellFreed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.freed)
	c.freed = make(chan struct{})
}

// bySession signals a program by its own session, for where there is none for an
// remote shell. OpenSSH does that for users other than root.
func (p *process) bySession(signals ...string) error {
	for _, name := range signals {
		if err := p.s.signal(name); err != nil {
			return err
		}
		select {
		case <-p.s.ended():
			return nil
		case <-time.After(sessionSignal):
		}
	}
	return fmt.Errorf("ssh: the program takes no signal by its session, and there is no other: %w", ErrSessions)
}

// sessionSignal is how long a program may take to end by a signal.
const sessionSignal = 2 * time.Second
