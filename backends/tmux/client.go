package tmux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nod-console/nod/backends"
)

// Handler receives what happens in a session, in the order of tmux's stream.
// Its methods are called on the goroutine that reads from tmux: they must not
// block, and must not call [Client.Do].
type Handler interface {
	// Output is what the program in a pane ("%3") has written. data is valid
	// during the call.
	Output(pane string, data []byte)
	// Notify is any other notification, its name without "%": "layout-change",
	// "pause", "window-close"… One of this package's own is "pane-died", of a
	// pane whose program has ended: within seconds, later on a slow link.
	Notify(name, args string)
}

// CommandError says that tmux refused a command.
type CommandError struct {
	Command string // as it was sent
	Message string // tmux's words
}

// Error implements error.
func (e *CommandError) Error() string {
	return fmt.Sprintf("tmux: %s: %s", clip(e.Command), e.Message)
}

// ErrGone is the error of commands on a client whose connection to tmux has
// ended, because the session or the server ended or the link was lost.
var ErrGone = errors.New("tmux: the connection to the session is gone")

// Client is a control mode connection to one session. It is safe for
// concurrent use. Commands are answered in the order in which they were sent.
//
// Where control mode does not work, it stands on single tmux commands: see
// [Server.Poll].
type Client struct {
	server  *Server
	version Version
	session string   // set by Server.attach
	shared  bool     // the session is not nod's
	plain   *polling // instead of proc and in
	proc    backends.Process
	life    context.Context
	cancel  context.CancelCauseFunc
	in      *inlet
	to      Handler

	heard    atomic.Int64 // when tmux last said something, in nanoseconds
	watchdog *time.Timer
	doubting sync.WaitGroup

	mu      sync.Mutex
	waiting []*sequence
	ended   bool
	vigil   *time.Timer   // until the next question to the panes; nil while one is open, see keepVigil
	size    backends.Size // that Resize was last given

	attached chan struct{} // closed at the first sign of life
	once     sync.Once
	done     chan struct{}
	err      error  // why it ended; set before done is closed
	exit     string // what %exit said
	stderr   tail
}

// sequence is one line of commands and what to do with the replies to it.
type sequence struct {
	argv     [][]string
	commands []string
	asked    int64 // when, in nanoseconds
	replies  [][]string
	// sure tells how many lines the next reply surely has.
	sure func(replies [][]string) int
	then func(replies [][]string, err error)
}

// start starts a control mode client with the given command line.
func start(ctx context.Context, server *Server, argv []string, to Handler) (*Client, error) {
	c := newClient(ctx, server, to)
	c.in = newInlet()
	proc, err := server.target.Exec(c.life, backends.Command{
		Argv:   argv,
		Env:    []string{"TERM=" + server.badge},
		Stdin:  c.in,
		Stdout: &hearing{c, parser{to: (*stream)(c)}},
		Stderr: &c.stderr,
	})
	if err != nil {
		c.cancel(nil)
		c.in.close()
		return nil, fmt.Errorf("tmux: attach: %w", err)
	}
	c.proc = proc
	go c.watch()
	return c, nil
}

func newClient(ctx context.Context, server *Server, to Handler) *Client {
	c := &Client{
		server:   server,
		version:  server.version,
		to:       to,
		attached: make(chan struct{}),
		done:     make(chan struct{}),
	}
	c.life, c.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	return c
}

// hearing notes when tmux says something.
type hearing struct {
	c *Client
	parser
}

func (h *hearing) Write(p []byte) (int, error) {
	h.c.heard.Store(time.Now().UnixNano())
	return h.parser.Write(p)
}

// silence is how long tmux may leave a command without an answer, or any other
// word, before it is asked in plain mode whether it is there at all.
const silence = 5 * time.Second

// doubt ends a connection on which tmux does not answer any more although it
// does on another one.
func (c *Client) doubt() {
	c.mu.Lock()
	if c.ended || len(c.waiting) == 0 {
		c.watchdog = nil
		c.mu.Unlock()
		return
	}
	now := time.Now().UnixNano()
	quiet := time.Duration(now - max(c.heard.Load(), c.waiting[0].asked))
	if quiet < silence {
		c.watchdog.Reset(silence - quiet)
		c.mu.Unlock()
		return
	}
	c.doubting.Add(1)
	c.mu.Unlock()
	go func() {
		defer c.doubting.Done()
		if c.server.answers(c.life) && c.heard.Load() < now {
			c.cancel(ErrNoControl)
			return
		}
		c.mu.Lock()
		if !c.ended {
			c.watchdog.Reset(silence)
		}
		c.mu.Unlock()
	}()
}

// Done is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err says why the connection ended. It is nil before that.
func (c *Client) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

// closeGrace is how long the client's process may take to be gone.
const closeGrace = 250 * time.Millisecond

// Close detaches from the session, which goes on, and returns when the
// connection has ended.
//
// How the client ends matters, for tmux has two ways to end as a whole with it.
// One that is attached is killed: when its standard input ends while it has output
// to take that the panes go on with, the server may take that output for lost and
// stop with "fatal: not enough data" (3.3a: one time in ten). One that is killed
// before it has said all about itself takes the server along, too (up to 3.6), so
// that one is told by the end of its input.
func (c *Client) Close() {
	if c.in != nil {
		select {
		case <-c.attached:
			go func() { _ = c.proc.Signal("KILL") }() // it may be gone, and a frozen link keeps the caller waiting
		default:
			c.in.close()
		}
		select {
		case <-c.done:
		case <-time.After(closeGrace):
		}
	}
	c.cancel(nil)
	<-c.done
}

