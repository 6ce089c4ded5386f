package ssh

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

func environ() []string { return os.Environ() }

// process is a program at the other end.
type process struct {
	c       *Conn
	s       session
	streams *streams
	polite  backends.Signal // asks this kind of program to end

	group, sid int // of the program; sid is 0 where sessions cannot be told

	done    chan struct{} // closed when outcome and err are set
	outcome backends.Outcome
	err     error
	notice  string // of its output
}

var _ backends.Process = (*process)(nil)

// Exec implements [backends.Target]. Where the link breaks or freezes in the
// very moment of starting, the error is ErrUnsure.
func (c *Conn) Exec(ctx context.Context, cmd backends.Command) (backends.Process, error) {
	p, err := c.start(ctx, cmd, nil)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// startGrace is how long a start that is under way is waited for when its
// context has ended: its program has to be known to be ended.
const startGrace = 3 * time.Second

func (c *Conn) start(ctx context.Context, cmd backends.Command, t *terminalRequest) (*process, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("ssh: not started: %w", context.Cause(ctx))
	}
	if err := posix.Check(cmd); err != nil {
		return nil, fmt.Errorf("ssh: %w", err)
	}
	nonce := posix.NewNonce()
	line, err := c.line(cmd, nonce, t != nil)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	if err := c.isClosed(); err != nil {
		c.mu.Unlock()
		return nil, err
	}
	c.running.Add(1) // supervised from the first byte on
	c.mu.Unlock()

	return posix.Start(ctx, "ssh", startGrace, func() (*process, error) {
		p, err := c.begin(ctx, cmd, request{command: line, terminal: t}, nonce)
		if err != nil {
			c.running.Done()
			return nil, err
		}
		go func() {
			defer c.running.Done()
			p.supervise(ctx)
		}()
		return p, nil
	})
}

// line is the command line that starts a command.
func (c *Conn) line(cmd backends.Command, nonce string, terminal bool) (string, error) {
	a := c.about()
	prefix, askGroup := "", false
	switch {
	case a.own:
	case terminal: // it begins a session, but something may lead that
		askGroup = a.proc
	default:
		prefix = "setsid "
	}
	return commandLine(prefix, launch(cmd, nonce, terminal, askGroup), a.dialect)
}

// begin starts a program and waits for the launcher's word about it.
func (c *Conn) begin(ctx context.Context, cmd backends.Command, r request, nonce string) (*process, error) {
	s, err := c.open(ctx, r)
	if errors.Is(err, ErrLost) || errors.Is(err, ErrTimeout) { // the request may have arrived
		return nil, fmt.Errorf("ssh: %w: %w", ErrUnsure, err)
	}
	if err != nil {
		return nil, err
	}
	p := &process{c: c, s: s, polite: backends.TERM, done: make(chan struct{})}
	p.streams = newStreams(s, cmd, nonce)
	waiting, cancel := limited(context.Background(), c.link, shellTime)
	defer cancel()
	defer time.AfterFunc(shellTell, c.tellSlowShell).Stop()
	select {
	case word, ok := <-p.streams.begun:
		if !ok {
			return nil, p.silent()
		}
		word = strings.TrimSpace(word)
		if !p.known(word) {
			s.close()
			return nil, startError(word, cmd)
		}
	case <-c.down: // a session on the operator's master does not notice
		s.close()
		return nil, fmt.Errorf("ssh: %w: %w", ErrUnsure, c.downErr)
	case <-waiting.Done():
		s.close()
		return nil, fmt.Errorf("ssh: %w: the other side says nothing within %s", ErrUnsure, shellTime)
	}
	switch {
	case r.terminal != nil:
		p.polite = backends.HUP // as if the window had been closed
	case cmd.Stdin == nil:
		_ = s.closeInput() // the program may have ended
	default:
		p.streams.input = posix.NewFeed(s, s.closeInput, cmd.Stdin)
		go p.streams.input.Run()
	}
	return p, nil
}

