package ssh

import (
	"crypto/ed25519"
	"crypto/rand"
	"net"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// sessionServer is a server that opens sessions and runs nothing.
type sessionServer struct {
	mu      sync.Mutex
	most    int           // sessions at once
	open    []ssh.Channel // that are open
	opened  int           // all
	refused int
	changed chan struct{}
}

func (s *sessionServer) serve(t *testing.T, conn net.Conn) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Error(err)
		return
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Error(err)
		return
	}
	config := &ssh.ServerConfig{NoClientAuth: true, ServerVersion: "SSH-2.0-OpenSSH_9.9"}
	config.AddHostKey(signer)
	_, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		t.Error(err)
		return
	}
	go ssh.DiscardRequests(requests)
	for asked := range channels {
		s.mu.Lock()
		if len(s.open) >= s.most {
			s.refused++
			_ = asked.Reject(ssh.ConnectionFailed, "open failed")
		} else if channel, of, err := asked.Accept(); err == nil {
			go ssh.DiscardRequests(of)
			s.open, s.opened = append(s.open, channel), s.opened+1
		}
		close(s.changed)
		s.changed = make(chan struct{})
		s.mu.Unlock()
	}
}

// until waits for the server to have opened and refused so many sessions.
func (s *sessionServer) until(t *testing.T, opened, refused int) {
	t.Helper()
	for limit := time.After(time.Minute); ; {
		s.mu.Lock()
		changed, o, r := s.changed, s.opened, s.refused
		s.mu.Unlock()
		if o == opened && r == refused {
			return
		}
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("%d opened, %d refused; want %d and %d", o, r, opened, refused)
		}
	}
}

// newSessionServer is a server and a client of it that opens sessions ahead.
func newSessionServer(t *testing.T, most int) (*sessionServer, *client) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &sessionServer{most: most, changed: make(chan struct{})}
	var served sync.WaitGroup
	served.Go(func() {
		conn, err := l.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		s.serve(t, conn)
	})
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	counted := &meter{Conn: conn}
	sc, channels, requests, err := ssh.NewClientConn(counted, "", &ssh.ClientConfig{HostKeyCallback: ssh.InsecureIgnoreHostKey()})
	if err != nil {
		t.Fatal(err)
	}
	plain := ssh.NewClient(sc, channels, requests)
	t.Cleanup(func() {
		_ = plain.Close()
		_ = l.Close()
		served.Wait()
	})
	return s, &client{Client: plain, meter: counted, spares: &spares{}}
}

// await waits for a spare session, and returns it.
func (s *spares) await(t *testing.T) *spare {
	t.Helper()
	for limit := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		one := s.ready
		s.mu.Unlock()
		if one != nil {
			return one
		}
		if time.Now().After(limit) {
			t.Fatal("there is no spare")
		}
	}
}

func anySession(t *testing.T, c *client) (ssh.Channel, <-chan *ssh.Request) {
	t.Helper()
	channel, requests, err := c.OpenChannel("session", nil)
	if err != nil {
		t.Fatal(err)
	}
	return channel, requests
}

// After its first session a connection has another one that is open, which the next
// program gets: the server is not asked before it.
func TestASessionIsOpenedAhead(t *testing.T) {
	s, c := newSessionServer(t, 10)
	_, first := anySession(t, c)
	go ssh.DiscardRequests(first)
	s.until(t, 2, 0)
	spare := c.spares.await(t)
	channel, requests := anySession(t, c)
	if channel != spare.channel {
		t.Fatal("the second session is not the one that was opened ahead")
	}
	s.until(t, 3, 0)
	// What the server says on it comes through.
	s.mu.Lock()
	far := s.open[1]
	s.mu.Unlock()
	if _, err := far.SendRequest("exit-status", false, ssh.Marshal(exitStatus{7})); err != nil {
		t.Fatal(err)
	}
	if r := <-requests; r == nil || r.Type != "exit-status" {
		t.Errorf("%+v", r)
	}
	_ = far.Close()
	if r, more := <-requests; more {
		t.Errorf("after the end: %+v", r)
	}
}

