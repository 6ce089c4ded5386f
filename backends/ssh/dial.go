package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"golang.org/x/crypto/ssh"
)

// maxHops bounds a chain of ProxyJump.
const maxHops = 8

// dialer makes one connection, hop by hop.
type dialer struct {
	opt   Options
	vault *vault
	quick time.Duration // bounds the making of a TCP connection further, unless 0
}

// client is a connection that is logged in.
type client struct {
	*ssh.Client
	settings Settings
	meter    *meter    // nil on somebody else's connection
	before   io.Closer // the hop that it goes through, or nil
	spares   *spares   // nil where no session is opened ahead
}

// openSSH reports whether the server is OpenSSH, which knows more than the RFCs.
func (c *client) openSSH() bool {
	return strings.Contains(string(c.ServerVersion()), "OpenSSH")
}

// Close closes the connection and the hops before it.
func (c *client) Close() error {
	err := c.Client.Close()
	if c.before != nil {
		err = errors.Join(err, c.before.Close())
	}
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// dial connects to a host. With via it goes through these hops, the last one
// first in front of the host; without, as the host's own configuration says.
func (d dialer) dial(ctx context.Context, h Host, via []string, depth int) (*client, error) {
	if depth > maxHops {
		return nil, &DialError{h.String(), Resolving, fmt.Errorf("more than %d hops", maxHops), "look for a ProxyJump that leads back to itself"}
	}
	d.opt.step(h.String(), Resolving, "")
	s, err := Resolve(ctx, h, d.opt)
	if err != nil {
		return nil, &DialError{h.String(), Resolving, err, "correct ssh_config"}
	}
	if via == nil && s.ProxyJump != "" {
		via = strings.Split(s.ProxyJump, ",")
	}
	if s.Stock != nil {
		return nil, &DialError{h.String(), Resolving, s.Stock, ""}
	}
	for _, text := range s.NotDone {
		d.opt.note(h.String(), text)
	}
	c, err := d.begin(ctx, s, via, depth)
	if err != nil {
		return nil, err
	}
	if s.LocalCommand != "" {
		if err := d.opt.localCommand(ctx, s.LocalCommand); err != nil {
			d.opt.note(h.String(), fmt.Sprintf("LocalCommand %q: %v", s.LocalCommand, err))
		}
	}
	return c, nil
}

const (
	// startsLimit is how long a login is tried again that the server did not let
	// begin (MaxStartups).
	startsLimit = 30 * time.Second
	// silentLimit is the same where it did not say why: it may be something else.
	silentLimit = 8 * time.Second
	// startsPause is the first pause before another try, startsLongest the longest.
	startsPause   = 200 * time.Millisecond
	startsLongest = 3 * time.Second
)

// begin reaches a host and logs in. Where the server has too many logins under
// way, and so hangs up before anything has begun, it tries again.
func (d dialer) begin(ctx context.Context, s Settings, via []string, depth int) (*client, error) {
	again := backoff.NewExponentialBackOff()
	again.InitialInterval, again.MaxInterval = startsPause, startsLongest
	since := time.Now()
	for {
		c, err := d.once(ctx, s, via, depth)
		limit := startsLimit
		if errors.Is(err, errSilent) {
			limit = silentLimit
		}
		if err == nil || !errors.Is(err, errBusy) || d.quick != 0 || time.Since(since) > limit {
			return c, err
		}
		d.opt.step(s.Host.String(), Dialing, "again: the server has too many logins under way")
		if !sleep(ctx, again.NextBackOff()) {
			return nil, err
		}
	}
}

func (d dialer) once(ctx context.Context, s Settings, via []string, depth int) (*client, error) {
	over := func() {}
	defer func() { over() }()
	conn, before, err := d.reach(ctx, s, via, depth, func(address string) (err error) {
		over, err = d.opt.Limit.take(ctx, address)
		if err != nil {
			over = func() {}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	c, err := d.login(ctx, s, conn)
	if err != nil {
		_ = conn.Close() // of no more use
		if before != nil {
			_ = before.Close() // the same
		}
		return nil, err
	}
	c.before = before
	return c, nil
}

// localCommand runs LocalCommand as ssh does, with the operator's shell. What it
// prints is nobody's: it has no terminal.
func (o Options) localCommand(ctx context.Context, command string) error {
	cmd := exec.CommandContext(ctx, o.shell(), "-c", command) //nolint:gosec // it is the operator's own
	cmd.Env, cmd.Dir = o.Env, o.Dir
	return cmd.Run()
}

// ownHop is a hop that was logged in to for one connection.
type ownHop struct{ *client }

// Dial implements [Through].
func (h ownHop) Dial(ctx context.Context, address string) (net.Conn, error) {
	return h.DialContext(ctx, "tcp", address)
}

// hop gives the connection to a hop.
func (d dialer) hop(ctx context.Context, hop Host, via []string, depth int) (Through, error) {
	if d.opt.Hop != nil && via == nil {
		return d.opt.Hop(ctx, hop)
	}
	c, err := d.dial(ctx, hop, via, depth+1)
	if err != nil {
		return nil, err
	}
	return ownHop{c}, nil
}

// reach opens the byte stream to a host. first is called when the hops are there,
// before the host itself is connected to.
func (d dialer) reach(ctx context.Context, s Settings, via []string, depth int, first func(address string) error) (net.Conn, io.Closer, error) {
	address := net.JoinHostPort(s.HostName, strconv.Itoa(s.Port))
	name := s.Host.String()
	switch {
	case len(via) > 0:
		hop, err := parseHop(via[len(via)-1])
		if err != nil {
			return nil, nil, &DialError{name, Resolving, err, "correct ProxyJump"}
		}
		var rest []string
		if len(via) > 1 {
			rest = via[:len(via)-1]
		}
		before, err := d.hop(ctx, hop, rest, depth)
		if err != nil {
			return nil, nil, err
		}
		if err := first(address); err != nil {
			_ = before.Close() // not used
			return nil, nil, &DialError{name, Dialing, err, ""}
		}
		d.opt.step(name, Dialing, address+" through "+hop.Name)
		conn, err := within(ctx, s.ConnectTimeout, func() (net.Conn, error) { return before.Dial(ctx, address) }, func(c net.Conn) { _ = c.Close() })
		if err != nil {
			_ = before.Close() // of no more use
			return nil, nil, &DialError{name, Dialing, fmt.Errorf("%s through %s: %w", address, hop.Name, err), "look whether that hop reaches it"}
		}
		return conn, before, nil
	case s.ProxyCommand != "":
		d.opt.step(name, Dialing, s.ProxyCommand)
		conn, err := startProxy(s.ProxyCommand, d.opt)
		if err != nil {
			return nil, nil, &DialError{name, Dialing, fmt.Errorf("ProxyCommand %q: %w", s.ProxyCommand, err), "correct ProxyCommand"}
		}
		return conn, nil, nil
	}
	if err := first(address); err != nil {
		return nil, nil, &DialError{name, Dialing, err, ""}
	}
	d.opt.step(name, Dialing, address)
	conn, err := d.dialTCP(ctx, s, address)
	if err != nil {
		return nil, nil, &DialError{name, Dialing, err, dialAdvice(err)}
	}
	return conn, nil, nil
}

// quickest is the shorter one of the bounds for a TCP connection; 0 if there is
// none.
func (d dialer) quickest() time.Duration {
	if d.quick == 0 || d.opt.DialTimeout == 0 {
		return max(d.quick, d.opt.DialTimeout)
	}
	return min(d.quick, d.opt.DialTimeout)
}

func (d dialer) dialTCP(ctx context.Context, s Settings, address string) (net.Conn, error) {
	network := "tcp"
	switch s.AddressFamily {
	case "inet":
		network = "tcp4"
	case "inet6":
		network = "tcp6"
	}
	dial := net.Dialer{Timeout: s.ConnectTimeout}
	if !s.TCPKeepAlive {
		dial.KeepAlive = -1
	}
	if s.BindInterface != "" {
		dial.Control = bindInterface(s)
	}
	if quick := d.quickest(); quick != 0 {
		dial.Timeout = min(dial.Timeout, quick)
	}
	if s.BindAddress != "" {
		local, err := net.ResolveTCPAddr(network, net.JoinHostPort(s.BindAddress, "0"))
		if err != nil {
			return nil, fmt.Errorf("BindAddress %q: %w", s.BindAddress, err)
		}
		dial.LocalAddr = local
	}
	for try := 1; ; try++ {
		conn, err := dial.DialContext(ctx, network, address)
		if err == nil || try >= s.Tries {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(time.Second): // as ssh does
		}
	}
}

// dialAdvice says what to do about a failed connection.
func dialAdvice(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		return "there is no such name: look at HostName in ssh_config, and at the resolver"
	case strings.Contains(err.Error(), "connection refused"):
		return "nothing listens there: look at the port, and whether sshd runs"
	case errors.As(err, &op) && op.Timeout():
		return "nothing answers: a firewall may drop it, or the host is down"
	case strings.Contains(err.Error(), "no route to host"), strings.Contains(err.Error(), "unreachable"):
		return "the network does not lead there: is a VPN down?"
	}
	return ""
}