// tellSlowShell tells the operator what is being waited for.
func (c *Conn) tellSlowShell() {
	c.opt.note(c.name, "the login shell takes long over its start-up files (waiting up to "+shellTime.String()+")")
}

// known reads the launcher's word: "ok PID", where the program leads its group
// and session, or "ok PID GROUP SESSION".
func (p *process) known(word string) bool {
	f := strings.Fields(word)
	if len(f) < 2 || f[0] != "ok" {
		return false
	}
	numbers := make([]int, len(f)-1)
	for i, s := range f[1:] {
		n, err := strconv.Atoi(s)
		if err != nil || n < 2 {
			return false
		}
		numbers[i] = n
	}
	p.group, p.sid = numbers[0], numbers[0]
	if len(numbers) == 3 {
		p.group, p.sid = numbers[1], numbers[2]
	}
	if !p.c.about().proc {
		p.sid = 0
	}
	return true
}

// silent is the error of a session whose output ended before the launcher's word.
// Only where the server says how the session ended it is known that the launcher
// did not run: it may have, on a link that was lost before its word came.
func (p *process) silent() error {
	select {
	case <-p.s.ended():
	case <-p.c.down:
	case <-time.After(startGrace):
	}
	p.s.close()
	var outcome backends.Outcome
	select {
	case <-p.s.ended():
		outcome = p.s.outcome()
	default:
	}
	if outcome.State == backends.Unknown {
		p.c.settle()
		return fmt.Errorf("ssh: %w: %w", ErrUnsure, p.c.reason(errNoStatus))
	}
	select {
	case <-p.streams.err.done:
	case <-time.After(backends.DrainDelay):
	}
	said := describeSilence(fmt.Errorf("the login shell ended (%s) before the program", outcome),
		p.streams.out.before.LastWords(), p.streams.err.before.LastWords())
	return fmt.Errorf("ssh: not started: %w", said)
}

// Wait implements [backends.Process].
func (p *process) Wait() (backends.Outcome, error) {
	<-p.done
	return p.outcome, p.err
}

// signalTime is how long the other side may take to deliver a signal, or to give
// a terminal another size.
const signalTime = 10 * time.Second

// Signal implements [backends.Process].
func (p *process) Signal(s backends.Signal) error {
	if unix.SignalNum("SIG"+string(s)) == 0 {
		return fmt.Errorf("ssh: no signal %q", s)
	}
	select {
	case <-p.s.ended():
		return nil
	default:
	}
	ctx, cancel := p.c.limited(signalTime)
	defer cancel()
	a, err := p.c.remoteShell(ctx)
	if err == nil {
		err = a.signal(ctx, p.group, s)
	}
	if err != nil {
		return fmt.Errorf("ssh: signal %s: %w", s, p.c.reason(err))
	}
	return nil
}

// supervise sees the program to its end. It returns when Wait does.
func (p *process) supervise(ctx context.Context) {
	defer close(p.done)
	go p.heed(p.streams.out)
	go p.heed(p.streams.err)
	var inputFailed <-chan error
	if p.streams.input != nil {
		inputFailed = p.streams.input.Failed()
	}
	var cause error
	select {
	case <-p.s.ended():
	case <-ctx.Done():
		cause = context.Cause(ctx)
	case <-p.c.closing:
		cause = p.c.closedWhy()
	case err := <-inputFailed:
		cause = fmt.Errorf("ssh: standard input: %w", err)
	}
	select {
	case <-p.s.ended(): // it ended by itself, whatever else happened
		cause = nil
	default:
	}
	p.err = cause
	if cause != nil {
		if err := p.end(); err != nil {
			p.err = errors.Join(cause, err)
		}
	}
	select {
	case <-p.s.ended():
		p.outcome = p.s.outcome()
	default: // it resists even KILL, or the link is frozen
	}
	if p.outcome.State == backends.Unknown {
		p.err = errors.Join(p.err, p.whyUnknown())
		p.streams.abandon()
		return
	}
	p.notice = p.streams.finish(p.c.caughtUp)
}

