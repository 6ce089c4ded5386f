package ssh

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/nod-console/nod/backends"
)

// Errors that callers tell apart.
var (
	// ErrLost: the connection broke or the other side does not answer any more.
	// What ran then has an unknown outcome. It satisfies errors.Is(err,
	// backends.ErrUnreachable).
	ErrLost error = lostError{}
	// ErrClosed: Close was called. It satisfies errors.Is(err, fs.ErrClosed).
	ErrClosed = fmt.Errorf("ssh: the connection is %w", fs.ErrClosed)
	// ErrUnsure: whether the program was started could not be learnt. It comes
	// only if the connection froze or broke in that very moment.
	ErrUnsure = backends.ErrUnsure
	// ErrSessions: the server allows no more sessions on the connection.
	ErrSessions = errors.New("the server allows no more sessions on one connection (MaxSessions in its sshd_config); end something first")
	// ErrNoShell: the server does not run commands for this user.
	ErrNoShell = errors.New("the server does not run commands for this user")
	// ErrNoSFTP: the server transfers no files.
	ErrNoSFTP = errors.New("the server has no sftp subsystem; add \"Subsystem sftp internal-sftp\" to its sshd_config")
	// ErrTimeout: a step of connecting took too long.
	ErrTimeout = errors.New("no answer in time")
	// ErrConfig: ssh_config is wrong or asks for what nod cannot do.
	ErrConfig = errors.New("ssh_config")
)

// lostError is ErrLost.
type lostError struct{}

func (lostError) Error() string { return "the connection is lost" }

// Is makes it one of the errors that a target may get over.
func (lostError) Is(target error) bool { return target == backends.ErrUnreachable }

// DialError says at which step a connection failed, and what to do next.
type DialError struct {
	Host  string // the target's name, or the hop's
	Stage Stage
	Err   error
	Next  string // what to do, for the operator; may be empty
}

// Error implements error.
func (e *DialError) Error() string {
	msg := fmt.Sprintf("ssh: %s: %s: %s", strings.TrimPrefix(e.Host, "ssh:"), e.Stage, e.Err)
	if e.Next != "" {
		msg += "; " + e.Next
	}
	return msg
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *DialError) Unwrap() error { return e.Err }

// UnknownHostKeyError says that a host key is in no known_hosts file and was
// not confirmed.
type UnknownHostKeyError struct {
	Host, KeyType, Fingerprint string
}

// Error implements error.
func (e *UnknownHostKeyError) Error() string {
	return fmt.Sprintf("the host key of %s is not known: %s %s", e.Host, e.KeyType, e.Fingerprint)
}

// ChangedHostKeyError says that the host has another key than the one that is
// known. There is no way around it but to change the file.
type ChangedHostKeyError struct {
	Host                 string
	KeyType, Fingerprint string     // what the host showed
	Known                []KnownKey // what is known
}

// KnownKey is a line of a known_hosts file.
type KnownKey struct {
	KeyType, Fingerprint string
	File                 string
	Line                 int
}

// Error implements error.
func (e *ChangedHostKeyError) Error() string {
	var known []string
	for _, k := range e.Known {
		known = append(known, fmt.Sprintf("%s %s (%s:%d)", k.KeyType, k.Fingerprint, k.File, k.Line))
	}
	return fmt.Sprintf("the host key of %s has changed, which an attacker between you and the host would cause, too: it is %s %s, known is %s",
		e.Host, e.KeyType, e.Fingerprint, strings.Join(known, ", "))
}

// Is implements errors.Is for [backends.ErrOtherKey].
func (*ChangedHostKeyError) Is(target error) bool { return target == backends.ErrOtherKey }

// RevokedHostKeyError says that the host showed a key that must not be used.
type RevokedHostKeyError struct {
	Host, KeyType, Fingerprint string
	File                       string
	Line                       int
}

// Error implements error.
func (e *RevokedHostKeyError) Error() string {
	return fmt.Sprintf("the host key of %s is revoked: %s %s (%s:%d)", e.Host, e.KeyType, e.Fingerprint, e.File, e.Line)
}

// Is implements errors.Is for [backends.ErrOtherKey].
func (*RevokedHostKeyError) Is(target error) bool { return target == backends.ErrOtherKey }

// AuthError says that the server accepted none of what was offered.
type AuthError struct {
	User    string
	Tried   []string // "publickey /home/a/.ssh/id_ed25519", in order
	Missed  []string // what could not be tried, and why
	Allowed []string // what the server would take, if it said so
	Err     error
}

// Error implements error.
func (e *AuthError) Error() string {
	msg := fmt.Sprintf("the server does not let %q in", e.User)
	if len(e.Tried) > 0 {
		msg += "; tried: " + strings.Join(e.Tried, ", ")
	}
	if len(e.Missed) > 0 {
		msg += "; not tried: " + strings.Join(e.Missed, ", ")
	}
	if len(e.Allowed) > 0 {
		msg += "; it takes: " + strings.Join(e.Allowed, ", ")
	}
	return msg
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *AuthError) Unwrap() error { return e.Err }

// OutageError is the error of calls on a target whose connection is lost. It
// satisfies errors.Is(err, ErrLost).
type OutageError struct {
	Since   time.Time
	Tries   int
	Last    error // why it was lost, then of the last attempt
	GivenUp bool  // Last will not get better by itself; see [Target.Retry]
}

// Error implements error.
func (e *OutageError) Error() string {
	msg := fmt.Sprintf("ssh: the connection is lost since %s", e.Since.Format(time.TimeOnly))
	switch {
	case e.GivenUp:
		return fmt.Sprintf("%s, and cannot be made again: %v", msg, e.Last)
	case e.Tries == 0:
		return fmt.Sprintf("%s and is being made again: %v", msg, e.Last)
	}
	return fmt.Sprintf("%s and is being made again; attempt %d: %v", msg, e.Tries, e.Last)
}

// Unwrap implements errors.Is for ErrLost, the last attempt's error, and
// [backends.ErrGivenUp] where there will be no other.
func (e *OutageError) Unwrap() []error {
	all := []error{ErrLost, e.Last}
	if e.GivenUp {
		all = append(all, backends.ErrGivenUp)
	}
	return all
}

// Lasting reports whether a login failed for a reason that only a human can remove:
// another try would fail, too.
func Lasting(err error) bool {
	var (
		auth    *AuthError
		unknown *UnknownHostKeyError
		changed *ChangedHostKeyError
		revoked *RevokedHostKeyError
	)
	return errors.As(err, &auth) || errors.As(err, &unknown) || errors.As(err, &changed) || errors.As(err, &revoked) ||
		errors.Is(err, ErrConfig) || errors.Is(err, ErrNoShell) || errors.Is(err, backends.ErrGivenUp)
}