// A keepalive that comes over the spare session is answered.
func TestASpareSessionAnswersKeepalives(t *testing.T) {
	s, c := newSessionServer(t, 10)
	_, first := anySession(t, c)
	go ssh.DiscardRequests(first)
	c.spares.await(t)
	s.until(t, 2, 0)
	s.mu.Lock()
	far := s.open[1]
	s.mu.Unlock()
	if ok, err := far.SendRequest("keepalive@openssh.com", true, nil); ok || err != nil {
		t.Errorf("%t, %v", ok, err)
	}
}

// At the server's limit the spare session is the one that goes: every session that the
// server allows is to be had, and a refusal is not asked for again and again.
func TestTheSpareSessionIsTheFirstToGo(t *testing.T) {
	s, c := newSessionServer(t, 3)
	for n := range 3 {
		_, requests := anySession(t, c)
		go ssh.DiscardRequests(requests)
		if n < 2 {
			c.spares.await(t)
		}
	}
	s.until(t, 3, 1)
	if _, _, err := c.OpenChannel("session", nil); err == nil {
		t.Fatal("a fourth session")
	}
	s.until(t, 3, 2) // for the one that was asked for, and none for a spare
	s.mu.Lock()
	s.open = s.open[:2] // one has ended
	s.mu.Unlock()
	_, requests := anySession(t, c)
	go ssh.DiscardRequests(requests)
	for limit := time.Now().Add(time.Minute); c.spares.isOpening(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("a spare session is being opened for ever")
		}
	}
	s.until(t, 4, 2) // the server has just refused one, and is not asked for a spare again
}

func (s *spares) isOpening() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opening
}

// What comes in the moment in which a spare session is taken is its taker's.
func TestWhatComesWhileTheSpareIsTakenIsHandedOn(t *testing.T) {
	for range 100 { // both are ready, and either may be chosen
		one := &spare{requests: make(chan *ssh.Request, 16), taken: make(chan struct{}), dead: make(chan struct{})}
		close(one.taken)
		from := make(chan *ssh.Request, 1)
		from <- &ssh.Request{Type: "exit-status"}
		close(from)
		one.tend(from)
		if r := <-one.requests; r == nil || r.Type != "exit-status" {
			t.Fatalf("%+v", r)
		}
	}
}

// A spare session that the server has closed is not given to anybody.
func TestAClosedSpareSessionIsNotUsed(t *testing.T) {
	s, c := newSessionServer(t, 10)
	_, first := anySession(t, c)
	go ssh.DiscardRequests(first)
	spare := c.spares.await(t)
	s.until(t, 2, 0)
	s.mu.Lock()
	far := s.open[1]
	s.mu.Unlock()
	_ = far.Close()
	<-spare.dead
	channel, requests := anySession(t, c)
	go ssh.DiscardRequests(requests)
	if channel == spare.channel {
		t.Error("a session that was closed")
	}
}

// Where nothing has come from the server lately, the link may be dead: the session is
// opened anew, and not the spare one given, on which a program's line could be lost.
func TestASilentServerIsAskedFirst(t *testing.T) {
	s, c := newSessionServer(t, 10)
	_, first := anySession(t, c)
	go ssh.DiscardRequests(first)
	spare := c.spares.await(t)
	s.until(t, 2, 0)
	c.meter.latest.Store(time.Now().Add(-2 * lately).UnixNano())
	channel, requests := anySession(t, c)
	go ssh.DiscardRequests(requests)
	if channel == spare.channel {
		t.Error("the spare session of a server that says nothing")
	}
	if channel, requests = anySession(t, c); channel != spare.channel {
		t.Error("it has answered, and the spare session is not given")
	}
	go ssh.DiscardRequests(requests)
}
