package mux

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// TestProxy: nod's own console has the whole connection, beside others.
func TestProxy(t *testing.T) {
	s := startSSHD(t)
	stock := startStock(t, s)
	if _, err := DialProxy(t.Context(), stock.socket); !errors.Is(err, ErrNotOurs) {
		t.Errorf("on a stock master: %v", err)
	}
	if err := Terminate(t.Context(), stock.socket); !errors.Is(err, ErrNotOurs) {
		t.Errorf("terminate a stock master: %v", err)
	}
	f := startNod(t, s)
	client, err := DialProxy(t.Context(), f.socket)
	check(t, err)
	defer quietly(client)

	var sessions sync.WaitGroup
	for i := range 20 {
		sessions.Go(func() {
			session, err := client.NewSession()
			if err != nil {
				t.Errorf("session: %v", err)
				return
			}
			defer quietly(session)
			session.Stdin = strings.NewReader("in")
			out, err := session.Output(fmt.Sprintf("cat; echo %d; exit %d", i, i))
			var exit *ssh.ExitError
			if string(out) != fmt.Sprintf("in%d\n", i) || i > 0 && (!errors.As(err, &exit) || exit.ExitStatus() != i) {
				t.Errorf("%q %v", out, err)
			}
		})
	}
	sessions.Wait()
	session, err := client.NewSession()
	check(t, err)
	var exit *ssh.ExitError
	if err := session.Run("kill -KILL $$"); !errors.As(err, &exit) || exit.Signal() != "KILL" {
		t.Errorf("killed: %v", err)
	}
	if _, _, err := client.SendRequest("keepalive@openssh.com", true, nil); err != nil {
		t.Errorf("keepalive: %v", err)
	}
	if ok, _, _ := client.SendRequest("no-more-sessions@openssh.com", true, nil); ok {
		t.Error("a client may close the connection for others")
	}
	conn, err := client.Dial("tcp", "127.0.0.1:"+pongTCP(t))
	check(t, err)
	_, _ = fmt.Fprint(conn, "proxy")
	check(t, conn.(halfCloser).CloseWrite())
	if answer, err := io.ReadAll(conn); string(answer) != "pong over proxy" || err != nil {
		t.Errorf("%q %v", answer, err)
	}
	l, err := client.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	ponger(t, l)
	if answer := ping("tcp", l.Addr().String(), "listen"); answer != "pong over listen" {
		t.Errorf("listen: %q", answer)
	}
	if _, err := client.Dial("tcp", "127.0.0.1:"+freePort(t)); err == nil {
		t.Error("dialed where nobody listens")
	}
	// An open is pending while the client leaves.
	release := s.freeze(t)
	go func() { _, _, _ = client.OpenChannel("session", nil) }()
	time.Sleep(20 * time.Millisecond)
	_ = client.Close()
	release()
	if r := f.ssh("", "host", "echo on"); r.stdout != "on\n" {
		t.Errorf("after a client left: %v", r)
	}
	check(t, Terminate(t.Context(), f.socket))
	<-f.ended
	if !errors.Is(f.err, ErrTerminated) {
		t.Errorf("Serve: %v", f.err)
	}
}

// slowChannel is a channel on which requests take as long as the test wants.
type slowChannel struct {
	ssh.Channel // nil: what is not below is not called
	asked       chan string
	answer      chan bool
	written     chan string
}

func (c *slowChannel) SendRequest(kind string, _ bool, _ []byte) (bool, error) {
	c.asked <- kind
	return <-c.answer, nil
}
func (c *slowChannel) Write(p []byte) (int, error) {
	c.written <- string(p)
	return len(p), nil
}
func (c *slowChannel) Read([]byte) (int, error) { return 0, io.EOF }
func (c *slowChannel) CloseWrite() error        { return nil }
func (c *slowChannel) Close() error             { return nil }
func (c *slowChannel) Stderr() io.ReadWriter    { return c }

// typedChannel is a channel whose other side has typed something.
type typedChannel struct {
	slowChannel
	text io.Reader
}

func (c *typedChannel) Read(p []byte) (int, error) { return c.text.Read(p) }
func (c *typedChannel) Stderr() io.ReadWriter      { return &c.slowChannel }

