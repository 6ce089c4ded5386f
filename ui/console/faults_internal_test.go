package console

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"syscall"
	"testing"
)

// knowing is an error that knows what to do next.
type knowing struct{}

func (*knowing) Error() string {
	return "ssh: web-1: dial: dial tcp 192.0.2.7:22: connect: connection refused; look at the port"
}

func (*knowing) Advice() (why, next string) {
	return "192.0.2.7:22: connection refused", "look at the port"
}

// TestAFailureIsSaidInALine: what, why, and what to do, never a chain of errors.
func TestAFailureIsSaidInALine(t *testing.T) {
	addr := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 22}
	dial := func(why error) error {
		return fmt.Errorf("ssh: dial web-1: %w", &net.OpError{Op: "dial", Net: "tcp", Addr: addr, Err: why})
	}
	for _, c := range []struct {
		err        error
		text, hint string
	}{
		{dial(syscall.ECONNREFUSED), "connect to ssh:web-1: 192.0.2.7:22 refuses the connection", "is the server running there, and is that its port?"},
		{dial(syscall.EHOSTUNREACH), "connect to ssh:web-1: 192.0.2.7:22 cannot be reached: there is no route", "is a VPN needed, or a jump host?"},
		{dial(syscall.ETIMEDOUT), "connect to ssh:web-1: 192.0.2.7:22 does not answer", "the host may be down or behind a firewall"},
		{fmt.Errorf("ssh: %w", &net.DNSError{Err: "no such host", Name: "web-1", IsNotFound: true}), "connect to ssh:web-1: no host is called web-1", "check the name, or HostName in your ssh_config"},
		{fmt.Errorf("ssh: %w", context.DeadlineExceeded), "connect to ssh:web-1: no answer in time", "the host may be down or behind a firewall; try again, or with another address"},
		{
			fmt.Errorf("daemon: %w", &knowing{}), "connect to ssh:web-1: 192.0.2.7:22: connection refused", "look at the port",
		},
		{
			fmt.Errorf("export: %w", &fs.PathError{Op: "open", Path: "/nowhere/x", Err: syscall.ENOENT}),
			"connect to ssh:web-1: /nowhere/x: no such file or directory", "check the path: a folder of it is not there",
		},
		{
			&fs.PathError{Op: "write", Path: "/full/x", Err: fmt.Errorf("write: %w", syscall.ENOSPC)},
			"connect to ssh:web-1: /full/x: no space left on device", "make room on that file system: df shows how full it is",
		},
		{&fs.PathError{Op: "read", Path: "/x", Err: syscall.EIO}, "connect to ssh:web-1: read /x: input/output error", ""},
		{errors.New("ssh: no key fits"), "connect to ssh:web-1: ssh: no key fits", ""},
		{errors.New("connect to ssh:web-1: not now"), "connect to ssh:web-1: not now", ""},
	} {
		if got := explain("connect to ssh:web-1", c.err); got.text != c.text || got.hint != c.hint {
			t.Errorf("%v: %+v", c.err, got)
		}
	}
}