// Do runs one command and returns the lines of its reply. The error is a
// *CommandError if tmux refused it and ErrGone if the connection ended, in
// which case the command may or may not have run.
func (c *Client) Do(ctx context.Context, argv ...string) ([]string, error) {
	type answer struct {
		lines []string
		err   error
	}
	got := make(chan answer, 1)
	c.Queue(func(replies [][]string, err error) {
		if err != nil {
			got <- answer{err: err}
			return
		}
		got <- answer{lines: replies[0]}
	}, argv)
	select {
	case a := <-got:
		return a.lines, a.err
	case <-ctx.Done():
		return nil, fmt.Errorf("tmux: %s: %w", clip(commandLine(argv)), context.Cause(ctx))
	}
}

// Queue sends commands that tmux runs as one, with nothing in between, and
// returns at once. then (which may be nil) is called on the reading goroutine
// at the exact place of the last reply in the stream, with the lines of all
// replies. A refused command stops the ones behind it and gives a
// *CommandError. If the connection ends before the reply, then is called with
// ErrGone on another goroutine.
func (c *Client) Queue(then func(replies [][]string, err error), commands ...[]string) {
	c.queue(&sequence{then: then}, commands)
}

func (c *Client) queue(s *sequence, commands [][]string) {
	s.argv, s.asked = commands, time.Now().UnixNano()
	for _, argv := range commands {
		s.commands = append(s.commands, commandLine(argv))
	}
	c.mu.Lock()
	if !c.ended {
		c.waiting = append(c.waiting, s)
		if c.plain != nil {
			c.plain.wake()
		} else {
			c.in.put(strings.Join(s.commands, " ; ") + "\n")
			if c.watchdog == nil {
				c.watchdog = time.AfterFunc(silence, c.doubt)
			}
			if c.vigil != nil {
				c.vigil.Reset(vigilPause)
			}
		}
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	go s.finish(ErrGone) // the caller may hold what then needs
}

func (s *sequence) finish(err error) {
	if s.then != nil {
		s.then(s.replies, err)
	}
}

// watch waits for the end of the process and tells everybody who waits.
func (c *Client) watch() {
	outcome, err := c.proc.Wait()
	c.in.close()
	c.mu.Lock()
	why := c.exit
	c.mu.Unlock()
	doubts := context.Cause(c.life)
	switch said := strings.TrimSpace(c.stderr.String()); {
	case errors.Is(doubts, ErrNoControl):
		err = fmt.Errorf("%w: %w", ErrGone, doubts)
	case said != "":
		err = fmt.Errorf("%w: %s", ErrGone, said)
	case why != "":
		err = fmt.Errorf("%w: %s", ErrGone, why)
	case err != nil:
		err = fmt.Errorf("%w: %w", ErrGone, err)
	default:
		err = fmt.Errorf("%w (%s)", ErrGone, outcome)
	}
	c.end(err)
}

// end tells everybody who waits that the connection has ended.
func (c *Client) end(why error) {
	c.cancel(nil)
	c.mu.Lock()
	c.ended = true
	waiting := c.waiting
	c.waiting = nil
	for _, t := range []*time.Timer{c.watchdog, c.vigil} {
		if t != nil {
			t.Stop()
		}
	}
	c.mu.Unlock()
	c.doubting.Wait()
	c.err = why
	for _, s := range waiting {
		s.finish(c.err)
	}
	close(c.done)
}

// stream is the client as the parser's receiver.
type stream Client

func (s *stream) output(pane string, data []byte) { s.to.Output(pane, data) }

func (s *stream) begin(ours bool) int {
	if !ours {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 || s.waiting[0].sure == nil {
		return 0
	}
	return s.waiting[0].sure(s.waiting[0].replies)
}

func (s *stream) reply(ours, ok bool, lines [][]byte) {
	if !ours {
		return
	}
	s.mu.Lock()
	if len(s.waiting) == 0 {
		s.mu.Unlock()
		return
	}
	q := s.waiting[0]
	text := make([]string, len(lines))
	for i, l := range lines {
		text[i] = string(l)
	}
	var err error
	if ok {
		q.replies = append(q.replies, text)
	} else {
		err = &CommandError{Command: q.commands[len(q.replies)], Message: strings.Join(text, " ")}
	}
	if err == nil && len(q.replies) < len(q.commands) {
		s.mu.Unlock()
		return
	}
	s.waiting = s.waiting[1:]
	s.mu.Unlock()
	q.finish(err)
}

func (s *stream) notify(name, args string) {
	switch name {
	case "exit":
		s.mu.Lock()
		s.exit = args
		s.mu.Unlock()
		return
	case "session-changed":
		s.once.Do(func() { close(s.attached) })
	case "subscription-changed":
		if pane, died := died(args); died {
			s.to.Notify(paneDied, pane)
		}
		return
	}
	s.to.Notify(name, args)
}

// inlet is the client's standard input: put never blocks.
type inlet struct {
	mu     sync.Mutex
	ready  sync.Cond
	held   bytes.Buffer
	closed bool
}

func newInlet() *inlet {
	i := &inlet{}
	i.ready.L = &i.mu
	return i
}

func (i *inlet) put(s string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.closed {
		i.held.WriteString(s)
		i.ready.Signal()
	}
}

// Read implements io.Reader for [backends.Command].
func (i *inlet) Read(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for i.held.Len() == 0 && !i.closed {
		i.ready.Wait()
	}
	return i.held.Read(p) // io.EOF once closed and empty
}

func (i *inlet) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
	i.ready.Broadcast()
}

// tail keeps the end of what a program says on its standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 4096

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if n := len(t.text) - tailSize; n > 0 {
		t.text = append(t.text[:0], t.text[n:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}

// clip shortens a command for an error message.
func clip(s string) string {
	const most = 80
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
