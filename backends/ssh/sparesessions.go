package ssh

import (
	"errors"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// spares keep one session of a connection open ahead, so that a program costs one round
// trip and not two: the server has answered the first already (RFC 4254, 6.1; a session on
// which nothing is asked for runs nothing). It counts for the server's MaxSessions, so it is
// what the next program is given, whoever needs it, and none is kept where the server has
// refused one lately. The zero value has none. It is safe for concurrent use.
type spares struct {
	mu      sync.Mutex
	ready   *spare // nil: there is none
	opening bool
	refused time.Time // when the server last refused to open one
}

// refusedFor is how long no spare is tried after the server has refused one: it counts
// refusals in its log.
const refusedFor = 30 * time.Second

// lately is how recently the server must have been heard for a spare session to be used. A
// link that is dead without anybody knowing it yet would swallow the program's line, of
// which nobody could say whether it has run; the opening of a session is lost without harm.
const lately = 2 * time.Second

// spare is a session on which nothing has been asked for yet.
type spare struct {
	channel  ssh.Channel
	requests chan *ssh.Request // what the server asks for once it is taken
	taken    chan struct{}     // closed when it is
	dead     chan struct{}     // closed when the server has closed it
}

// take is the spare, if there is one; nil if not.
func (s *spares) take() *spare {
	s.mu.Lock()
	one := s.ready
	s.ready = nil
	s.mu.Unlock()
	if one == nil {
		return nil
	}
	select {
	case <-one.dead:
		return nil
	default:
		close(one.taken)
		return one
	}
}

// fill opens a spare, if there is none. It does not wait for it.
func (s *spares) fill(open func() (ssh.Channel, <-chan *ssh.Request, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready != nil || s.opening || time.Since(s.refused) < refusedFor {
		return
	}
	s.opening = true
	go func() {
		channel, requests, err := open()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.opening = false
		var refusal *ssh.OpenChannelError
		switch {
		case errors.As(err, &refusal):
			s.refused = time.Now()
		case err == nil: // else the connection has ended
			s.ready = &spare{channel: channel, requests: make(chan *ssh.Request, 16), taken: make(chan struct{}), dead: make(chan struct{})}
			go s.ready.tend(requests)
		}
	}()
}

// tend answers what the server asks for on a spare (its keepalives, which OpenSSH sends on a
// session if there is one), and hands on what it asks for afterwards.
func (s *spare) tend(requests <-chan *ssh.Request) {
	defer close(s.requests)
	defer close(s.dead)
	for {
		select {
		case r, ok := <-requests:
			if !ok {
				return
			}
			select {
			case <-s.taken:
				s.requests <- r
				continue
			default:
			}
			if r.WantReply {
				_ = r.Reply(false, nil) // the connection may have ended
			}
		case <-s.taken:
			for r := range requests {
				s.requests <- r
			}
			return
		}
	}
}

// OpenChannel opens a channel. A session is the spare one where there is one and the server
// was heard lately, and another one is opened ahead, on servers that are known to take that:
// those of OpenSSH.
func (c *client) OpenChannel(kind string, extra []byte) (ssh.Channel, <-chan *ssh.Request, error) {
	if kind != "session" || c.spares == nil {
		return c.Client.OpenChannel(kind, extra)
	}
	open := func() (ssh.Channel, <-chan *ssh.Request, error) { return c.Client.OpenChannel(kind, nil) }
	if c.meter.heard(lately) {
		if one := c.spares.take(); one != nil {
			c.spares.fill(open)
			return one.channel, one.requests, nil
		}
	}
	channel, requests, err := open()
	if err == nil {
		c.spares.fill(open)
	}
	return channel, requests, err
}
