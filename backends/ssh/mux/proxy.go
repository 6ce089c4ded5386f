package mux

import (
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// proxy speaks the ssh connection protocol with a client from here on. Each
// channel of the client ends here, and another one leads to the far side.
func (v *clientConn) proxy(id uint32) error {
	if err := v.send(newFrame(sayProxy).u32(id)); err != nil {
		return err
	}
	if err := v.conn.SetDeadline(time.Time{}); err != nil {
		return err
	}
	m := v.master
	p := &proxied{master: m, listening: map[string]net.Listener{}}
	p.enter()
	defer p.leave()
	// The protocol is the same for both sides once it is set up, so x/crypto's
	// client serves; the set-up that it plays goes nowhere.
	down, opens, globals, err := ssh.NewControlClientConn(playedHandshake(v.conn))
	if err != nil {
		return err
	}
	p.down = down
	m.work.Go(func() { p.serveGlobals(globals) })
	for nc := range opens {
		m.work.Go(func() { p.relay(nc) })
	}
	return down.Wait()
}

// proxied is a client in proxy mode.
type proxied struct {
	master    *master
	down      ssh.Conn
	listening map[string]net.Listener // remote forwards; only in serveGlobals
	depth     uint32                  // see Rest; guarded by master.counting
	asked     chan error              // gets the answer to a keepalive that waits for it; only in serveGlobals
}

// relay opens the client's channel on the far side and joins the two.
func (p *proxied) relay(nc ssh.NewChannel) {
	up, upRequests, err := p.master.conn.OpenChannel(nc.ChannelType(), nc.ExtraData())
	if err != nil {
		refusal := &ssh.OpenChannelError{Reason: ssh.ConnectionFailed, Message: "connection lost"}
		_ = errors.As(err, &refusal)                   // else the connection is gone
		_ = nc.Reject(refusal.Reason, refusal.Message) // the client may have left
		return
	}
	down, downRequests, err := nc.Accept()
	if err != nil { // the client has left
		_ = up.Close()
		ssh.DiscardRequests(upRequests)
		return
	}
	lane := p.master.pacer.lane()
	defer lane.close()
	r := &relay{up: up, down: down, lane: lane, started: make(chan struct{})}
	if nc.ChannelType() != "session" {
		close(r.started)
	}
	r.run(upRequests, downRequests)
}

// relay is a channel of a client and its counterpart on the far side.
type relay struct {
	up, down ssh.Channel
	lane     *lane
	asking   sync.Mutex    // held while the far side has a request of the client's to answer
	started  chan struct{} // closed when a session's program was asked for: data before that is lost in the server
}

func (r *relay) run(upRequests, downRequests <-chan *ssh.Request) {
	var outputs, all sync.WaitGroup
	outputs.Go(func() { drain(r.down, &paced{Reader: r.up, lane: r.lane}) })
	outputs.Go(func() { drain(r.down.Stderr(), r.up.Stderr()) })
	all.Go(func() {
		outputs.Wait()
		_ = r.down.CloseWrite() // the client may have left
	})
	all.Go(func() { r.feed() })
	all.Go(func() { drain(io.Discard, r.down.Stderr()) })
	all.Go(func() {
		r.passDown(upRequests)
		outputs.Wait()  // all that the far side sent comes before the end
		r.asking.Lock() // and so does its answer, which may have come just before
		defer r.asking.Unlock()
		_ = r.down.Close()
	})
	all.Go(func() {
		r.passUp(downRequests)
		_ = r.up.Close()
	})
	all.Wait()
}

// feed passes the client's data on.
func (r *relay) feed() {
	<-r.started
	drain(r.up, &paced{Reader: r.down, lane: r.lane})
	_ = r.up.CloseWrite() // the far side may have closed
}

// drain copies src to its end, also when dst takes no more.
func drain(dst io.Writer, src io.Reader) {
	if copyAll(dst, src) != nil {
		_ = copyAll(io.Discard, src) // to the end or the failure of src
	}
}

// passUp carries the client's requests to the far side, in order, until the
// client closes the channel.
func (r *relay) passUp(requests <-chan *ssh.Request) {
	running := false
	defer func() {
		if !running {
			r.start()
		}
	}()
	for q := range requests {
		r.ask(q)
		if (q.Type == "exec" || q.Type == "shell" || q.Type == "subsystem") && !running {
			running = true
			r.start()
		}
	}
}

// ask puts a request of the client's to the far side, and tells it the answer. Where none
// comes, since the channel has ended, the client gets none either, but the channel's end: a
// refusal would say that the far side does not do it.
func (r *relay) ask(q *ssh.Request) {
	r.asking.Lock()
	defer r.asking.Unlock()
	ok, err := r.up.SendRequest(q.Type, q.WantReply, q.Payload)
	if q.WantReply && err == nil {
		_ = q.Reply(ok, nil) // the client may have left
	}
}

func (r *relay) start() {
	select {
	case <-r.started: // not a session
	default:
		close(r.started)
	}
}

// maxWaiting is how many requests of the far side may wait for a client that
// does not take them. A session has two or three in its life.
const maxWaiting = 256

// passDown carries the far side's requests to the client until the far side
// closes the channel. A client that hangs must not hold up the connection, so
// replies are not waited for, and keepalives are answered here.
func (r *relay) passDown(requests <-chan *ssh.Request) {
	waiting := make(chan *ssh.Request, maxWaiting)
	done := make(chan struct{})
	go func() { // ends when waiting is closed below
		defer close(done)
		for q := range waiting {
			_, _ = r.down.SendRequest(q.Type, false, q.Payload) // the client may have left
		}
	}()
	for q := range requests {
		if q.WantReply {
			_ = q.Reply(false, nil) // the connection may be gone
			continue
		}
		if q.Type == "exit-status" || q.Type == "exit-signal" {
			r.lane.free() // the client waits for the last of the output
		}
		select {
		case waiting <- q:
		default: // more than anybody means to send
			_ = r.up.Close()
		}
	}
	close(waiting)
	<-done
}

// The global requests that a client in proxy mode may make.
const (
	listenRequest     = "tcpip-forward"
	unlistenRequest   = "cancel-tcpip-forward"
	keepaliveRequest  = "keepalive@openssh.com"
	forwardedTCPOpens = "forwarded-tcpip"
)

// listenAsk is the payload of the first two (RFC 4254, 7.1).
type listenAsk struct {
	Host string
	Port uint32
}

// serveGlobals answers global requests, in order. What is not known is refused:
// some would change the connection for everybody on it.
func (p *proxied) serveGlobals(requests <-chan *ssh.Request) {
	for q := range requests {
		ok, payload := false, []byte(nil)
		switch q.Type {
		case keepaliveRequest:
			ok, payload = p.keepalive(q.Payload)
		case listenRequest:
			ok, payload = p.listen(q.Payload)
		case unlistenRequest:
			ok = p.unlisten(q.Payload)
		case Rest:
			p.rests(q.Payload)
		case AtEnd:
			ok = p.master.promise(q.Payload)
		}
		if q.WantReply {
			_ = q.Reply(ok, payload) // the client may have left
		}
	}
	for _, l := range p.listening {
		_ = l.Close() // the client has left
		p.master.forget(l)
	}
}

// waitingAfter is how long a keepalive waits for the far side's answer.
const waitingAfter = 1500 * time.Millisecond

// Waiting is the answer to a keepalive that the far side has not answered yet,
// in proxy mode. Whether the link is dead is for who serves it to find out: he
// ends the connection then. Who rides on it would mistake much traffic for that.
const Waiting = "waiting"

// keepalive asks the far side, one question at a time. The answer to an earlier
// question says nothing of what was asked meanwhile, so there is another one.
func (p *proxied) keepalive(payload []byte) (ok bool, reply []byte) {
	limit := time.NewTimer(waitingAfter)
	defer limit.Stop()
	for earlier := p.asked != nil; ; earlier = false {
		if p.asked == nil {
			asked := make(chan error, 1)
			p.asked = asked
			go func() { // ends with the connection
				_, _, err := p.master.conn.SendRequest(keepaliveRequest, true, payload)
				asked <- err
			}()
		}
		select {
		case err := <-p.asked:
			p.asked = nil
			if !earlier {
				return err == nil, nil
			}
		case <-limit.C:
			return true, []byte(Waiting)
		}
	}
}

func (p *proxied) listen(payload []byte) (ok bool, reply []byte) {
	var ask listenAsk
	if ssh.Unmarshal(payload, &ask) != nil || ask.Port > 65535 {
		return false, nil
	}
	l, err := p.master.conn.Listen("tcp", net.JoinHostPort(ask.Host, strconv.FormatUint(uint64(ask.Port), 10)))
	if err != nil {
		return false, nil
	}
	address, isTCP := l.Addr().(*net.TCPAddr)
	if !isTCP || !p.master.keep(l) {
		_ = l.Close() // too late, the master ends
		return false, nil
	}
	if ask.Port == 0 {
		ask.Port = uint32(address.Port)
		reply = ssh.Marshal(struct{ Port uint32 }{ask.Port})
	}
	p.listening[ask.key()] = l
	p.master.work.Go(func() { p.accept(l, ask) })
	return true, reply
}

func (p *proxied) unlisten(payload []byte) bool {
	var ask listenAsk
	if ssh.Unmarshal(payload, &ask) != nil {
		return false
	}
	l := p.listening[ask.key()]
	if l == nil {
		return false
	}
	delete(p.listening, ask.key())
	p.master.forget(l)
	return l.Close() == nil
}

func (a listenAsk) key() string {
	return net.JoinHostPort(a.Host, strconv.FormatUint(uint64(a.Port), 10))
}

// accept passes connections from the far side to the client.
func (p *proxied) accept(l net.Listener, ask listenAsk) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		far, ok := c.(halfCloser)
		if !ok {
			_ = c.Close() // no listener of x/crypto gives such a thing
			continue
		}
		p.master.work.Go(func() {
			host, port := origin(c.RemoteAddr())
			channel, requests, err := p.down.OpenChannel(forwardedTCPOpens, ssh.Marshal(struct {
				Host       string
				Port       uint32
				OriginHost string
				OriginPort uint32
			}{ask.Host, ask.Port, host, port}))
			if err != nil {
				_ = far.Close() // the client does not want it
				return
			}
			closed := make(chan struct{})
			p.master.work.Go(func() {
				defer close(closed)
				ssh.DiscardRequests(requests)
			})
			join(far, channel, p.master.pacer.lane(), closed)
		})
	}
}
