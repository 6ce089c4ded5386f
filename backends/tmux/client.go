package tmux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

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
	// "pause", "window-close"…
	Notify(name, args string)
}

// CommandError says that tmux refused a command.
type CommandError struct {
	Command string // as it was sent
	Message string // tmux's words
}

func (e *CommandError) Error() string {
	return fmt.Sprintf("tmux: %s: %s", clip(e.Command), e.Message)
}

// ErrGone is the error of commands on a client whose connection to tmux has
// ended, because the session or the server ended or the link was lost.
var ErrGone = errors.New("tmux: the connection to the session is gone")

// Client is a control mode connection to one session. It is safe for
// concurrent use. Commands are answered in the order in which they were sent.
type Client struct {
	version Version
	proc    backends.Process
	cancel  context.CancelFunc
	in      *inlet
	to      Handler

	mu      sync.Mutex
	waiting []*sequence
	ended   bool

	attached chan struct{} // closed at the first sign of life
	once     sync.Once
	done     chan struct{}
	err      error  // why it ended; set before done is closed
	exit     string // what %exit said
	stderr   tail
}

// sequence is one line of commands and what to do with the replies to it.
type sequence struct {
	commands []string
	replies  [][]string
	// sure tells how many lines the next reply surely has.
	sure func(replies [][]string) int
	then func(replies [][]string, err error)
}

// attach starts a client with the given command line.
func attach(ctx context.Context, target backends.Target, argv []string, to Handler) (*Client, error) {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c := &Client{
		cancel:   cancel,
		in:       newInlet(),
		to:       to,
		attached: make(chan struct{}),
		done:     make(chan struct{}),
	}
	proc, err := target.Exec(life, backends.Command{
		Argv:   argv,
		Stdin:  c.in,
		Stdout: &parser{to: (*stream)(c)},
		Stderr: &c.stderr,
	})
	if err != nil {
		cancel()
		c.in.close()
		return nil, fmt.Errorf("tmux: attach: %w", err)
	}
	c.proc = proc
	go c.watch()
	select {
	case <-c.attached:
		return c, nil
	case <-c.done:
		return nil, c.err
	case <-ctx.Done():
		c.Close()
		return nil, fmt.Errorf("tmux: attach: %w", context.Cause(ctx))
	}
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

// Close detaches from the session, which goes on, and returns when the
// connection has ended.
func (c *Client) Close() {
	c.in.close()
	c.cancel()
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
	for _, argv := range commands {
		s.commands = append(s.commands, commandLine(argv))
	}
	c.mu.Lock()
	if !c.ended {
		c.waiting = append(c.waiting, s)
		c.in.put(strings.Join(s.commands, " ; ") + "\n")
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
	c.cancel()
	c.mu.Lock()
	c.ended = true
	waiting := c.waiting
	c.waiting = nil
	why := c.exit
	c.mu.Unlock()
	switch said := strings.TrimSpace(c.stderr.String()); {
	case said != "":
		c.err = fmt.Errorf("%w: %s", ErrGone, said)
	case why != "":
		c.err = fmt.Errorf("%w: %s", ErrGone, why)
	case err != nil:
		c.err = fmt.Errorf("%w: %w", ErrGone, err)
	default:
		c.err = fmt.Errorf("%w (%s)", ErrGone, outcome)
	}
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
