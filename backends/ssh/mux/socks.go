package mux

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
)

// socksTarget is where a SOCKS client wants to go.
type socksTarget struct {
	host  string
	port  uint16
	reply socksReply
}

// socksReply tells the client whether that worked. Nil says nothing.
type socksReply func(w io.Writer, err error) error

func (r socksReply) call(w io.Writer, err error) error {
	if r == nil {
		return nil
	}
	return r(w, err)
}

const (
	socksConnect = 1
	// maxSocksText is the longest user or host name of a SOCKS4 request.
	maxSocksText = 1024
)

// readSocks takes a SOCKS 4, 4a or 5 request to connect, without
// authentication (RFC 1928; SOCKS 4 is described by its makers only).
func readSocks(c io.ReadWriter) (socksTarget, error) {
	var version [1]byte
	if _, err := io.ReadFull(c, version[:]); err != nil {
		return socksTarget{}, err
	}
	switch version[0] {
	case 4:
		return readSocks4(c)
	case 5:
		return readSocks5(c)
	}
	return socksTarget{}, fmt.Errorf("socks version %d, want 4 or 5", version[0])
}

func readSocks4(c io.Reader) (socksTarget, error) {
	var head [7]byte // command, port, address
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return socksTarget{}, err
	}
	if head[0] != socksConnect {
		return socksTarget{}, fmt.Errorf("socks4 command %d, only connect is known", head[0])
	}
	to := socksTarget{host: net.IP(head[3:7]).String(), port: binary.BigEndian.Uint16(head[1:3]), reply: replySocks4}
	if _, err := readTerminated(c); err != nil { // the user's name, which is not asked for
		return socksTarget{}, err
	}
	if head[3] == 0 && head[4] == 0 && head[5] == 0 && head[6] != 0 { // 0.0.0.x: SOCKS 4a, a name follows
		host, err := readTerminated(c)
		if err != nil {
			return socksTarget{}, err
		}
		to.host = host
	}
	return to, nil
}

// readTerminated reads a text up to its NUL, byte by byte: what follows it is
// not ours.
func readTerminated(c io.Reader) (string, error) {
	var text []byte
	var b [1]byte
	for len(text) <= maxSocksText {
		if _, err := io.ReadFull(c, b[:]); err != nil {
			return "", err
		}
		if b[0] == 0 {
			return string(text), nil
		}
		text = append(text, b[0])
	}
	return "", errors.New("socks4 text too long")
}

func readSocks5(c io.ReadWriter) (socksTarget, error) {
	if err := greetSocks5(c); err != nil {
		return socksTarget{}, err
	}
	var head [4]byte // version, command, reserved, kind of address
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return socksTarget{}, err
	}
	if head[0] != 5 || head[1] != socksConnect {
		return socksTarget{}, fmt.Errorf("socks5 command %d of version %d, only connect is known", head[1], head[0])
	}
	var length int
	switch head[3] {
	case 1:
		length = net.IPv4len
	case 4:
		length = net.IPv6len
	case 3:
		var n [1]byte
		if _, err := io.ReadFull(c, n[:]); err != nil {
			return socksTarget{}, err
		}
		length = int(n[0])
	default:
		return socksTarget{}, fmt.Errorf("socks5 address of kind %d", head[3])
	}
	rest := make([]byte, length+2)
	if _, err := io.ReadFull(c, rest); err != nil {
		return socksTarget{}, err
	}
	to := socksTarget{host: string(rest[:length]), port: binary.BigEndian.Uint16(rest[length:]), reply: replySocks5}
	if head[3] != 3 {
		to.host = net.IP(rest[:length]).String()
	}
	return to, nil
}

// greetSocks5 agrees on no authentication.
func greetSocks5(c io.ReadWriter) error {
	const none, noneFits = 0, 0xff
	var count [1]byte
	if _, err := io.ReadFull(c, count[:]); err != nil {
		return err
	}
	methods := make([]byte, count[0])
	if _, err := io.ReadFull(c, methods); err != nil {
		return err
	}
	for _, m := range methods {
		if m == none {
			_, err := c.Write([]byte{5, none})
			return err
		}
	}
	_, _ = c.Write([]byte{5, noneFits}) // refused in either case
	return errors.New("socks5 client insists on authentication")
}

func replySocks4(w io.Writer, err error) error {
	const granted, rejected = 90, 91
	code := byte(granted)
	if err != nil {
		code = rejected
	}
	_, werr := w.Write([]byte{0, code, 0, 0, 0, 0, 0, 0})
	return werr
}

func replySocks5(w io.Writer, err error) error {
	const succeeded, refused = 0, 5
	code := byte(succeeded)
	if err != nil {
		code = refused
	}
	_, werr := w.Write([]byte{5, code, 0, 1, 0, 0, 0, 0, 0, 0})
	return werr
}
