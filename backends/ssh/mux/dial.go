package mux

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// DialContext connects to an address that the far side reaches: network "tcp"
// or "unix". The context is for the connecting only. A stock master does not
// say whether a "unix" address could be reached; if not, the connection is at
// its end at once.
func (c *Client) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	ask := stdioAsk{host: address, port: portUnix}
	switch network {
	case "tcp", "tcp4", "tcp6":
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("port %q: %w", port, err)
		}
		ask = stdioAsk{host: host, port: uint32(n)}
	case "unix":
	default:
		return nil, fmt.Errorf("network %q, only tcp and unix go through ssh", network)
	}
	var conn net.Conn
	err := c.with(ctx, OpenLimit, func(r *masterConn) error {
		var err error
		if ask.port == portUnix && !r.ours() {
			conn, err = r.openUnix(ctx, address)
		} else {
			conn, err = r.openStdio(ask, address)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// openUnix reaches a unix socket through a stock master, whose stdio forward
// knows TCP only: by a forward from a socket of our own, for one connection.
func (r *masterConn) openUnix(ctx context.Context, address string) (net.Conn, error) {
	dir, err := os.MkdirTemp("", "nod-") // mode 0700: nobody else gets at the socket
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the master leaves its socket there
	ask := forwardAsk{kind: forwardLocal, listenHost: filepath.Join(dir, "s"), listenPort: portUnix, connectHost: address, connectPort: portUnix}
	if err := r.forward(askOpenForward, ask); err != nil {
		return nil, err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", ask.listenHost)
	if err == nil {
		// Once the master has answered this, it has accepted the connection
		// too: both were waiting when it last looked.
		_, err = r.alive()
	}
	if closeErr := r.forward(askCloseForward, ask); err == nil {
		err = closeErr
	}
	if err != nil {
		if conn != nil {
			_ = conn.Close() // never used
		}
		return nil, err
	}
	return conn, nil
}

// forward opens or closes a forward.
func (r *masterConn) forward(kind uint32, a forwardAsk) error {
	f := newFrame(kind).u32(r.request()).u32(a.kind).text(a.listenHost).u32(a.listenPort).text(a.connectHost).u32(a.connectPort)
	if err := f.writeTo(r.conn); err != nil {
		return err
	}
	_, err := r.reply(sayOK)
	return err
}
