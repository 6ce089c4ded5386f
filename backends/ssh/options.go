package ssh

import (
	"context"
	"io"
	"net"
	"os/user"
	"strings"
	"time"
)

// Options say how to connect. The zero value is the operator's own way.
type Options struct {
	Config string // ssh_config, as ssh -F; the usual files if empty
	SSH    string // the program that is asked for the configuration; "ssh" if empty

	Home  string // the operator's; as the system has it if empty, like ssh, which does not go by $HOME
	User  string // the operator's name; from the system if empty
	Agent string // the agent's socket; $SSH_AUTH_SOCK if empty, "none" for no agent

	// Env is the operator's environment, and Dir the folder that they are in: what
	// ssh_config starts gets them. The process's own if empty.
	Env []string
	Dir string
	// Withhold are names of settings of Env that never go to a host.
	Withhold []string

	Asker Asker
	// Step is told what is being done. It must not block.
	Step func(Step)

	// Shared finds a connection to the host that somebody else has logged in: the
	// operator's own master, nod's daemon's. It returns nil where there is none and
	// the target is to log in itself. Nil: it always does. Whoever logs in for it
	// does so with this DialTimeout.
	Shared func(ctx context.Context, s Settings, dialTimeout time.Duration) (*SharedConn, error)

	// Hop, if not nil, gives the connection to a host that others are reached
	// through, which somebody else has logged in. Nil: each connection logs in to
	// its hops itself.
	Hop func(ctx context.Context, hop Host) (Through, error)

	// Limit, if not nil, bounds how many logins to one server are under way.
	Limit *Limit

	// Keepalive is the time between questions whether the other side is still
	// there; after three without an answer the connection is lost. 5 s if zero.
	Keepalive time.Duration
	// DialTimeout bounds the making of a TCP connection, beside ssh_config's
	// ConnectTimeout, which bounds the login, too. 0: it does not.
	DialTimeout time.Duration
	// MaxKeys is how many keys are offered at most. A server counts each, and
	// ends the connection at its MaxAuthTries, which is 6 by default; 5 leave
	// one try for a password.
	MaxKeys int

	// RetryEvery is the time between attempts to make a lost connection again,
	// in its first minute; later they become rarer, to one in RetryAtMost. 1 s
	// and 30 s if zero. They are for [Open].
	RetryEvery, RetryAtMost time.Duration
}

// Through is a connection that others go through. Closing it gives it back.
type Through interface {
	Dial(ctx context.Context, address string) (net.Conn, error)
	io.Closer
}

const (
	defaultKeepalive = 5 * time.Second
	defaultMaxKeys   = 5
	defaultRetry     = time.Second
	defaultRetryMost = 30 * time.Second
	// keepaliveMisses without an answer mean that the connection is lost.
	keepaliveMisses = 3
)

func (o Options) withDefaults() Options {
	if o.SSH == "" {
		o.SSH = "ssh"
	}
	if u, err := user.Current(); err == nil { // else "~" leads nowhere, which whoever opens such a file reports
		o.Home, o.User = or(o.Home, u.HomeDir), or(o.User, u.Username)
	}
	if o.Env == nil {
		o.Env = environ()
	}
	switch o.Agent {
	case "":
		o.Agent = o.getenv("SSH_AUTH_SOCK")
	case "none":
		o.Agent = ""
	}
	if o.Keepalive == 0 {
		o.Keepalive = defaultKeepalive
	}
	if o.MaxKeys == 0 {
		o.MaxKeys = defaultMaxKeys
	}
	if o.RetryEvery == 0 {
		o.RetryEvery = defaultRetry
	}
	if o.RetryAtMost == 0 {
		o.RetryAtMost = defaultRetryMost
	}
	if o.Step == nil {
		o.Step = func(Step) {}
	}
	return o
}

func (o Options) step(host string, stage Stage, detail string) {
	o.Step(Step{Host: host, Stage: stage, Detail: detail, At: time.Now()})
}

// getenv is a setting of the operator's environment.
func (o Options) getenv(name string) string {
	for i := len(o.Env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(o.Env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// note tells the operator something that outlives the step.
func (o Options) note(host, text string) { o.step(host, Noted, text) }
