package mux

import (
	"bytes"
	"net"
	"sync"
)

// replay is a connection of which some bytes have already been read, and on
// which the first bytes that are written go nowhere.
type replay struct {
	net.Conn

	mu    sync.Mutex
	ahead []byte // comes before what the connection has
	mute  int    // bytes still to be swallowed
}

func (c *replay) Read(p []byte) (int, error) {
	c.mu.Lock()
	if len(c.ahead) > 0 {
		defer c.mu.Unlock()
		n := copy(p, c.ahead)
		c.ahead = c.ahead[n:]
		return n, nil
	}
	c.mu.Unlock()
	return c.Conn.Read(p)
}

func (c *replay) Write(p []byte) (int, error) {
	c.mu.Lock()
	skip := min(c.mute, len(p))
	c.mute -= skip
	c.mu.Unlock()
	if skip == len(p) {
		return skip, nil
	}
	n, err := c.Conn.Write(p[skip:])
	return n + skip, err
}

// playedHandshake is c for x/crypto's ssh.NewControlClientConn on a master's
// side: a master's part of the handshake is already there to be read, and the
// client's part is swallowed.
func playedHandshake(c net.Conn) net.Conn {
	var master bytes.Buffer
	master.Write(helloFrame().bytes())
	master.Write(newFrame(sayProxy).u32(0).bytes())
	client := len(helloFrame()) + len(newFrame(askProxy).u32(0))
	return &replay{Conn: c, ahead: master.Bytes(), mute: client}
}
