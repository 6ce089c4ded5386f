package mux

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// The message types, PROTOCOL.mux section 11.
const (
	msgHello = 0x00000001

	askNewSession    = 0x10000002
	askAlive         = 0x10000004
	askTerminate     = 0x10000005
	askOpenForward   = 0x10000006
	askCloseForward  = 0x10000007
	askStdioForward  = 0x10000008
	askStopListening = 0x10000009
	askProxy         = 0x1000000f

	sayOK         = 0x80000001
	sayDenied     = 0x80000002
	sayFailure    = 0x80000003
	sayExit       = 0x80000004
	sayAlive      = 0x80000005
	sayOpened     = 0x80000006
	sayRemotePort = 0x80000007
	sayNoTerminal = 0x80000008
	sayProxy      = 0x8000000f
)

const (
	// protocolNumber is the only version there is in the field.
	protocolNumber = 4

	// maxFrame is the longest message that OpenSSH sends or takes
	// (CHANNEL_MUX_MAX_PACKET).
	maxFrame = 256 << 10

	// portUnix in place of a port says that the host is a socket's path.
	portUnix = 0xfffffffe

	// noEscape in place of an escape character says that there is none.
	noEscape = 0xffffffff

	// ourExtension is how nod's master makes itself known in its HELLO. Stock
	// clients skip extensions that they do not know.
	ourExtension = "proxy@nod"
)

// A frame is a message under construction: length, type, body.
type frame []byte

func newFrame(kind uint32) frame {
	return frame(make([]byte, 4, 64)).u32(kind)
}

func (f frame) u32(v uint32) frame { return binary.BigEndian.AppendUint32(f, v) }

func (f frame) text(s string) frame { return append(f.u32(uint32(len(s))), s...) }

// bytes is the frame with its length filled in.
func (f frame) bytes() []byte {
	binary.BigEndian.PutUint32(f, uint32(len(f)-4))
	return f
}

// writeTo sends the frame in one write.
func (f frame) writeTo(w io.Writer) error {
	if len(f)-4 > maxFrame {
		return fmt.Errorf("message of %d bytes, the limit is %d", len(f)-4, maxFrame)
	}
	_, err := w.Write(f.bytes())
	return err
}

// fields takes a message's body apart. After the first field that is not
// there, all further ones are zero, and bad is set.
type fields struct {
	left []byte
	bad  bool
}

func (f *fields) u32() uint32 {
	if f.bad || len(f.left) < 4 {
		f.bad = true
		return 0
	}
	v := binary.BigEndian.Uint32(f.left)
	f.left = f.left[4:]
	return v
}

// bytes is a string that may hold anything.
func (f *fields) bytes() []byte {
	n := f.u32()
	if f.bad || uint64(n) > uint64(len(f.left)) {
		f.bad = true
		return nil
	}
	b := f.left[:n]
	f.left = f.left[n:]
	return b
}

// text is a string. A NUL in it is as wrong as a missing byte: on the other
// side it is a C string.
func (f *fields) text() string {
	s := string(f.bytes())
	if strings.ContainsRune(s, 0) {
		f.bad = true
		return ""
	}
	return s
}

func (f *fields) more() bool { return !f.bad && len(f.left) > 0 }

// readFrame reads one message and not a byte more, because the next byte may
// carry a descriptor. io.EOF means that the peer closed between two messages.
func readFrame(r io.Reader) (kind uint32, body *fields, err error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n < 4 || n > maxFrame {
		return 0, nil, broken("a message of %d bytes", n)
	}
	buf := make([]byte, n)
	if _, err := io.ReadFull(r, buf); err != nil {
		if err == io.EOF { //nolint:errorlint // io.ReadFull returns it bare
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, err
	}
	body = &fields{left: buf}
	return body.u32(), body, nil
}

// helloFrame greets the other side.
func helloFrame(extensions ...string) frame {
	f := newFrame(msgHello).u32(protocolNumber)
	for _, name := range extensions {
		f = f.text(name).text("1")
	}
	return f
}

// parseHello checks a greeting and returns the names of its extensions.
func parseHello(kind uint32, body *fields) (extensions []string, err error) {
	if kind != msgHello {
		return nil, broken("message %#x in place of a greeting", kind)
	}
	if v := body.u32(); !body.bad && v != protocolNumber {
		return nil, broken("version %d, only %d is known", v, protocolNumber)
	}
	for body.more() {
		name := body.text()
		_ = body.bytes() // the value; none that we know has one
		extensions = append(extensions, name)
	}
	if body.bad {
		return nil, broken("malformed greeting")
	}
	return extensions, nil
}

// sessionAsk is the body of a NEW_SESSION.
type sessionAsk struct {
	terminal, x11, agent, subsystem bool

	escape  uint32 // the escape character, or noEscape
	term    string
	command string
	env     []string
}

// maxEnv is how many settings a master looks at (MUX_MAX_ENV_VARS).
const maxEnv = 4096

func parseSession(body *fields) (sessionAsk, error) {
	var a sessionAsk
	body.bytes() // reserved
	a.terminal = body.u32() != 0
	a.x11 = body.u32() != 0
	a.agent = body.u32() != 0
	a.subsystem = body.u32() != 0
	a.escape = body.u32()
	a.term = body.text()
	a.command = body.text()
	for body.more() {
		if kv := body.text(); len(a.env) < maxEnv {
			a.env = append(a.env, kv)
		}
	}
	if body.bad {
		return sessionAsk{}, broken("malformed request for a session")
	}
	return a, nil
}

func (a sessionAsk) frame(id uint32) frame {
	f := newFrame(askNewSession).u32(id).text("")
	f = f.u32(flag(a.terminal)).u32(flag(a.x11)).u32(flag(a.agent)).u32(flag(a.subsystem))
	f = f.u32(a.escape).text(a.term).text(a.command)
	for _, kv := range a.env {
		f = f.text(kv)
	}
	return f
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// The kinds of forwards.
const (
	forwardLocal   = 1
	forwardRemote  = 2
	forwardDynamic = 3
)

// forwardAsk is the body of an OPEN_FWD or CLOSE_FWD. It is also the name under
// which a forward is found again.
type forwardAsk struct {
	kind        uint32
	listenHost  string // "" is localhost, "*" any address; a path with portUnix
	listenPort  uint32
	connectHost string
	connectPort uint32
}

func parseForward(body *fields) (forwardAsk, error) {
	a := forwardAsk{kind: body.u32(), listenHost: body.text(), listenPort: body.u32(), connectHost: body.text(), connectPort: body.u32()}
	if body.bad || !validPort(a.listenPort) || !validPort(a.connectPort) {
		return forwardAsk{}, broken("malformed request for a forward")
	}
	return a, nil
}

func validPort(p uint32) bool { return p <= 65535 || p == portUnix }

// stdioAsk is the body of a NEW_STDIO_FWD.
type stdioAsk struct {
	host string
	port uint32
}

func parseStdio(body *fields) (stdioAsk, error) {
	body.bytes() // reserved
	a := stdioAsk{host: body.text(), port: body.u32()}
	if body.bad || !validPort(a.port) {
		return stdioAsk{}, broken("malformed request for a stdio forward")
	}
	return a, nil
}
