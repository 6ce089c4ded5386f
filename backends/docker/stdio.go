package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// Stdio returns the dialer of an engine on another target, over that target's own
// connection: each connection is a "docker system dial-stdio" there. address is
// the engine's ("ssh://HOST", or with the path of its socket behind). Programs end
// with their connections.
func Stdio(t backends.Target, address string) (Dialer, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("docker: the address %q: %w", address, err)
	}
	argv := []string{"docker"}
	if u.Path != "" && u.Path != "/" {
		argv = append(argv, "--host", "unix://"+u.Path)
	}
	argv = append(argv, "system", "dial-stdio")
	return func(ctx context.Context) (net.Conn, error) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		life, cancel := context.WithCancelCause(context.Background())
		c := &stdioConn{target: t.Name(), cancel: cancel}
		var in *io.PipeReader
		var out *io.PipeWriter
		in, c.in = io.Pipe()
		c.out, out = io.Pipe()
		p, err := t.Exec(life, backends.Command{Argv: argv, Stdin: in, Stdout: out, Stderr: &c.said})
		if err != nil {
			cancel(nil)
			return nil, fmt.Errorf("docker: reach the engine on %s: %w", t.Name(), err)
		}
		go func() {
			o, err := p.Wait()
			if err == nil && !o.OK() {
				err = fmt.Errorf("docker: %q on %s: %s: %s", strings.Join(argv, " "), t.Name(), o, strings.TrimSpace(c.said.String()))
			}
			_ = out.CloseWithError(err) // nil is the end
			_ = in.CloseWithError(io.ErrClosedPipe)
			cancel(nil)
		}()
		return c, nil
	}, nil
}

// stdioConn is a connection over a program's standard streams.
type stdioConn struct {
	target string
	in     *io.PipeWriter
	out    *io.PipeReader
	said   posix.Tail
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	timer *time.Timer
}

var _ net.Conn = (*stdioConn)(nil)

var errConnClosed = errors.New("docker: the connection was closed")

func (c *stdioConn) Read(p []byte) (int, error)  { return c.out.Read(p) }
func (c *stdioConn) Write(p []byte) (int, error) { return c.in.Write(p) }
func (c *stdioConn) CloseWrite() error           { return c.in.Close() }

func (c *stdioConn) Close() error {
	_ = c.in.Close()                        // never fails
	_ = c.out.CloseWithError(errConnClosed) // never fails
	c.cancel(errConnClosed)
	return nil
}

func (c *stdioConn) LocalAddr() net.Addr  { return stdioAddr("nod") }
func (c *stdioConn) RemoteAddr() net.Addr { return stdioAddr(c.target) }

// SetDeadline closes the connection at a moment, which is all that is made of
// deadlines here.
func (c *stdioConn) SetDeadline(at time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
	if !at.IsZero() {
		c.timer = time.AfterFunc(time.Until(at), func() { _ = c.Close() }) // never fails
	}
	return nil
}

func (c *stdioConn) SetReadDeadline(at time.Time) error  { return c.SetDeadline(at) }
func (c *stdioConn) SetWriteDeadline(at time.Time) error { return c.SetDeadline(at) }

// stdioAddr is the name of a target as an address.
type stdioAddr string

func (stdioAddr) Network() string  { return "stdio" }
func (a stdioAddr) String() string { return string(a) }
