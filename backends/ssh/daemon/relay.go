package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/ssh"
)

// message is a line of JSON between the daemon and who asks it for something. One
// field is set.
type message struct {
	// To the daemon.
	Order  *Order  `json:"order,omitempty"`
	Answer *answer `json:"answer,omitempty"`
	List   bool    `json:"list,omitempty"`
	Stop   string  `json:"stop,omitempty"` // a host
	Prompt *Prompt `json:"prompt,omitempty"`
	// From the daemon.
	Infos   []Info               `json:"infos,omitempty"` // the answer to List and Stop
	Step    *ssh.Step            `json:"step,omitempty"`
	HostKey *ssh.HostKeyQuestion `json:"host_key,omitempty"`
	Secret  *ssh.SecretQuestion  `json:"secret,omitempty"`
	Ready   *Info                `json:"ready,omitempty"`
	Failed  *LoginError          `json:"failed,omitempty"`
}

// Order says what to hold and how.
type Order struct {
	Folder  Folder        `json:"-"`
	Host    string        `json:"host"`
	Persist time.Duration `json:"persist"` // idle time after which it ends; 0: never

	// As in [ssh.Options].
	Config    string        `json:"config,omitempty"`
	Agent     string        `json:"agent,omitempty"`
	Keepalive time.Duration `json:"keepalive,omitempty"`
	// DialTimeout is short where a lost connection is made again.
	DialTimeout time.Duration `json:"dial_timeout,omitempty"`
	Env         []string      `json:"env,omitempty"`
	Dir         string        `json:"dir,omitempty"`

	// Mode says who logs in.
	Mode Mode `json:"mode,omitempty"`
	// Own says that hops do not go over the operator's own masters.
	Own bool `json:"own,omitempty"`
}

// Mode says who logs in to a host.
type Mode string

// The modes. Empty means Auto.
const (
	Auto    Mode = "auto"    // nod, and the system's ssh where only that can
	Native  Mode = "native"  // nod alone
	OpenSSH Mode = "openssh" // the system's ssh
)

// answer is what the operator said.
type answer struct {
	Yes  bool   `json:"yes,omitempty"`
	Text string `json:"text,omitempty"`
	None bool   `json:"none,omitempty"` // nothing
}

// LoginError says why a login failed.
type LoginError struct {
	Text string `json:"text"`
	// Why and Next are the same in two lines, if that is known: see [ssh.DialError.Advice].
	Why  string `json:"why,omitempty"`
	Next string `json:"next,omitempty"`
	// Lasting says that another try would fail, too, before something is
	// changed: a wrong key, a name that does not resolve in ssh_config.
	Lasting bool `json:"lasting,omitempty"`
	// OtherKey says that the host did not show the key that it is known by.
	OtherKey bool `json:"other_key,omitempty"`
}

// Error implements error.
func (e *LoginError) Error() string { return e.Text }

// Advice is why the login failed, and what to do next.
func (e *LoginError) Advice() (why, next string) {
	if e.Why == "" {
		return e.Text, e.Next
	}
	return e.Why, e.Next
}

// failed is why a login failed, for the starter.
func failed(err error, lasting bool) *LoginError {
	e := &LoginError{Text: err.Error(), Lasting: lasting, OtherKey: errors.Is(err, backends.ErrOtherKey)}
	var dial *ssh.DialError
	if errors.As(err, &dial) {
		e.Why, e.Next = dial.Advice()
	}
	return e
}

// Is implements errors.Is for [backends.ErrGivenUp] and [backends.ErrOtherKey].
func (e *LoginError) Is(target error) bool {
	return e.Lasting && target == backends.ErrGivenUp || e.OtherKey && target == backends.ErrOtherKey
}

// maxLine bounds a message. None is near it: the longest is an error's text.
const maxLine = 1 << 20

// pipe is one end of the conversation. Sending is safe for concurrent use.
type pipe struct {
	lines *bufio.Scanner

	mu  sync.Mutex
	out io.Writer
}

func newPipe(in io.Reader, out io.Writer) *pipe {
	p := &pipe{lines: bufio.NewScanner(in), out: out}
	p.lines.Buffer(nil, maxLine)
	return p
}

func (p *pipe) send(m message) error {
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("ssh: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.out.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("ssh: %w", err)
	}
	return nil
}

// receive returns the next message; io.EOF when the other side has gone.
func (p *pipe) receive() (message, error) {
	var m message
	if !p.lines.Scan() {
		if err := p.lines.Err(); err != nil {
			return m, fmt.Errorf("ssh: %w", err)
		}
		return m, io.EOF
	}
	if err := json.Unmarshal(p.lines.Bytes(), &m); err != nil {
		return m, fmt.Errorf("ssh: a line that is no message: %w", err)
	}
	return m, nil
}

// answered relays what the operator is asked on behalf of a login.
func answered(ctx context.Context, m message, ask ssh.Asker) (answer, error) {
	var a answer
	var err error
	switch {
	case m.HostKey != nil && ask.Confirm != nil:
		a.Yes, err = ask.Confirm(ctx, *m.HostKey)
	case m.Secret != nil && ask.Secret != nil:
		a.Text, err = ask.Secret(ctx, *m.Secret)
	default:
		err = ssh.ErrNotAnswered
	}
	switch {
	case ctx.Err() != nil:
		return answer{}, context.Cause(ctx)
	case err != nil:
		return answer{None: true}, nil
	}
	return a, nil
}

// asker puts a login's questions to the other end of the pipe.
type asker struct {
	pipe    *pipe
	answers <-chan answer // closed when the other side has gone
}

// questions is the asker as a login wants it.
func (a asker) questions() ssh.Asker {
	return ssh.Asker{
		Confirm: func(ctx context.Context, q ssh.HostKeyQuestion) (bool, error) {
			said, err := a.ask(ctx, message{HostKey: &q})
			return said.Yes, err
		},
		Secret: func(ctx context.Context, q ssh.SecretQuestion) (string, error) {
			said, err := a.ask(ctx, message{Secret: &q})
			return said.Text, err
		},
	}
}

var errStarterGone = errors.New("who asked for the connection has gone")

func (a asker) ask(ctx context.Context, question message) (answer, error) {
	if err := a.pipe.send(question); err != nil {
		return answer{}, err
	}
	select {
	case said, ok := <-a.answers:
		switch {
		case !ok:
			return answer{}, errStarterGone
		case said.None:
			return answer{}, ssh.ErrNotAnswered
		}
		return said, nil
	case <-ctx.Done():
		return answer{}, context.Cause(ctx)
	}
}
