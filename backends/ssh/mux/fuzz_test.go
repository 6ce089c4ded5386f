package mux

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

func FuzzFrame(f *testing.F) {
	f.Add(sessionAsk{terminal: true, escape: '~', term: "vt220", command: "true", env: []string{"A=b"}}.frame(7).bytes())
	f.Add([]byte{0, 0, 0, 3, 1, 2, 3})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		kind, body, err := readFrame(r)
		if err != nil {
			if body != nil {
				t.Error("a body with an error")
			}
			return
		}
		if read := len(data) - r.Len(); read != 8+len(body.left) {
			t.Errorf("read %d bytes for a body of %d", read, len(body.left))
		}
		copies := func() *fields { return &fields{left: bytes.Clone(body.left)} }
		_, _ = parseHello(kind, copies())
		_, _ = parseForward(copies())
		_, _ = parseStdio(copies())
		ask, err := parseSession(copies())
		if err != nil {
			return
		}
		// What was understood is said again in the same way.
		again := ask.frame(1).bytes()
		_, body, err = readFrame(bytes.NewReader(again))
		if err != nil {
			t.Skip("longer than a frame") // the reserved text is dropped, so it cannot be
		}
		body.u32()
		if back, err := parseSession(body); err != nil || !reflect.DeepEqual(back, ask) {
			t.Errorf("%+v, again %+v %v", ask, back, err)
		}
	})
}

// noConn is a connection whose far side refuses everything.
type noConn struct{}

var errRefused = errors.New("refused")

func (noConn) OpenChannel(string, []byte) (ssh.Channel, <-chan *ssh.Request, error) {
	return nil, nil, &ssh.OpenChannelError{Reason: ssh.Prohibited, Message: "no"}
}
func (noConn) SendRequest(string, bool, []byte) (bool, []byte, error) { return false, nil, nil }
func (noConn) Listen(string, string) (net.Listener, error)            { return nil, errRefused }
func (noConn) Wait() error                                            { return nil }
func (noConn) Close() error                                           { return nil }

// conversation is a connected pair of sockets.
func conversation(t testing.TB) (a, b *net.UnixConn) {
	t.Helper()
	fds, err := socketpair()
	check(t, err)
	conns := make([]*net.UnixConn, 2)
	for i, fd := range fds {
		file := os.NewFile(uintptr(fd), "pair")
		c, err := net.FileConn(file)
		check(t, err)
		_ = file.Close()
		conns[i] = c.(*net.UnixConn)
	}
	return conns[0], conns[1]
}

// FuzzMaster: whatever a client says, the conversation ends and nothing is left.
func FuzzMaster(f *testing.F) {
	hello := string(helloFrame().bytes())
	alive := string(newFrame(askAlive).u32(1).bytes())
	f.Add([]byte(hello + alive))
	f.Add([]byte(hello + string(sessionAsk{command: "true"}.frame(1).bytes()) + "\x00\x00\x00"))
	f.Add([]byte(hello + string(newFrame(askProxy).u32(1).bytes()) + "\x00\x00\x00\x18\x00\x5a\x00\x00\x00\x07session\x00\x00\x00\x01"))
	f.Add([]byte(hello + string(newFrame(askCloseForward).u32(1).u32(1).text("").u32(80).text("h").u32(80).bytes())))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte{0x10, 0, 0, 6}) {
			t.Skip("would listen on this machine")
		}
		ours, theirs := conversation(t)
		m := &master{
			ctx: t.Context(), end: func(error) {}, conn: noConn{}, options: Options{Log: slog.New(slog.DiscardHandler)},
			listener: closedListener(), forwards: map[forwardAsk]*forward{}, sessions: map[*session]struct{}{}, open: map[io.Closer]struct{}{},
			proxies: map[*proxied]bool{},
		}
		m.work.Go(func() { m.serve(ours) })
		check(t, theirs.SetDeadline(time.Now().Add(patience)))
		m.work.Go(func() { _, _ = io.Copy(io.Discard, theirs) })
		_, _ = theirs.Write(data) // it may have been cut off
		_ = theirs.CloseWrite()
		m.work.Wait()
		_ = theirs.Close()
		if m.active != 0 || len(m.open) != 0 || len(m.sessions) != 0 || len(m.proxies) != 0 {
			t.Errorf("left: %d active, %d open, %d sessions, %d in proxy mode", m.active, len(m.open), len(m.sessions), len(m.proxies))
		}
	})
}

