package ssh

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
)

// Advice is why the connection failed, in a line without the steps that led there, and what
// to do next; next may be empty.
func (e *DialError) Advice() (why, next string) {
	var (
		lookup *net.DNSError
		dial   *net.OpError
	)
	next = e.Next
	switch {
	case errors.As(e.Err, &lookup) && lookup.IsNotFound:
		return "no host is called " + lookup.Name, "check the name, or HostName in ssh_config"
	case errors.As(e.Err, &lookup):
		return fmt.Sprintf("the name %s could not be looked up", lookup.Name), "is this machine online? the name server did not answer"
	case e.Stage == Dialing && errors.As(e.Err, &dial) && dial.Addr != nil:
		why = fmt.Sprintf("%s: %s", dial.Addr, reason(dial))
	default:
		why = strings.ReplaceAll(e.Err.Error(), "ssh: handshake failed: ", "") // of the library
	}
	if next == "" && e.Stage >= CheckingKey && !errors.As(e.Err, new(*StockError)) {
		next = "the server's log says why"
	}
	return why, next
}

// reason is what the system says of a failed dial, without its own steps.
func reason(err *net.OpError) string {
	var number syscall.Errno
	switch {
	case errors.As(err.Err, &number):
		return number.Error()
	case err.Timeout(), errors.Is(err, os.ErrDeadlineExceeded):
		return "no answer"
	}
	return strings.TrimPrefix(err.Err.Error(), "connect: ")
}