// TestProxyEarlyInput: input that comes right behind the request for a program
// does not overtake it: the server would drop it.
func TestProxyEarlyInput(t *testing.T) {
	up := &slowChannel{asked: make(chan string), answer: make(chan bool), written: make(chan string)}
	down := &typedChannel{text: strings.NewReader("early")}
	r := &relay{up: up, down: down, lane: newPacer(nil).lane(), started: make(chan struct{})}
	upRequests, downRequests := make(chan *ssh.Request), make(chan *ssh.Request)
	var running sync.WaitGroup
	running.Go(func() { r.run(upRequests, downRequests) })
	downRequests <- &ssh.Request{Type: "env"}
	<-up.asked
	up.answer <- true
	downRequests <- &ssh.Request{Type: "exec"}
	<-up.asked
	select {
	case early := <-up.written:
		t.Errorf("%q before the program was asked for", early)
	case <-time.After(50 * time.Millisecond): // long enough for what must not happen
	}
	up.answer <- true
	if got := <-up.written; got != "early" {
		t.Errorf("%q", got)
	}
	close(downRequests)
	close(upRequests)
	running.Wait()
}

// closedChannel tells when it is closed.
type closedChannel struct {
	slowChannel
	closed chan struct{}
}

func (c *closedChannel) Close() error          { close(c.closed); return nil }
func (c *closedChannel) Stderr() io.ReadWriter { return &c.slowChannel }

// TestProxyQuickEnd: a program that has ended before the client was told that it
// was started does not look like one that was not.
func TestProxyQuickEnd(t *testing.T) {
	up := &slowChannel{asked: make(chan string), answer: make(chan bool), written: make(chan string)}
	down := &closedChannel{closed: make(chan struct{})}
	r := &relay{up: up, down: down, lane: newPacer(nil).lane(), started: make(chan struct{})}
	upRequests, downRequests := make(chan *ssh.Request), make(chan *ssh.Request)
	var running sync.WaitGroup
	running.Go(func() { r.run(upRequests, downRequests) })
	downRequests <- &ssh.Request{Type: "exec"}
	<-up.asked
	close(upRequests) // the far side has closed the channel, behind its answer
	select {
	case <-down.closed:
		t.Error("closed before the answer")
	case <-time.After(50 * time.Millisecond): // long enough for what must not happen
	}
	up.answer <- true
	<-down.closed
	close(downRequests)
	running.Wait()
}

// endingConn is a connection whose sessions end when something is asked for on them, without
// an answer: it is lost in that moment.
type endingConn struct {
	noConn
	over <-chan struct{}
}

func (c endingConn) Wait() error { <-c.over; return nil }

func (endingConn) OpenChannel(string, []byte) (ssh.Channel, <-chan *ssh.Request, error) {
	ended := make(chan *ssh.Request)
	return &endingChannel{ended: ended}, ended, nil
}

type endingChannel struct {
	slowChannel
	ended chan *ssh.Request
}

func (c *endingChannel) SendRequest(string, bool, []byte) (bool, error) {
	close(c.ended)
	return false, io.EOF
}
func (c *endingChannel) Stderr() io.ReadWriter { return &c.slowChannel }

// TestProxyLostAnswer: where a channel ends without an answer, the client is not told
// that the far side refuses: whether it has done what was asked for is not known.
func TestProxyLostAnswer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := Listen(path)
	check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = Serve(ctx, l, endingConn{over: ctx.Done()}, Options{}) // it is cancelled
	}()
	defer func() { cancel(); <-ended }()
	client, err := DialProxy(t.Context(), path)
	check(t, err)
	defer quietly(client)
	channel, requests, err := client.OpenChannel("session", nil)
	check(t, err)
	go ssh.DiscardRequests(requests)
	if ok, err := channel.SendRequest("exec", true, ssh.Marshal(struct{ Command string }{"true"})); !errors.Is(err, io.EOF) {
		t.Errorf("answer %t, %v; want none", ok, err)
	}
}

// TestStoppedProxyClient: a client that has stopped reading does not hold up
// the connection for the others.
func TestStoppedProxyClient(t *testing.T) {
	// The server ends the connection when its questions on the client's channel
	// are not answered.
	const silence = 3 * time.Second
	f := startNod(t, startSSHD(t, "ClientAliveInterval 1", "ClientAliveCountMax 1"))
	cmd := exec.Command("ssh", f.args("-n", "-O", "proxy", "host", "yes")...)
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	_, err = io.ReadFull(out, make([]byte, 2)) // it has its channel
	check(t, err)
	check(t, cmd.Process.Signal(syscall.SIGSTOP))
	time.Sleep(silence + time.Second) // any session in between would count as an answer
	for i := range 5 {
		if r := f.ssh("", "host", fmt.Sprintf("head -c 1000000 /dev/zero | wc -c; exit %d", i)); r.code != i || strings.TrimSpace(r.stdout) != "1000000" {
			t.Fatal(r)
		}
	}
}
