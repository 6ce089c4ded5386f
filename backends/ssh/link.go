package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
	"github.com/nod-console/nod/backends/ssh/mux"
)

// link opens sessions on a connection that is logged in: an *ssh.Client of our
// own, or one that goes through a control socket. No method may block longer
// than its context, or than it takes to notice that the link is dead.
type link interface {
	// open starts a program, a terminal or a subsystem.
	open(ctx context.Context, r request) (session, error)
	peer
	// atEnd has a command line run right before the connection ends, by whoever holds it,
	// and reports whether that is promised. An empty line asks whether it would be.
	atEnd(line string) bool
	// use tells whoever holds the connection what it is used for on this side.
	use(as Use)
	// onWrite has sent called before something is written to a session. Call it before the
	// link is used.
	onWrite(sent func())
	// wait returns when the link is gone, with the reason.
	wait() error
	// close ends the link and everything on it.
	close() error
}

// peer is the other side of a link, as far as it can be asked whether it is there.
type peer interface {
	// ping asks the other side. all says that it has answered this and whatever
	// it was asked before; else somebody on the way says that it is there.
	ping() (all bool, err error)
	vitals
}

// request says what runs in a session.
type request struct {
	command     string // for the user's login shell
	subsystem   string // instead of a command
	env         []string
	terminal    *terminalRequest
	remoteShell bool // it is ours, and no program
}

// terminalRequest asks for a pseudo terminal.
type terminalRequest struct {
	term string
	size backends.Size
}

// session is one program at the other end. Read is its standard output, Write
// its standard input.
type session interface {
	io.ReadWriter
	stderr() io.Reader
	// closeInput ends the standard input.
	closeInput() error
	// refuseOutput says that standard output is not wanted any more, so that
	// the program gets EPIPE. It reports whether the server understands that.
	refuseOutput() bool
	resize(backends.Size) error
	// signal asks the server to signal what runs, which it may not do.
	signal(name string) error
	// ended is closed when the outcome is known or never will be.
	ended() <-chan struct{}
	// outcome is valid after ended; Unknown if the server did not say.
	outcome() backends.Outcome
	// close gives the session up and does not wait for it. What has arrived can
	// still be read.
	close()
	// gone is closed when the server has given the session up, too.
	gone() <-chan struct{}
}

// clientLink is a link over an *ssh.Client.
type clientLink struct {
	client   *client
	sent     func()       // nil: nobody wants to know
	received atomic.Int64 // bytes, by sessions
}

var _ link = (*clientLink)(nil)

func (l *clientLink) wait() error  { return l.client.Wait() }
func (l *clientLink) close() error { return l.client.Close() }

// keepaliveRequest is the request that asks whether the other side is there.
const keepaliveRequest = "keepalive@openssh.com"

// ping implements [link], with the request that ssh itself uses. A server that
// does not know it says so, which is an answer.
func (l *clientLink) ping() (all bool, err error) {
	ok, said, err := l.client.SendRequest(keepaliveRequest, true, nil)
	return !ok || string(said) != mux.Waiting, err
}

// atEnd implements [link]. No server knows the request: nod's daemon does.
func (l *clientLink) atEnd(line string) bool {
	ok, _, err := l.client.SendRequest(mux.AtEnd, true, ssh.Marshal(struct{ Line string }{line}))
	return ok && err == nil
}

// use implements [link]. No server knows the request: nod's daemon does.
func (l *clientLink) use(as Use) {
	if l.client.meter == nil {
		// An error is the link's end, which is seen elsewhere.
		_, _, _ = l.client.SendRequest(mux.Rest, false, ssh.Marshal(struct{ Depth uint32 }{uint32(as)}))
	}
}

// onWrite implements [link].
func (l *clientLink) onWrite(sent func()) { l.sent = sent }

// signs implements [link]. On somebody else's connection, what comes out of our sessions
// has come over it a moment ago.
func (l *clientLink) signs() int64 {
	if l.client.meter == nil {
		return l.received.Load()
	}
	return l.client.meter.signs()
}

// underway implements [link].
func (l *clientLink) underway() int64 {
	if l.client.meter == nil {
		return 0
	}
	return l.client.meter.underway()
}

// Payloads of RFC 4254, 6.2 to 6.10.
type (
	envRequest  struct{ Name, Value string }
	execRequest struct{ Command string }
	ptyRequest  struct {
		Term                      string
		Columns, Rows             uint32
		WidthPixels, HeightPixels uint32
		Modes                     string
	}
	sizeRequest struct {
		Columns, Rows             uint32
		WidthPixels, HeightPixels uint32
	}
	exitStatus struct{ Code uint32 }
	exitSignal struct {
		Name   string
		Core   bool
		Reason string
		Lang   string
	}
)

const (
	// openTime is how long the other side may take to open a session, or to start
	// something, where the context does not bound it.
	openTime = 30 * time.Second
	// shellTime is how long a login shell may take with its start-up files until nod's own
	// line is run. Stock ssh waits for ever; some wait a minute for a lock.
	shellTime = 2 * time.Minute
	// shellTell is after how long of it the operator is told.
	shellTell = 3 * time.Second
)

// errRefused says that the server does not do what a session asks for.
var errRefused = errors.New("the server refuses it")

