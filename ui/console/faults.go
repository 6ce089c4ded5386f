package console

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
)

// advised are errors that know what to do next. Advice is why it failed, in a line, and what
// to do, in another; that may be empty.
type advised interface {
	error
	Advice() (why, next string)
}

// Explain says of a failure what happened and why in a line, and what to do next, for
// [Console.Fail].
func Explain(what string, err error) (text, next string) {
	f := explain(what, err)
	return f.text, f.hint
}

// explain says of a failure what happened and why in a line, and what to do next,
// where the error says it in nested pieces.
func explain(what string, err error) failed {
	var knows advised
	if errors.As(err, &knows) {
		why, next := knows.Advice()
		return failed{what + ": " + why, next}
	}
	var lookup *net.DNSError
	var dial *net.OpError
	var file *fs.PathError
	switch {
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return failed{what + ": no host is called " + lookup.Name, "check the name, or HostName in your ssh_config"}
	case errors.As(err, &lookup):
		return failed{what + ": the name " + lookup.Name + " could not be looked up", "is this machine online? the name server did not answer"}
	case errors.As(err, &dial) && dial.Addr != nil:
		if why, next := refused(dial); why != "" {
			return failed{what + ": " + dial.Addr.String() + " " + why, next}
		}
	case errors.As(err, &file) && next(file) != "":
		return failed{fmt.Sprintf("%s: %s: %v", what, file.Path, root(file)), next(file)}
	case errors.Is(err, context.DeadlineExceeded):
		return failed{what + ": no answer in time", "the host may be down or behind a firewall; try again, or with another address"}
	}
	text := err.Error()
	if strings.HasPrefix(text, what) {
		return failed{text, ""}
	}
	return failed{what + ": " + text, ""}
}

// root is what the system says of a file, without what nod wanted there.
func root(err *fs.PathError) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	return err.Err
}

// next says what to do about a file that could not be used; empty if that is none of the
// usual reasons.
func next(err *fs.PathError) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "make room on that file system: df shows how full it is"
	case errors.Is(err, syscall.EROFS):
		return "the file system cannot be written: mount it anew, or use another folder"
	case errors.Is(err, fs.ErrPermission):
		return "look at its owner and its mode: ls -ld shows them"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrNotExist):
		return "check the path: a folder of it is not there"
	}
	return ""
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
