package ssh

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"
)

// TestAdviceIsALineWithoutSteps: why, and what to do next.
func TestAdviceIsALineWithoutSteps(t *testing.T) {
	addr := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 22}
	dial := func(why error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Addr: addr, Err: &os.SyscallError{Syscall: "connect", Err: why}}
	}
	for _, c := range []struct {
		err       DialError
		why, next string
	}{
		{DialError{"ssh:web-1", Dialing, dial(syscall.ECONNREFUSED), "look at the port"}, "192.0.2.7:22: connection refused", "look at the port"},
		{DialError{"ssh:web-1", Dialing, fmt.Errorf("x: %w", dial(syscall.EHOSTUNREACH)), ""}, "192.0.2.7:22: no route to host", ""},
		{DialError{"ssh:web-1", Dialing, &net.OpError{Op: "dial", Addr: addr, Err: os.ErrDeadlineExceeded}, ""}, "192.0.2.7:22: no answer", ""},
		{
			DialError{"ssh:web-1", Dialing, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "web-1", IsNotFound: true}}, "x"},
			"no host is called web-1", "check the name, or HostName in ssh_config",
		},
		{
			DialError{"ssh:web-1", Dialing, &net.DNSError{Err: "server misbehaving", Name: "web-1"}, ""},
			"the name web-1 could not be looked up", "is this machine online? the name server did not answer",
		},
		{
			DialError{"ssh:web-1", Dialing, errors.New("no ssh server answers: ssh: handshake failed: EOF"), "look at the port, or at ProxyCommand"},
			"no ssh server answers: EOF", "look at the port, or at ProxyCommand",
		},
		{DialError{"ssh:web-1", Starting, errors.New("no shell"), ""}, "no shell", "the server's log says why"},
		{DialError{"ssh:web-1", Authenticating, &StockError{"PKCS11Provider", "keys on a token"}, ""}, (&StockError{"PKCS11Provider", "keys on a token"}).Error(), ""},
	} {
		if why, next := c.err.Advice(); why != c.why || next != c.next {
			t.Errorf("%v: %q, %q; want %q, %q", c.err.Err, why, next, c.why, c.next)
		}
	}
}
