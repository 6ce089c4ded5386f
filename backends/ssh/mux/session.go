package mux

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"
)

// session is a command, shell or subsystem that a client runs with its own
// descriptors.
type session struct {
	clientConn *clientConn
	ask        sessionAsk
	request    uint32
	gone       <-chan struct{} // closed when the client has left

	in, out, errs *stream

	channel ssh.Channel
	lane    *lane
	number  uint32
	cooked  bool          // the client may not have made its terminal raw yet
	size    unix.Winsize  // what the far side was told last
	resized chan struct{} // the client's terminal may have another size
	ended   chan struct{} // closed when the client has been told of the end
}

// run is the session from the request to the exit message.
func (s *session) run() {
	m := s.clientConn.master
	m.addSession(s)
	defer m.removeSession(s)
	m.work.Go(s.closeStreams)
	defer func() { _ = s.clientConn.conn.Close() }() // its end is the end of the session
	defer closeAndWait(s.in, s.out, s.errs)

	var modes []byte
	if s.ask.terminal {
		s.in.control(func(fd int) {
			modes = terminalModes(fd) // before the client hears OPENED and goes raw
			s.size = terminalSize(fd)
		})
	}
	channel, requests, err := m.conn.OpenChannel("session", nil)
	if err != nil {
		m.options.Log.Info("session refused", "error", err)
		_ = s.clientConn.fail(s.request, "Session open refused by peer") // the client may have left
		return
	}
	defer func() { _ = channel.Close() }() // closed by the far side, or given up
	s.channel, s.lane = channel, m.pacer.lane()
	defer s.lane.close()
	exit := watchExit(requests, s.in)
	if err := s.clientConn.send(newFrame(sayOpened).u32(s.request).u32(s.number)); err != nil {
		return
	}
	if !s.start(modes) {
		return
	}
	if s.copy(exit) {
		s.sayExit(exit)
	}
}

// closeStreams frees whoever waits on the client's descriptors when the client
// has left.
func (s *session) closeStreams() {
	select {
	case <-s.gone:
	case <-s.ended:
	}
	s.in.Close()
	s.out.Close()
	s.errs.Close()
}

// sayExit ends the conversation as the client expects it: its output is
// written, its descriptors are its own again, then the status, if there is one.
func (s *session) sayExit(exit *exitWatch) {
	closeAndWait(s.in, s.out, s.errs)
	if status, known := exit.status(); known {
		_ = s.clientConn.send(newFrame(sayExit).u32(s.number).u32(status)) // the client may have left
	}
}

// start asks for the terminal, the environment and the program. What fails is
// told on the client's standard error, in OpenSSH's words.
func (s *session) start(modes []byte) bool {
	s.refuseForwarding()
	if s.ask.terminal {
		ok, err := s.channel.SendRequest("pty-req", true, ptyRequest(s.ask.term, s.size, modes))
		if err != nil {
			return false
		}
		if !ok {
			_ = s.clientConn.send(newFrame(sayNoTerminal).u32(s.number)) // the client may have left
			s.tell("PTY allocation request failed\r\n")
		}
		s.cooked = ok
	}
	o := s.clientConn.master.options
	for _, kv := range append(permitted(s.ask.env, o.SendEnv), o.SetEnv...) {
		name, value, _ := strings.Cut(kv, "=")
		payload := ssh.Marshal(struct{ Name, Value string }{name, value})
		if _, err := s.channel.SendRequest("env", false, payload); err != nil {
			return false
		}
	}
	kind, payload := "shell", []byte(nil)
	switch {
	case s.ask.subsystem:
		kind, payload = "subsystem", ssh.Marshal(struct{ Name string }{s.ask.command})
	case s.ask.command != "":
		kind, payload = "exec", ssh.Marshal(struct{ Command string }{s.ask.command})
	}
	ok, err := s.channel.SendRequest(kind, true, payload)
	if err != nil {
		return false
	}
	if !ok {
		s.tell(kind + " request failed\r\n")
	}
	return ok
}

// refuseForwarding says what the client asked for and does not get. The session
// goes on: a refusal would make a stock client log in afresh by itself.
func (s *session) refuseForwarding() {
	if s.ask.agent {
		s.tell("nod: agent forwarding is not available on this shared connection\r\n")
	}
	if s.ask.x11 {
		s.tell("nod: X11 forwarding is not available on this shared connection\r\n")
	}
}

// tell writes a line to the client's standard error.
func (s *session) tell(text string) {
	_, _ = io.WriteString(s.errs, text) // nobody reads it: nobody is told
}

