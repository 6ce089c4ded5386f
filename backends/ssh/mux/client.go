package mux

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"
)

const (
	// AnswerLimit is how long a master may take to answer what it knows by
	// itself.
	AnswerLimit = 5 * time.Second
	// OpenLimit is how long a master may take to open a session or connection,
	// for which it has to ask the far side. A context can make it shorter.
	OpenLimit = 30 * time.Second
)

// Client is the client of a master, nod's or a stock one. Each call
// makes a control connection of its own, so a Client holds nothing, needs no
// closing, and learns of the master's end with the next call.
type Client struct {
	path string
}

// Dial checks that a master answers at path. The errors are ErrNoMaster,
// ErrStale, ErrHung, ErrForeign, ErrPathTooLong, ErrProtocol, or the context's
// cause.
func Dial(ctx context.Context, path string) (*Client, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("control socket %q: %w", path, err)
	}
	c := &Client{path: absolute}
	if _, err := c.Check(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// Path is the control socket's absolute path.
func (c *Client) Path() string { return c.path }

// Check asks the master whether it is alive, and returns its process id.
func (c *Client) Check(ctx context.Context) (pid int, err error) {
	err = c.with(ctx, AnswerLimit, func(r *masterConn) error {
		pid, err = r.alive()
		return err
	})
	return pid, err
}

// Terminate asks nod's own master at path to exit, which ends its connection and
// everything on it. Any other is left alone: ErrNotOurs.
func Terminate(ctx context.Context, path string) error {
	c := &Client{path: path}
	return c.with(ctx, AnswerLimit, func(r *masterConn) error {
		if !r.ours() {
			return ErrNotOurs
		}
		return r.exit()
	})
}

// Exit asks the master to exit, whoever's it is. It is for masters that nod has
// started.
func (c *Client) Exit(ctx context.Context) error {
	return c.with(ctx, AnswerLimit, (*masterConn).exit)
}

func (r *masterConn) exit() error {
	if err := newFrame(askTerminate).u32(r.request()).writeTo(r.conn); err != nil {
		return err
	}
	_, err := r.reply(sayOK)
	if errors.Is(err, io.EOF) || errors.Is(err, unix.ECONNRESET) {
		return nil // it was faster to exit than to answer
	}
	return err
}

// DialProxy gives the whole connection of nod's own master at path as an
// ssh.Client. On any other master it is ErrNotOurs: the end of a proxy
// connection with an open pending is the end of a stock master.
func DialProxy(ctx context.Context, path string) (*ssh.Client, error) {
	c := &Client{path: path}
	var client *ssh.Client
	err := c.with(ctx, AnswerLimit, func(r *masterConn) error {
		if !r.ours() {
			return ErrNotOurs
		}
		// x/crypto wants to read the greeting itself, and to greet.
		again := helloFrame()
		conn := &replay{Conn: r.conn, ahead: again.bytes(), mute: len(again)}
		sshConn, opens, requests, err := ssh.NewControlClientConn(conn)
		if err != nil {
			return err
		}
		client = ssh.NewClient(sshConn, opens, requests)
		r.keep()
		return nil
	})
	return client, err
}

// with runs one conversation with the master within a time limit, and says in
// its error whose conversation it was.
func (c *Client) with(ctx context.Context, limit time.Duration, talk func(*masterConn) error) error {
	err := c.converse(ctx, limit, talk)
	if err != nil {
		return fmt.Errorf("control socket %q: %w", c.path, err)
	}
	return nil
}

func (c *Client) converse(ctx context.Context, limit time.Duration, talk func(*masterConn) error) error {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r, err := c.connect(bounded)
	if err == nil {
		err = talk(r)
		if stopped := r.endLimit(); err == nil && !stopped {
			err = os.ErrDeadlineExceeded // answered in the very moment of the end
		}
		if err != nil || !r.kept {
			_ = r.conn.Close() // nothing is left to say
		}
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case bounded.Err() != nil, timedOut(err):
		return fmt.Errorf("%w (waited %v)", ErrHung, limit)
	}
	return err
}

// timedOut reports whether an error is that of a limit, which a connection may notice before
// its context does.
func timedOut(err error) bool {
	var timed net.Error
	return errors.As(err, &timed) && timed.Timeout()
}

// masterConn is one control connection.
type masterConn struct {
	conn       *net.UnixConn
	extensions []string
	last       uint32
	kept       bool        // the connection outlives the conversation
	endLimit   func() bool // stops the context from closing the connection
}

// keep leaves the connection open after the conversation.
func (r *masterConn) keep() { r.kept = true }

func (r *masterConn) ours() bool { return slices.Contains(r.extensions, ourExtension) }

// request is a fresh request id.
func (r *masterConn) request() uint32 {
	r.last++
	return r.last
}

// connect connects to the master and exchanges greetings.
func (c *Client) connect(ctx context.Context) (*masterConn, error) {
	if len(c.path) > maxPath {
		return nil, fmt.Errorf("%w: %d bytes, the limit is %d", ErrPathTooLong, len(c.path), maxPath)
	}
	raw, err := DialSocket(ctx, new(net.Dialer), c.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNoMaster
	case errors.Is(err, unix.ECONNREFUSED):
		return nil, ErrStale
	case errors.Is(err, unix.EAGAIN): // its queue is full, and has been for a while
		return nil, ErrHung
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%w: %w", ErrForeign, err)
	case err != nil:
		return nil, err
	}
	conn := raw.(*net.UnixConn)
	r := &masterConn{conn: conn}
	r.endLimit = context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // long ago
	if err := r.greet(); err != nil {
		r.endLimit()
		_ = conn.Close() // never used
		return nil, err
	}
	return r, nil
}

func (r *masterConn) greet() error {
	user, err := PeerUser(r.conn)
	if err != nil {
		return err
	}
	if user != 0 && int(user) != os.Geteuid() {
		return fmt.Errorf("%w: who listens there is user %d", ErrForeign, user)
	}
	if err := helloFrame().writeTo(r.conn); err != nil {
		return err
	}
	kind, body, err := readFrame(r.conn)
	if errors.Is(err, io.EOF) {
		return ErrStale // it closes at once: a master that is exiting
	}
	if err != nil {
		return err
	}
	r.extensions, err = parseHello(kind, body)
	return err
}

func (r *masterConn) alive() (pid int, err error) {
	if err := newFrame(askAlive).u32(r.request()).writeTo(r.conn); err != nil {
		return 0, err
	}
	body, err := r.reply(sayAlive)
	if err != nil {
		return 0, err
	}
	pid = int(body.u32())
	if body.bad || pid <= 1 {
		return 0, broken("process id %d", pid)
	}
	return pid, nil
}

// reply reads the answer to the last request, which must be of the given kind
// or a refusal.
func (r *masterConn) reply(want uint32) (*fields, error) {
	kind, body, err := readFrame(r.conn)
	if err != nil {
		return nil, err
	}
	id := body.u32()
	if body.bad || id != r.last {
		return nil, broken("an answer to request %d, while %d was asked", id, r.last)
	}
	switch kind {
	case want:
		return body, nil
	case sayDenied, sayFailure:
		reason := body.text()
		if body.bad {
			return nil, broken("malformed refusal")
		}
		return nil, &RefusedError{Denied: kind == sayDenied, Reason: reason}
	}
	return nil, broken("answer %#x, want %#x", kind, want)
}

// sendFiles passes descriptors without changing their flags.
func (r *masterConn) sendFiles(files ...*os.File) error {
	for _, f := range files {
		raw, err := f.SyscallConn()
		if err != nil {
			return err
		}
		var sent error
		if err := raw.Control(func(fd uintptr) { sent = sendDescriptor(r.conn, int(fd)) }); err != nil {
			return err
		}
		if sent != nil {
			return sent
		}
	}
	return nil
}
