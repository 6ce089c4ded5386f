package ssh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

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
	meter    *meter  // nil on somebody else's connection
	before   *client // the hop that it goes through, or nil
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
	conn, before, err := d.reach(ctx, s, via, depth)
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

// reach opens the byte stream to a host.
func (d dialer) reach(ctx context.Context, s Settings, via []string, depth int) (net.Conn, *client, error) {
	address := net.JoinHostPort(s.HostName, strconv.Itoa(s.Port))
	name := s.Host.String()
	switch {
	case len(via) > 0:
		hop, err := Parse(jumpName(via[len(via)-1]))
		if err != nil {
			return nil, nil, &DialError{name, Resolving, err, "correct ProxyJump"}
		}
		var rest []string
		if len(via) > 1 {
			rest = via[:len(via)-1]
		}
		before, err := d.dial(ctx, hop, rest, depth+1)
		if err != nil {
			return nil, nil, err
		}
		d.opt.step(name, Dialing, address+" through "+hop.Name)
		conn, err := within(ctx, s.ConnectTimeout, func() (net.Conn, error) { return before.Dial("tcp", address) }, func(c net.Conn) { _ = c.Close() })
		if err != nil {
			_ = before.Close() // of no more use
			return nil, nil, &DialError{name, Dialing, fmt.Errorf("%s through %s: %w", address, hop.Name, err), "look whether that hop reaches it"}
		}
		return conn, before, nil
	case s.ProxyCommand != "":
		d.opt.step(name, Dialing, s.ProxyCommand)
		conn, err := startProxy(s.ProxyCommand)
		if err != nil {
			return nil, nil, &DialError{name, Dialing, fmt.Errorf("ProxyCommand %q: %w", s.ProxyCommand, err), "correct ProxyCommand"}
		}
		return conn, nil, nil
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

// jumpName is a hop of ProxyJump as a target name: "user@host:port" or a URL.
func jumpName(hop string) string {
	if strings.HasPrefix(hop, "ssh://") {
		return hop
	}
	return "ssh://" + hop
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

// errOtherKey says that a host changed its key within a connection.
var errOtherKey = errors.New("the host shows another key than at the beginning of the connection")

// login shakes hands over a byte stream and logs in.
func (d dialer) login(ctx context.Context, s Settings, conn net.Conn) (*client, error) {
	name := s.Host.String()
	counted := &meter{Conn: conn}
	clock := newPatience(s.ConnectTimeout, counted.signs, func() { _ = conn.Close() })
	defer clock.stop()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()

	keys, err := newHostKeys(s, d.opt.Asker, clock.pause)
	if err != nil {
		return nil, &DialError{name, CheckingKey, err, "correct the file"}
	}
	stage := Dialing
	var (
		keyErr   error
		accepted []byte
	)
	l := &login{
		ctx: ctx, host: name, settings: s, asker: d.opt.Asker, vault: d.vault, maxKeys: d.opt.MaxKeys, waiting: clock.pause,
		step: func(detail string) { d.opt.step(name, Authenticating, detail) },
	}
	defer l.close()
	config := &ssh.ClientConfig{
		User:              s.User,
		ClientVersion:     "SSH-2.0-nod",
		HostKeyAlgorithms: keys.algorithms(),
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			if accepted != nil { // the keys are exchanged anew from time to time
				if !bytes.Equal(accepted, key.Marshal()) {
					return errOtherKey
				}
				return nil
			}
			stage = CheckingKey
			d.opt.step(name, CheckingKey, key.Type()+" "+ssh.FingerprintSHA256(key))
			keyErr = keys.check(ctx, conn.RemoteAddr().String(), key)
			if keyErr == nil {
				stage, accepted = Authenticating, key.Marshal()
			}
			return keyErr
		},
		AuthCallback:   l.next,
		BannerCallback: func(string) error { return nil }, // data from the server; nothing asks for it
	}
	config.SetDefaults()
	config.Ciphers = choose(s.Ciphers, config.Ciphers, func(a ssh.Algorithms) []string { return a.Ciphers })
	config.MACs = choose(s.MACs, config.MACs, func(a ssh.Algorithms) []string { return a.MACs })
	config.KeyExchanges = choose(s.KeyExchanges, config.KeyExchanges, func(a ssh.Algorithms) []string { return a.KeyExchanges })
	if len(config.Ciphers) == 0 || len(config.MACs) == 0 || len(config.KeyExchanges) == 0 || len(config.HostKeyAlgorithms) == 0 {
		return nil, &DialError{name, Resolving, fmt.Errorf("%w: of the Ciphers, MACs, KexAlgorithms or HostKeyAlgorithms that it allows, nod has none", ErrConfig), "allow more"}
	}
	words := &firstWords{meter: counted}
	sc, chans, reqs, err := ssh.NewClientConn(words, net.JoinHostPort(s.HostName, strconv.Itoa(s.Port)), config)
	if err == nil && !stop() { // the context ended in that moment
		_ = sc.Close() // nobody waits for it
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, d.explain(ctx, l, stage, keyErr, clock, words, err)
	}
	return &client{Client: ssh.NewClient(sc, chans, reqs), settings: s, meter: counted}, nil
}

// choose keeps what the library has of the operator's choice. Weak ones are
// used only if they are named.
func choose(chosen, usual []string, of func(ssh.Algorithms) []string) []string {
	if chosen == nil {
		return usual
	}
	return intersect(chosen, slices.Concat(of(ssh.SupportedAlgorithms()), of(ssh.InsecureAlgorithms())))
}

// explain turns the library's error into one with a step and an advice.
func (d dialer) explain(ctx context.Context, l *login, stage Stage, keyErr error, clock *patience, words *firstWords, err error) error {
	e := &DialError{Host: l.host, Stage: stage, Err: err}
	said := err.Error()
	var (
		changed *ChangedHostKeyError
		unknown *UnknownHostKeyError
	)
	switch {
	case ctx.Err() != nil:
		e.Err = context.Cause(ctx)
	case keyErr != nil:
		e.Err = keyErr
		switch {
		case errors.As(keyErr, &changed):
			e.Next = "compare with what the host's own ssh-keygen -lf says; only if the host really has a new key, remove the old one: ssh-keygen -R " + quoteWord(changed.Host)
		case errors.As(keyErr, &unknown):
			e.Next = "compare with what the host's own ssh-keygen -lf says, and connect with the console or ssh once to keep it"
		}
	case clock.ranOut():
		e.Err = fmt.Errorf("%w: nothing within %s", ErrTimeout, clock.limit)
		e.Next = "the host accepts connections but does not answer: is it overloaded, or is something else on that port?"
	case strings.Contains(said, "Too many authentication failures"):
		e.Err, e.Next = l.failure(err), "the server counts every key: name the right one with IdentityFile and set IdentitiesOnly yes"
	case errors.Is(err, errNoMore), strings.Contains(said, "unable to authenticate"):
		e.Err, e.Next = l.failure(err), authAdvice(l)
	case strings.Contains(said, "no common algorithm"):
		e.Next = "the server is old or strict: allow what it offers with KexAlgorithms, HostKeyAlgorithms, Ciphers or MACs"
	case stage == Dialing:
		e.Err = fmt.Errorf("no ssh server answers: %w%s", err, words.describe())
		e.Next = "look at the port, or at ProxyCommand"
	case stage == Authenticating:
		e.Err = fmt.Errorf("the connection ended in the middle of the login: %w", err)
		e.Next = "the server's log says why, if it was the server"
	}
	return e
}

func authAdvice(l *login) string {
	switch {
	case slices.ContainsFunc(l.missed, func(m string) bool { return strings.Contains(m, ErrNotAnswered.Error()) }):
		return "ssh-add the key to an agent, or answer the question: on a terminal nod ssh start asks it"
	case len(l.tried) == 0 && slices.Contains(l.allowed, "publickey"):
		return "there is no key to offer: ssh-add one to an agent, or name its file with IdentityFile"
	case slices.Contains(l.allowed, "publickey"):
		return "put the public key into the host's ~/.ssh/authorized_keys (ssh-copy-id), or look at User"
	}
	return ""
}

// firstWords remembers how the other side begins, for the error when that is
// no ssh server.
type firstWords struct {
	*meter
	mu    sync.Mutex
	words []byte
}

const maxFirstWords = 200 // bytes

func (f *firstWords) Read(p []byte) (int, error) {
	n, err := f.meter.Read(p)
	f.mu.Lock()
	if room := maxFirstWords - len(f.words); room > 0 {
		f.words = append(f.words, p[:min(n, room)]...)
	}
	f.mu.Unlock()
	return n, err
}

// describe quotes what came, and what a ProxyCommand said.
func (f *firstWords) describe() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var said string
	if len(f.words) > 0 && !strings.HasPrefix(string(f.words), "SSH-") {
		said = fmt.Sprintf("; it says %q", f.words)
	}
	if p, ok := f.Conn.(*proxyConn); ok {
		if text := p.complaint(); text != "" {
			said += fmt.Sprintf("; ProxyCommand says %q", text)
		}
	}
	return said
}

// quoteWord quotes a word for the operator's shell.
func quoteWord(w string) string {
	if w != "" && strings.IndexFunc(w, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,", r)
	}) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// operatorShell is the shell that ssh runs a ProxyCommand with.
func operatorShell() string { return or(os.Getenv("SHELL"), "/bin/sh") }