// open implements [link].
func (l *clientLink) open(ctx context.Context, r request) (session, error) {
	ctx, cancel := limited(ctx, l, openTime)
	defer cancel()
	return posix.Interruptible(ctx, func() (session, error) { return l.openNow(r) }, func(s session) { s.close() })
}

func (l *clientLink) openNow(r request) (session, error) {
	ch, reqs, err := l.client.OpenChannel("session", nil)
	if err != nil {
		return nil, err
	}
	s := newClientSession(ch, reqs, l.client.openSSH())
	s.link = l
	for _, kv := range r.env {
		name, value, _ := strings.Cut(kv, "=")
		// Whether the server takes it is its own decision (AcceptEnv).
		_, _ = ch.SendRequest("env", false, ssh.Marshal(envRequest{name, value}))
	}
	if t := r.terminal; t != nil {
		modes := string([]byte{iutf8, 0, 0, 0, 1, 0})
		size := ptyRequest{Term: t.term, Columns: uint32(t.size.Cols), Rows: uint32(t.size.Rows), Modes: modes}
		if err := s.ask("pty-req", ssh.Marshal(size)); err != nil {
			return nil, fmt.Errorf("a terminal: %w", err)
		}
	}
	kind, what := "exec", r.command
	if r.subsystem != "" {
		kind, what = "subsystem", r.subsystem
	}
	if err := s.ask(kind, ssh.Marshal(execRequest{what})); err != nil {
		if errors.Is(err, io.EOF) { // closed without an answer
			err = fmt.Errorf("%w: %w", ErrUnsure, err)
		}
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return s, nil
}

// iutf8 is the terminal mode that lets the kernel erase whole characters
// (RFC 8160).
const iutf8 = 42

// clientSession is a session channel.
type clientSession struct {
	input   sync.Mutex // a channel may not be written to while its input is closed
	ch      ssh.Channel
	link    *clientLink // nil: nothing is counted
	openSSH bool

	ending, closing sync.Once
	endedC          chan struct{}
	goneC           chan struct{}
	result          backends.Outcome
}

var _ session = (*clientSession)(nil)

func newClientSession(ch ssh.Channel, reqs <-chan *ssh.Request, openSSH bool) *clientSession {
	s := &clientSession{ch: ch, openSSH: openSSH, endedC: make(chan struct{}), goneC: make(chan struct{})}
	go s.listen(reqs)
	return s
}

// listen takes what the server says about the session until it is gone.
func (s *clientSession) listen(reqs <-chan *ssh.Request) {
	for r := range reqs {
		known := true
		switch r.Type {
		case "exit-status":
			var e exitStatus
			if ssh.Unmarshal(r.Payload, &e) == nil {
				s.end(backends.ExitedWith(int(e.Code)))
			}
		case "exit-signal":
			var e exitSignal
			if ssh.Unmarshal(r.Payload, &e) == nil {
				s.end(backends.EndedBy(backends.Signal(e.Name)))
			}
		default:
			known = false
		}
		if r.WantReply {
			_ = r.Reply(known, nil) // the link's end is seen elsewhere
		}
	}
	s.end(backends.Outcome{})
	close(s.goneC)
}

func (s *clientSession) end(o backends.Outcome) {
	s.ending.Do(func() {
		s.result = o
		close(s.endedC)
	})
}

// ask sends a request that the server must grant.
func (s *clientSession) ask(name string, payload []byte) error {
	ok, err := s.ch.SendRequest(name, true, payload)
	if err == nil && !ok {
		err = errRefused
	}
	if err != nil {
		s.close()
	}
	return err
}

func (s *clientSession) stderr() io.Reader         { return counted{s.ch.Stderr(), s} }
func (s *clientSession) ended() <-chan struct{}    { return s.endedC }
func (s *clientSession) gone() <-chan struct{}     { return s.goneC }
func (s *clientSession) outcome() backends.Outcome { return s.result }

// Read implements [session].
func (s *clientSession) Read(p []byte) (int, error) { return counted{s.ch, s}.Read(p) }

// counted is an output of a session.
type counted struct {
	from io.Reader
	s    *clientSession
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if c.s.link != nil {
		c.s.link.received.Add(int64(n))
	}
	return n, err
}

func (s *clientSession) Write(p []byte) (int, error) {
	if s.link != nil && s.link.sent != nil {
		s.link.sent()
	}
	s.input.Lock()
	defer s.input.Unlock()
	return s.ch.Write(p)
}

func (s *clientSession) closeInput() error {
	s.input.Lock()
	defer s.input.Unlock()
	return s.ch.CloseWrite()
}

// close implements [session]. On a frozen link it would block.
func (s *clientSession) close() {
	s.closing.Do(func() {
		go func() { _ = s.ch.Close() }() // the link's end is seen elsewhere
	})
}

func (s *clientSession) refuseOutput() bool {
	if s.openSSH {
		_, _ = s.ch.SendRequest("eow@openssh.com", false, nil) // the link's end is seen elsewhere
	}
	return s.openSSH
}

func (s *clientSession) resize(size backends.Size) error {
	_, err := s.ch.SendRequest("window-change", false, ssh.Marshal(sizeRequest{Columns: uint32(size.Cols), Rows: uint32(size.Rows)}))
	return err
}

// signal implements [session] (RFC 4254, 6.9). There is no answer to it.
func (s *clientSession) signal(name string) error {
	_, err := s.ch.SendRequest("signal", false, ssh.Marshal(struct{ Name string }{name}))
	return err
}