// OutputNotice says what [backends.OutputNotice] says of the program.
func (p *process) OutputNotice() string {
	<-p.done
	return p.notice
}

// errNoStatus says that the server kept an outcome to itself.
var errNoStatus = errors.New("ssh: the server did not say how the program ended")

func (p *process) whyUnknown() error {
	p.c.settle()
	return p.c.reason(errNoStatus)
}

// endTime is how long the other side may take to end a program: politely, and by
// force.
const endTime = 2*backends.KillDelay + 5*time.Second

// handTime is how long ending a program waits for a remote shell.
const handTime = 5 * time.Second

// end makes the program and everything in its session end.
func (p *process) end() error {
	ctx, cancel := p.c.limited(endTime)
	defer cancel()
	soon, stop := context.WithTimeout(ctx, handTime)
	defer stop()
	a, err := p.c.remoteShell(soon)
	if err == nil {
		err = a.end(ctx, p.group, p.sid, p.polite)
	} else if ctx.Err() == nil {
		err = p.bySession(string(p.polite), "KILL")
	}
	select {
	case <-p.s.ended(): // the server tells before or just after
	case <-time.After(time.Second):
	}
	if err != nil {
		return fmt.Errorf("ssh: end the program: %w", p.c.reason(err))
	}
	return nil
}

// heed gives the program EPIPE when its output is not wanted any more.
func (p *process) heed(d *drain) {
	select {
	case <-d.done:
		return
	case <-d.failed:
	}
	if d == p.streams.out && p.s.refuseOutput() {
		return
	}
	_ = p.Signal("PIPE") // it goes on then, and nobody listens
}

// terminal is a program on a pseudo terminal.
type terminal struct{ *process }

var _ backends.Terminal = terminal{}

// defaultTerm is the kind of terminal where Command.Env has no TERM.
const defaultTerm = "xterm-256color"

// Terminal implements [backends.Target].
func (c *Conn) Terminal(ctx context.Context, cmd backends.Command, size backends.Size) (backends.Terminal, error) {
	if cmd.Stdin != nil || cmd.Stderr != nil {
		return nil, errors.New("ssh: a terminal has one stream: Stdin and Stderr must be nil")
	}
	if err := posix.CheckSize(size); err != nil {
		return nil, fmt.Errorf("ssh: %w", err)
	}
	t := &terminalRequest{term: defaultTerm, size: size}
	for _, kv := range cmd.Env {
		if value, ok := strings.CutPrefix(kv, "TERM="); ok {
			t.term = value
		}
	}
	p, err := c.start(ctx, cmd, t)
	if err != nil {
		return nil, err
	}
	return terminal{p}, nil
}

// errEnded is the error of keys for a program that has ended.
var errEnded = errors.New("the program has ended")

// Write implements [backends.Terminal].
func (t terminal) Write(p []byte) (int, error) {
	select {
	case <-t.s.ended():
		return 0, fmt.Errorf("ssh: type into the terminal: %w", errEnded)
	default:
	}
	n, err := t.s.Write(p)
	if err != nil {
		return n, fmt.Errorf("ssh: type into the terminal: %w", t.c.reason(err))
	}
	return n, nil
}

// Resize implements [backends.Terminal].
func (t terminal) Resize(size backends.Size) error {
	if err := posix.CheckSize(size); err != nil {
		return fmt.Errorf("ssh: %w", err)
	}
	ctx, cancel := t.c.limited(signalTime)
	defer cancel()
	_, err := posix.Interruptible(ctx, func() (struct{}, error) { return struct{}{}, t.s.resize(size) }, func(struct{}) {})
	if err != nil {
		return fmt.Errorf("ssh: resize the terminal: %w", t.c.reason(err))
	}
	return nil
}
