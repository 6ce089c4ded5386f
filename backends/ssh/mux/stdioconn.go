package mux

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// stdioConn is a connection that a master carries between two pipes. Two, so
// that each direction can end by itself.
type stdioConn struct {
	in      *os.File // from the far side
	out     *os.File // to the far side
	control *net.UnixConn
	address stdioAddr

	closing sync.Once
}

var _ net.Conn = (*stdioConn)(nil)
var _ halfCloser = (*stdioConn)(nil)

// stdioAddr is an address on the far side.
type stdioAddr string

func (stdioAddr) Network() string  { return "ssh" }
func (a stdioAddr) String() string { return string(a) }

func (r *masterConn) openStdio(ask stdioAsk, address string) (*stdioConn, error) {
	theirs, mine, err := pipes(1, 1)
	if err != nil {
		return nil, err
	}
	defer closeFiles(theirs)
	request := newFrame(askStdioForward).u32(r.request()).text("").text(ask.host).u32(ask.port)
	err = request.writeTo(r.conn)
	if err == nil {
		err = r.sendFiles(theirs...)
	}
	if err == nil {
		_, err = r.reply(sayOpened)
	}
	if err != nil {
		closeFiles(mine)
		return nil, err
	}
	r.keep()
	return &stdioConn{out: mine[0], in: mine[1], control: r.conn, address: stdioAddr(address)}, nil
}

// pipes makes pipes that the master reads from and pipes that it writes to, in
// this order: theirs are its ends, mine the others.
func pipes(inputs, outputs int) (theirs, mine []*os.File, err error) {
	for i := range inputs + outputs {
		r, w, err := os.Pipe()
		if err != nil {
			closeFiles(theirs)
			closeFiles(mine)
			return nil, nil, err
		}
		if i < inputs {
			theirs, mine = append(theirs, r), append(mine, w)
		} else {
			theirs, mine = append(theirs, w), append(mine, r)
		}
	}
	return theirs, mine, nil
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // a pipe's end: nothing can fail that matters
	}
}

func (c *stdioConn) Read(p []byte) (int, error)  { return c.in.Read(p) }
func (c *stdioConn) Write(p []byte) (int, error) { return c.out.Write(p) }

// CloseWrite tells the far side that nothing more comes.
func (c *stdioConn) CloseWrite() error { return c.out.Close() }

func (c *stdioConn) Close() error {
	c.closing.Do(func() {
		closeFiles([]*os.File{c.in, c.out})
		_ = c.control.Close() // ends the forward in the master
	})
	return nil
}

func (c *stdioConn) LocalAddr() net.Addr  { return stdioAddr("control socket") }
func (c *stdioConn) RemoteAddr() net.Addr { return c.address }

func (c *stdioConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}
func (c *stdioConn) SetReadDeadline(t time.Time) error  { return c.in.SetReadDeadline(t) }
func (c *stdioConn) SetWriteDeadline(t time.Time) error { return c.out.SetWriteDeadline(t) }

// noInput is a stream that is at its end.
type noInput struct{}

func (noInput) Read([]byte) (int, error) { return 0, io.EOF }
