package docker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	_ "embed"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

//go:embed scripts/files.sh
var filesScript string

//go:embed scripts/serve.sh
var serveScript string

// channel is a shell in a container that carries out small commands, one after
// the other: an engine needs about 60 ms for each program that it starts, a shell
// that is there less than one.
type channel struct {
	s     Stream
	nonce string
	done  chan struct{} // closed when nothing more comes

	asking   chan struct{} // has room for the one who asks
	spent    chan struct{} // closed by spend: it takes no more questions
	mu       sync.Mutex
	why      error // why it is spent
	nextID   int
	pending  *pending
	out, err bytes.Buffer
}

// pending is a question without an answer.
type pending struct {
	id     string
	answer chan Answer
	failed error // why there will be none
	code   int
	whole  [2]bool // the marks that have come: of the output, of the error
}

// Answer is what a small command wrote and how it ended.
type Answer struct {
	Stdout, Stderr []byte
	// Code is the shell's $?: above 128, it may stand for a signal.
	Code int
}

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 16 << 20

var (
	errTooMuch   = errors.New("the answer is too long; use Exec")
	errNoChannel = errors.New("the shell in the container has ended")
	// errGivenUp: another question was given up, and the channel with it.
	errGivenUp = errors.New("the shell in the container was given up with another question")
)

// unsentError says that a question never left: asking it again is safe. A line
// that was cut off is not carried out, so that counts, too.
type unsentError struct{ why error }

func (e *unsentError) Error() string { return e.why.Error() }
func (e *unsentError) Unwrap() error { return e.why }

func openChannel(ctx context.Context, e Engine, container string) (*channel, error) {
	nonce := posix.NewNonce()
	x := Exec{Argv: []string{"sh", "-c", posix.Brief(posix.ReadScript) + posix.Brief(filesScript) + serveScript, "sh", nonce}, Stdin: true}
	id, err := e.CreateExec(ctx, container, x)
	if err != nil {
		return nil, err
	}
	s, err := e.StartExec(ctx, id, x)
	if err != nil {
		return nil, err
	}
	return newChannel(s, nonce), nil
}

func newChannel(s Stream, nonce string) *channel {
	c := &channel{s: s, nonce: nonce, done: make(chan struct{}), asking: make(chan struct{}, 1), spent: make(chan struct{})}
	go c.listen()
	return c
}

// spend ends the channel. Whoever has not asked by then is told that nothing was
// sent; nobody begins to ask any more.
func (c *channel) spend(why error) {
	c.mu.Lock()
	if c.why == nil {
		c.why = why
		close(c.spent)
	}
	c.mu.Unlock()
	_ = c.s.Close() // the shell ends with its input
}

// listen reads answers until the shell ends.
func (c *channel) listen() {
	_ = unframe(c.s, make([]byte, 64<<10), func(which byte, p []byte) {
		c.mu.Lock()
		defer c.mu.Unlock()
		q := c.pending
		if q == nil {
			return // of a question that was given up, with which the shell ends
		}
		if which == stderrMark {
			c.err.Write(p)
			q.whole[1] = q.whole[1] || cut(&c.err, "\n"+c.nonce+" "+q.id+"\n")
		} else {
			c.out.Write(p)
			if c.out.Len() > maxAnswer {
				q.failed = errTooMuch
				_ = c.s.Close() // it ends then
				return
			}
			q.whole[0] = q.whole[0] || c.status(q)
		}
		if q.whole[0] && q.whole[1] {
			q.answer <- Answer{Stdout: bytes.Clone(c.out.Bytes()), Stderr: bytes.Clone(c.err.Bytes()), Code: q.code} // has room
			c.pending = nil
		}
	}) // its end says all
	c.spend(errNoChannel)
	close(c.done)
}

// status cuts off the mark that tells the status.
func (c *channel) status(q *pending) bool {
	mark := "\n" + c.nonce + " " + q.id + " "
	b := c.out.Bytes()
	tail := b[max(0, len(b)-len(mark)-8):]
	i := bytes.Index(tail, []byte(mark))
	if i < 0 || tail[len(tail)-1] != '\n' {
		return false
	}
	q.code, _ = strconv.Atoi(strings.TrimSpace(string(tail[i+len(mark):]))) // the shell's $?
	c.out.Truncate(len(b) - len(tail) + i)
	return true
}

// cut cuts a mark off the end.
func cut(b *bytes.Buffer, mark string) bool {
	if !bytes.HasSuffix(b.Bytes(), []byte(mark)) {
		return false
	}
	b.Truncate(b.Len() - len(mark))
	return true
}

// word quotes an argument so that it stays in one line.
func word(w string) string { return strings.ReplaceAll(posix.Quote(w), "\n", `'"$L"'`) }

