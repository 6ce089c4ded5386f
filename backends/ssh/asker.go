package ssh

import (
	"context"
	"errors"
	"time"
)

// ErrNotAnswered is the error of a question that nobody is there to answer, or
// that was cancelled.
var ErrNotAnswered = errors.New("the question was not answered")

// Asker puts the questions of a login to the operator. It is a struct of
// functions, so that this package knows no screen. A function that is nil
// answers nothing, and what depends on the answer fails with ErrNotAnswered.
//
// The functions are called one at a time for one connection, and may take as
// long as a human takes. They end when ctx does.
type Asker struct {
	// Confirm asks whether an unknown host key is the right one. False and
	// every error refuse it.
	Confirm func(ctx context.Context, q HostKeyQuestion) (bool, error)

	// Secret asks for one answer. Where q.Echo is false what is typed must not
	// be shown, logged or kept.
	Secret func(ctx context.Context, q SecretQuestion) (string, error)
}

// HostKeyQuestion is about a host key that no known_hosts file has.
type HostKeyQuestion struct {
	Host        string // as in known_hosts: "web-1", "[web-1]:2222"
	Address     string // whom the connection is to
	KeyType     string // "ssh-ed25519"
	Fingerprint string // "SHA256:…", as ssh-keygen -l prints it
	File        string // where the key is kept if the answer is yes
}

// SecretKind says what a secret is for.
type SecretKind uint8

// The kinds of secrets.
const (
	Passphrase SecretKind = iota + 1 // of a private key
	Password                         // of the user on the host
	Challenge                        // a prompt of keyboard-interactive
)

// SecretQuestion asks for a passphrase, a password or what the server prompts
// for. Host, Instruction and Prompt of a challenge come from the server: they
// are data, never markup.
type SecretQuestion struct {
	Kind        SecretKind
	Host        string // the target's name
	User        string
	Key         string // the file, for Passphrase
	Instruction string // for Challenge
	Prompt      string
	Echo        bool // what is typed may be shown; never true for Passphrase and Password
	Try         int  // 1 for the first time, more after a wrong answer
}

func (a Asker) confirm(ctx context.Context, q HostKeyQuestion) (bool, error) {
	if a.Confirm == nil {
		return false, ErrNotAnswered
	}
	return a.Confirm(ctx, q)
}

func (a Asker) secret(ctx context.Context, q SecretQuestion) (string, error) {
	if a.Secret == nil {
		return "", ErrNotAnswered
	}
	return a.Secret(ctx, q)
}

// Stage is a step on the way to a connection.
type Stage uint8

// The stages, in order, and Noted. Each hop of a ProxyJump has its own.
const (
	Resolving      Stage = iota + 1 // what ssh_config says
	Dialing                         // TCP, the hop before, or a ProxyCommand
	CheckingKey                     // the host key
	Authenticating                  // a method is tried
	Starting                        // the shell at the other end
	Ready
	// Noted is no step: Detail is something that the operator should know, like
	// what a server says at a login (data, never markup) or what ssh_config asks for
	// and is not done.
	Noted
)

// String implements fmt.Stringer.
func (s Stage) String() string {
	switch s {
	case Resolving:
		return "resolve"
	case Dialing:
		return "dial"
	case CheckingKey:
		return "host key"
	case Authenticating:
		return "authenticate"
	case Starting:
		return "start"
	case Ready:
		return "ready"
	case Noted:
		return "note"
	}
	return "none"
}

// Step tells how far a connection is.
type Step struct {
	Host   string // the target's name, or a hop's
	Stage  Stage
	Detail string // "10.0.0.7:22", "publickey /home/a/.ssh/id_ed25519"
	At     time.Time
}
