package ssh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
)

// errBusy says that a server has hung up before anything began: it has as many
// logins under way as it takes (MaxStartups), or wants none from here.
var errBusy = errors.New("the server hangs up at once, as one does that has too many logins under way (MaxStartups)")

// errSilent is errBusy of a server that did not say so.
var errSilent = fmt.Errorf("%w; it says nothing", errBusy)

// busyWords are how sshd says so, where it says anything.
var busyWords = []string{"Exceeded MaxStartups", "Not allowed at this time"}

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

	notice := func(text string) { d.opt.note(name, text) }
	keys, err := newHostKeys(s, d.opt.Asker, clock.pause, notice)
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
		step: func(detail string) { d.opt.step(name, Authenticating, detail) }, notice: notice, private: map[string]any{},
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
		BannerCallback: func(text string) error { notice(strings.TrimRight(text, "\r\n")); return nil },
	}
	config.RekeyThreshold = s.RekeyBytes
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
	l.addToAgent()
	c := &client{Client: ssh.NewClient(sc, chans, reqs), settings: s, meter: counted}
	if c.openSSH() {
		c.spares = &spares{}
	}
	return c, nil
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
	var lacking *ssh.AlgorithmNegotiationError
	switch {
	case ctx.Err() != nil:
		e.Err = context.Cause(ctx)
	case keyErr != nil:
		e.Err, e.Next = keyErr, hostKeyAdvice(keyErr)
	case l.stock != nil:
		e.Err = l.stock
	case clock.ranOut():
		e.Err = fmt.Errorf("%w: nothing within %s", ErrTimeout, clock.limit)
		e.Next = "the host accepts connections but does not answer: is it overloaded, or is something else on that port?"
	case strings.Contains(said, "Too many authentication failures"):
		e.Err, e.Next = l.failure(err), "the server counts every key: name the right one with IdentityFile and set IdentitiesOnly yes"
	case errors.Is(err, errNoMore), strings.Contains(said, "unable to authenticate"):
		e.Err, e.Next = l.failure(err), authAdvice(l)
	case errors.As(err, &lacking) && l.settings.allows(lacking.RequestedAlgorithms):
		e.Err = &StockError{"Ciphers, MACs, KexAlgorithms or HostKeyAlgorithms", fmt.Sprintf("of what it allows, the server takes %s only for %s", strings.Join(lacking.RequestedAlgorithms, ","), lacking.What)}
	case stage == Dialing && words.busy():
		e.Err = errBusy
		if !words.any() {
			e.Err = errSilent
		}
		e.Next = "the server's log says why"
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

func hostKeyAdvice(err error) string {
	var (
		changed *ChangedHostKeyError
		unknown *UnknownHostKeyError
	)
	switch {
	case errors.As(err, &changed):
		return "compare with what the host's own ssh-keygen -lf says; only if the host really has a new key, remove the old one: ssh-keygen -R " + quoteWord(changed.Host)
	case errors.As(err, &unknown):
		return "compare with what the host's own ssh-keygen -lf says, and connect with the console or ssh once to keep it"
	}
	return ""
}

func authAdvice(l *login) string {
	switch {
	case slices.ContainsFunc(l.missed, func(m string) bool { return strings.Contains(m, ErrNotAnswered.Error()) }):
		return "ssh-add the key to an agent, or answer the question: on a terminal nod ssh start asks it"
	case len(l.tried) == 0 && slices.Contains(l.allowed, "publickey"):
		return "there is no key to offer: ssh-add one to an agent, or name its file with IdentityFile"
	case l.password > 0 && slices.Contains(l.tried, "password"):
		return "the password was not right, or this user may not log in with one: check User and the password"
	case slices.Contains(l.allowed, "publickey"):
		return "put the public key into the host's ~/.ssh/authorized_keys (ssh-copy-id), or look at User"
	case slices.Contains(l.allowed, "keyboard-interactive"):
		return "check User in ssh_config, and what was answered"
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

// busy reports whether the other side has hung up without a greeting, or said
// that it takes no more.
func (f *firstWords) busy() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.Conn.(*proxyConn); ok {
		return false // the command may have failed
	}
	return len(f.words) == 0 || slices.ContainsFunc(busyWords, func(w string) bool { return strings.HasPrefix(string(f.words), w) })
}

// any reports whether anything came.
func (f *firstWords) any() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.words) > 0
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

// shell is the shell that ssh runs a ProxyCommand with.
func (o Options) shell() string { return or(o.getenv("SHELL"), "/bin/sh") }