func closedListener() *Listener {
	l := &Listener{}
	l.closing.Do(func() {})
	return l
}

// FuzzClient: whatever a master says, the client's call ends.
func FuzzClient(f *testing.F) {
	hello := string(helloFrame(ourExtension).bytes())
	f.Add([]byte(hello + string(newFrame(sayOpened).u32(1).u32(3).bytes()) + string(newFrame(sayExit).u32(3).u32(0).bytes())))
	f.Add([]byte(hello + string(newFrame(sayFailure).u32(1).text("no").bytes())))
	f.Add([]byte(hello))
	f.Fuzz(func(t *testing.T, data []byte) {
		ours, theirs := conversation(t)
		defer quietly(ours)
		go func() { // ends with its socket
			_, _ = theirs.Write(data)
			_ = theirs.CloseWrite()
			_, _ = io.Copy(io.Discard, theirs)
			_ = theirs.Close()
		}()
		r := &masterConn{conn: ours, endLimit: func() bool { return true }}
		if r.greet() != nil {
			return
		}
		s, err := r.start(Request{Command: "true"})
		if err != nil {
			return
		}
		go s.watch()
		code, err := s.Wait()
		if err == nil && !bytes.Contains(data, newFrame(sayExit).u32(s.number).u32(uint32(code)).bytes()) {
			t.Errorf("status %d out of nothing", code)
		}
		_ = s.Close()
	})
}

func FuzzSocks(f *testing.F) {
	f.Add([]byte("\x04\x01\x00\x50\x7f\x00\x00\x01me\x00"))
	f.Add([]byte("\x04\x01\x00\x50\x00\x00\x00\x01me\x00host\x00"))
	f.Add([]byte("\x05\x01\x00\x05\x01\x00\x03\x04host\x00\x50"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		to, err := readSocks(struct {
			io.Reader
			io.Writer
		}{r, io.Discard})
		if err == nil && (len(to.host) > maxSocksText || to.reply == nil) {
			t.Errorf("%+v", to)
		}
		if err != nil && to.reply != nil {
			t.Error("a target with an error")
		}
	})
}

func FuzzRights(f *testing.F) {
	f.Add([]byte{20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) { _, _ = parseRights(data) })
}

// FuzzEscapes: the way in which typing is cut into pieces means nothing, and
// what holds no escape passes as it is.
func FuzzEscapes(f *testing.F) {
	f.Add([]byte("~~a\r~B\r~x~?"), 3)
	f.Add([]byte("a\n~."), 1)
	f.Fuzz(func(t *testing.T, data []byte, piece int) {
		feed := func(size int) (sent, said string, quit bool) {
			e := newEscapes('~')
			e.say = func(s string) { said += s }
			e.brk = func() { said += "BREAK" }
			e.state = func() string { return "STATE" }
			for rest := bytes.Clone(data); len(rest) > 0 && !quit; {
				n := min(size, len(rest))
				var out []byte
				out, quit = e.feed(rest[:n])
				sent += string(out)
				rest = rest[n:]
			}
			return sent, said, quit
		}
		sent, said, quit := feed(len(data) + 1)
		a, b, c := feed(max(1, piece))
		if a != sent || b != said || c != quit {
			t.Errorf("%q in pieces of %d: %q %q %v, whole: %q %q %v", data, piece, a, b, c, sent, said, quit)
		}
		if !bytes.Contains(data, []byte("~")) && (sent != string(data) || said != "" || quit) {
			t.Errorf("%q became %q", data, sent)
		}
	})
}

func FuzzMatches(f *testing.F) {
	f.Add("LC_ALL", "LC_*")
	f.Add("a", "?*a")
	f.Fuzz(func(t *testing.T, name, pattern string) {
		// Byte by byte, as OpenSSH does.
		quote := func(b byte) string { return regexp.QuoteMeta(string(rune(b))) }
		var expr, text strings.Builder
		for i := range len(pattern) {
			switch pattern[i] {
			case '*':
				expr.WriteString(".*")
			case '?':
				expr.WriteString(".")
			default:
				expr.WriteString(quote(pattern[i]))
			}
		}
		for i := range len(name) {
			text.WriteRune(rune(name[i]))
		}
		want := regexp.MustCompile("(?s)^" + expr.String() + "$").MatchString(text.String())
		if got := Match(pattern, name); got != want {
			t.Errorf("%q like %q: %v", name, pattern, got)
		}
	})
}