// ask runs a command and returns what it wrote. A question that is given up ends
// the channel, and with it what it runs. The error is *unsentError if the channel
// was spent before the question left.
func (c *channel) ask(ctx context.Context, argv ...string) (Answer, error) {
	select {
	case c.asking <- struct{}{}:
		defer func() { <-c.asking }()
	case <-c.spent:
		return Answer{}, &unsentError{c.reason()}
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
	q := &pending{answer: make(chan Answer, 1)}
	c.mu.Lock()
	if c.why != nil { // room and end may come at once
		c.mu.Unlock()
		return Answer{}, &unsentError{c.reason()}
	}
	c.nextID++
	q.id = strconv.Itoa(c.nextID)
	c.out.Reset()
	c.err.Reset()
	c.pending = q
	c.mu.Unlock()
	line := "ask " + q.id
	for _, a := range argv {
		line += " " + word(a)
	}
	_, err := posix.Interruptible(ctx, func() (int, error) { return c.s.Write([]byte(line + "\n")) }, func(int) {})
	switch {
	case ctx.Err() != nil:
		c.spend(errGivenUp) // the answer would be taken for the next one's
		return Answer{}, context.Cause(ctx)
	case err != nil:
		c.spend(errNoChannel)
		return Answer{}, &unsentError{fmt.Errorf("%w: %w", c.reason(), err)}
	}
	select {
	case a := <-q.answer:
		return a, nil
	case <-c.done:
	case <-ctx.Done():
		c.spend(errGivenUp)
		return Answer{}, context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if q.failed != nil {
		return Answer{}, q.failed
	}
	return Answer{}, c.why
}

// reason is why the channel is spent.
func (c *channel) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why
}

// alive reports whether it may still be asked.
func (c *channel) alive() bool { return c.reason() == nil }

func (c *channel) close() {
	c.spend(errNoChannel)
	<-c.done
}

// Ask runs a small command over a connection that stays open: in less than a
// millisecond instead of the 60 or so that an engine needs to start a program. Its
// output is held in memory; commands of one target run one after the other. A
// context that ends takes the connection with it: the command ends when it next
// writes, and the next question gets a new connection. A connection that is lost
// under a question has it asked again, so a command may run twice: Ask is for looks
// that are repeated, not for what somebody asked to run.
func (t *Target) Ask(ctx context.Context, argv ...string) (Answer, error) {
	if err := posix.Check(backends.Command{Argv: argv}); err != nil {
		return Answer{}, fmt.Errorf("docker: %w", err)
	}
	return t.ask(ctx, append([]string{"command"}, argv...)...)
}

// ask asks over the channel of this moment. A channel that somebody else has given
// up meanwhile costs nothing but the way to the next one; one that has ended by
// itself since it was last used is replaced once: what is asked changes nothing.
func (t *Target) ask(ctx context.Context, argv ...string) (Answer, error) {
	for lost := 0; ; {
		if ctx.Err() != nil {
			return Answer{}, context.Cause(ctx)
		}
		c, fresh, err := t.speak(ctx)
		if err != nil {
			return Answer{}, err
		}
		a, err := c.ask(ctx, argv...)
		if unsent := (*unsentError)(nil); errors.As(err, &unsent) && errors.Is(err, errGivenUp) {
			continue // as often as others give up
		}
		if errors.Is(err, errNoChannel) && !fresh && lost == 0 {
			lost++
			continue
		}
		if err != nil && ctx.Err() == nil {
			err = t.explain(ctx, err)
		}
		return a, err
	}
}

// speak returns the channel, a new one if the last has ended.
func (t *Target) speak(ctx context.Context) (c *channel, fresh bool, err error) {
	l, err := t.alive(ctx)
	if err != nil {
		return nil, false, err
	}
	if l.remote == nil {
		return nil, false, l.why
	}
	select {
	case t.opening <- struct{}{}:
		defer func() { <-t.opening }()
	case <-ctx.Done():
		return nil, false, context.Cause(ctx)
	}
	t.mu.Lock()
	c = t.channel
	t.mu.Unlock()
	if c != nil && c.alive() {
		return c, false, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, errors.New("the engine does not start a shell in time"))
	defer cancel()
	if c, err = openChannel(ctx, t.engine, t.id); err != nil {
		return nil, false, t.explain(ctx, err)
	}
	t.mu.Lock()
	select {
	case <-t.closing:
		err = ErrClosed
	default:
		t.channel = c
	}
	t.mu.Unlock()
	if err != nil {
		c.close()
		return nil, false, fmt.Errorf("%s: %w", t.name, err)
	}
	return c, true, nil
}