// copy moves data until the far side has closed the channel. False means that
// the client left, or ended the session by an escape.
func (s *session) copy(exit *exitWatch) bool {
	quit := make(chan struct{})
	var input, output sync.WaitGroup
	input.Go(func() {
		if s.copyInput() {
			close(quit)
		}
	})
	output.Go(func() { s.copyOutput(s.out, &paced{Reader: s.channel, lane: s.lane}, true) })
	output.Go(func() { s.copyOutput(s.errs, s.channel.Stderr(), false) })
	finished := make(chan struct{})
	m := s.clientConn.master
	m.work.Go(func() {
		output.Wait()
		<-exit.done
		close(finished)
	})
	m.work.Go(input.Wait)
	for {
		select {
		case <-finished:
			return true
		case <-s.gone:
			return false
		case <-quit:
			return false
		case <-s.resized:
			s.resize()
		}
	}
}

// copyInput feeds the far side and reports whether the operator ended the
// session by an escape.
func (s *session) copyInput() (quit bool) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	var typed *escapes
	if s.ask.terminal && s.ask.escape != noEscape {
		typed = newEscapes(byte(s.ask.escape))
		typed.say = s.tell
		typed.brk = s.sendBreak
		typed.state = s.clientConn.master.describe
	}
	for {
		n, err := s.in.Read((*buf)[:s.lane.bite(len(*buf))])
		s.lane.went(n)
		data := (*buf)[:n]
		if typed != nil {
			data, quit = typed.feed(data)
		}
		if len(data) > 0 {
			if _, werr := s.channel.Write(data); werr != nil {
				return quit
			}
		}
		if quit {
			return true
		}
		if err != nil {
			_ = s.channel.CloseWrite() // closed by now, or the end of the input
			return false
		}
	}
}

// breakLength is how long a BREAK is, in milliseconds (RFC 4335).
const breakLength = 1000

func (s *session) sendBreak() {
	_, _ = s.channel.SendRequest("break", false, ssh.Marshal(struct{ Length uint32 }{breakLength})) // no reply is asked for
}

// copyOutput hands the far side's output to the client. When the client does
// not want any more, the rest is read and dropped, and for standard output the
// far side is told (eow@openssh.com), so that a program there gets its SIGPIPE.
func (s *session) copyOutput(dst *stream, src io.Reader, tell bool) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	refused, wide := false, false
	for {
		n, err := src.Read(*buf)
		if tell && s.cooked {
			s.cooked = false
			s.awaitRaw()
		}
		if n > 0 && !refused {
			if n == len(*buf) && !wide {
				wide = true
				dst.control(widen)
			}
			if _, werr := dst.Write((*buf)[:n]); werr != nil {
				refused = true
				dst.Close()
				if tell {
					_, _ = s.channel.SendRequest("eow@openssh.com", false, nil) // no reply is asked for
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// rawLimit is how long the first output waits for the client to make its
// terminal raw, which it does when it hears that its session is open.
const rawLimit = 2 * time.Second

// awaitRaw keeps the first output from overtaking that: a cooked terminal would
// change its ends of line.
func (s *session) awaitRaw() {
	give := time.Now().Add(rawLimit)
	for time.Now().Before(give) {
		cooked := false
		s.in.control(func(fd int) {
			t, err := unix.IoctlGetTermios(fd, getTermios)
			cooked = err == nil && (t.Lflag&unix.ICANON != 0 || t.Oflag&unix.OPOST != 0)
		})
		if !cooked {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// resize tells the far side the terminal's size, if it is a new one.
func (s *session) resize() {
	if !s.ask.terminal {
		return
	}
	size := s.size
	s.in.control(func(fd int) { size = terminalSize(fd) })
	if size == s.size {
		return
	}
	s.size = size
	_, _ = s.channel.SendRequest("window-change", false, windowChange(size)) // no reply is asked for
}

// describe lists what is open, for the escape "#".
func (m *master) describe() string {
	var b strings.Builder
	b.WriteString("The following connections are open:\r\n")
	for _, s := range m.allSessions() {
		fmt.Fprintf(&b, "  #%d client-session\r\n", s.number)
	}
	return b.String()
}

// exitWatch takes a channel's requests.
type exitWatch struct {
	done  chan struct{} // closed when the far side has closed the channel
	code  uint32
	known bool
}

// watchExit answers the far side's requests until it closes the channel. The
// input is closed when the far side wants no more of it.
func watchExit(requests <-chan *ssh.Request, input *stream) *exitWatch {
	w := &exitWatch{done: make(chan struct{})}
	go func() { // ends with the channel, at the latest with the connection
		defer close(w.done)
		for r := range requests {
			ok := false
			switch r.Type {
			case "exit-status":
				var p struct{ Status uint32 }
				if ssh.Unmarshal(r.Payload, &p) == nil {
					w.code, w.known, ok = p.Status, true, true
				}
			case "eow@openssh.com":
				input.Close()
				ok = true
			}
			if r.WantReply {
				_ = r.Reply(ok, nil) // the connection may be gone
			}
		}
	}()
	return w
}

// status is valid once done is closed.
func (w *exitWatch) status() (code uint32, known bool) { return w.code, w.known }
