package console

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
)

// explain says of a failure what happened and why in a line, and what to do next,
// where the system's own error says it in three nested pieces.
func explain(what string, err error) failed {
	var lookup *net.DNSError
	var dial *net.OpError
	switch {
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return failed{what + ": no host is called " + lookup.Name, "check the name, or HostName in your ssh_config"}
	case errors.As(err, &lookup):
		return failed{what + ": the name " + lookup.Name + " could not be looked up", "is this machine online? the name server did not answer"}
	case errors.As(err, &dial) && dial.Addr != nil:
		if why, next := refused(dial); why != "" {
			return failed{what + ": " + dial.Addr.String() + " " + why, next}
		}
	case errors.Is(err, context.DeadlineExceeded):
		return failed{what + ": no answer in time", "the host may be down or behind a firewall; try again, or with another address"}
	}
	text := err.Error()
	if strings.HasPrefix(text, what) {
		return failed{text, ""}
	}
	return failed{what + ": " + text, ""}
}

// refused says why a connection could not be made, and what to do next; empty if that
// is none of the usual reasons.
func refused(err *net.OpError) (why, next string) {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refuses the connection", "is the server running there, and is that its port?"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "cannot be reached: there is no route", "is a VPN needed, or a jump host?"
	case errors.Is(err, syscall.ECONNRESET):
		return "closed the connection", "the server may be starting, or refuse this address"
	case err.Timeout(), errors.Is(err, os.ErrDeadlineExceeded):
		return "does not answer", "the host may be down or behind a firewall"
	}
	return "", ""
}
