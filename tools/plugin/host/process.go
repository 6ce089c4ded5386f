package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Ended is the error of calls whose process is gone, in a sentence.
type Ended struct{ Text string }

// Error implements error.
func (e *Ended) Error() string { return e.Text }

// deepest is how many calls may stand on top of each other in one process.
const deepest = 8

// process is one run of a plugin's process.
type process struct {
	o       Options
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	stderr  *head
	started json.RawMessage // the answer to "start"
	done    chan struct{}   // closed when it has ended and was waited for

	mu      sync.Mutex
	next    int64
	stack   []*call       // those that go on; the last is the topmost
	active  *call         // the one for which the process computes; nil: none
	changed chan struct{} // closed and replaced when stack or active change
	cause   *Ended        // why nod has ended it
	ended   error         // valid once done is closed
}

// call is one call that goes on.
type call struct {
	id      int64
	events  chan message // its answer, and what is asked for it
	written int          // bytes
}

// launch starts a process and waits for its answer to "start".
func launch(o Options, adopt func(*process) bool) (*process, error) {
	p := &process{o: o, done: make(chan struct{}), changed: make(chan struct{}), stderr: &head{}}
	p.cmd = exec.Command(o.Program[0], o.Program[1:]...) //nolint:gosec // nod itself
	p.cmd.Env, p.cmd.Stderr, p.cmd.Dir = o.Env, p.stderr, "/"
	p.cmd.WaitDelay = time.Second // for what the process's stderr has left
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("its process cannot be started: %w", err)
	}
	go p.read(stdout)
	if !adopt(p) {
		p.end(&Ended{ErrClosed.Error()})
		return nil, ErrClosed
	}
	p.started, err = p.call(context.Background(), "start", o.Start(o.Limits), nil, o.Limits.Start)
	if err != nil {
		p.end(&Ended{err.Error()})
		return nil, err
	}
	return p, nil
}

func (p *process) over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// why is valid once the process is over.
func (p *process) why() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// end kills the process and waits until it is gone. The first cause counts.
func (p *process) end(cause *Ended) {
	p.kill(cause)
	<-p.done
}

func (p *process) kill(cause *Ended) {
	p.mu.Lock()
	if p.cause == nil {
		p.cause = cause
	}
	p.mu.Unlock()
	_ = p.cmd.Process.Kill() // it may have ended by itself
}

// read takes what the process writes until it ends.
func (p *process) read(stdout io.Reader) {
	r := bufio.NewReader(stdout)
	var err error
	for err == nil {
		var m message
		var n int
		if m, n, err = readMessage(r, p.o.Limits.Output); err == nil {
			err = p.take(m, n)
		}
	}
	switch {
	case errors.Is(err, errTooLong):
		p.kill(&Ended{fmt.Sprintf("it wrote more than %s in one call, and was ended", size(int64(p.o.Limits.Output)))})
	case !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed):
		p.kill(&Ended{"it did not keep to the protocol, and was ended: " + err.Error()})
	}
	_ = p.stdin.Close() // a process that has closed its output is of no use
	if errors.Is(err, io.EOF) {
		// Its end follows, unless it has only closed its output.
		late := time.AfterFunc(p.o.Limits.Grace, func() { p.kill(&Ended{"it closed its output, and was ended"}) })
		defer late.Stop()
	}
	waited := p.cmd.Wait()
	p.mu.Lock()
	p.ended = p.epitaph(waited)
	p.mu.Unlock()
	close(p.done)
}

// epitaph says why the process ended. The caller holds mu.
func (p *process) epitaph(waited error) error {
	if p.cause != nil {
		return p.cause
	}
	said := p.stderr.String()
	var exit *exec.ExitError
	if errors.As(waited, &exit) {
		status, _ := exit.Sys().(syscall.WaitStatus)
		switch {
		case strings.Contains(said, "out of memory") || strings.Contains(said, "cannot allocate memory"):
			return &Ended{fmt.Sprintf("it wanted more than %s of memory, and was ended", size(p.o.Limits.Memory))}
		case strings.Contains(said, "stack overflow"):
			return &Ended{"it called itself without end, and was ended"}
		case status.Signaled() && (status.Signal() == syscall.SIGXCPU || status.Signal() == syscall.SIGKILL):
			return &Ended{fmt.Sprintf("it was ended by %s; it may compute for %s in all", status.Signal(), p.o.Limits.CPU)}
		}
	}
	text := "its process ended in the middle of things"
	if waited != nil {
		text += " (" + waited.Error() + ")"
	}
	if line, _, _ := strings.Cut(strings.TrimSpace(said), "\n"); line != "" {
		text += ": " + line
	}
	return &Ended{text}
}

// take hands a message to the call that it belongs to. An error ends the process.
func (p *process) take(m message, n int) error {
	p.mu.Lock()
	c := p.active
	if c != nil {
		c.written += n
		if c.written > p.o.Limits.Output {
			p.mu.Unlock()
			return errTooLong
		}
	}
	p.mu.Unlock()
	switch {
	case c == nil:
		return errors.New("it spoke without having been called")
	case m.Method != "" && m.Call != c.id:
		return fmt.Errorf("it asked for %q in the name of call %d, which it is not in", clip(m.Method), m.Call)
	case m.Method != "" && m.ID == 0:
		p.o.Told(m.Method, m.Params)
		return nil
	case m.Method == "" && m.ID != c.id:
		return fmt.Errorf("it answered call %d, which was not made or is not its turn", m.ID)
	}
	select {
	case c.events <- m:
		return nil
	default:
		return errors.New("it spoke again before it was answered")
	}
}

func clip(text string) string { return text[:min(len(text), 40)] }

// call makes a call. most is how long the process may compute for it.
func (p *process) call(ctx context.Context, method string, params any, effects Effects, most time.Duration) (json.RawMessage, error) {
	text, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	c := &call{events: make(chan message, 1)}
	if err := p.enter(ctx, c); err != nil {
		return nil, err
	}
	defer p.leave(c)
	p.send(message{ID: c.id, Method: method, Params: text})
	left := most
	for {
		began := time.Now()
		m, err := p.await(ctx, c, left, most)
		if err != nil {
			return nil, err
		}
		left -= time.Since(began)
		switch {
		case m.Method != "":
			p.serve(ctx, c, m, effects)
		case m.Error != nil:
			return nil, &Fault{m.Error.Message}
		default:
			return m.Result, nil
		}
	}
}

// send writes to the process. If it does not read, the call's time is up some time; if it
// is gone, that is known soon.
func (p *process) send(m message) { go func() { _ = writeMessage(p.stdin, m) }() }

// serve answers what the process asks for during a call.
func (p *process) serve(ctx context.Context, c *call, m message, effects Effects) {
	p.rest(c)
	var result any
	err := errors.New("this cannot be asked for here")
	if effects != nil {
		result, err = effects(ctx, m.Method, m.Params)
	}
	p.resume(c)
	p.send(answer(m.ID, result, err))
}

// await waits for what the process says in a call. It cancels the call when ctx ends or
// the time is up, and ends a process that does not mind.
func (p *process) await(ctx context.Context, c *call, left, most time.Duration) (message, error) {
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case m := <-c.events:
		return m, nil
	case <-p.done:
		return message{}, p.why()
	case <-ctx.Done():
	case <-timer.C:
	}
	why := context.Cause(ctx)
	if why == nil {
		why = &Ended{fmt.Sprintf("it took longer than %s, and was stopped", most)}
	}
	p.send(message{Method: "cancel", Call: c.id})
	grace := time.NewTimer(p.o.Limits.Grace)
	defer grace.Stop()
	for {
		select {
		case m := <-c.events:
			if m.Method == "" {
				return message{}, why
			}
			p.send(answer(m.ID, nil, errors.New("the call was cancelled")))
			continue
		case <-p.done:
		case <-grace.C:
			p.end(&Ended{why.Error()})
		}
		return message{}, why
	}
}

// enter waits until the process does nothing, and puts c on top of its calls.
func (p *process) enter(ctx context.Context, c *call) error {
	for {
		p.mu.Lock()
		if p.active == nil {
			if len(p.stack) == deepest {
				p.mu.Unlock()
				return fmt.Errorf("it has %d calls to do already", deepest)
			}
			p.next++
			c.id = p.next
			p.stack = append(p.stack, c)
			p.become(c)
			p.mu.Unlock()
			return nil
		}
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-p.done:
			return p.why()
		}
	}
}

// become makes c the active call. The caller holds mu.
func (p *process) become(c *call) {
	p.active = c
	close(p.changed)
	p.changed = make(chan struct{})
}

// rest lets other calls begin while c waits for the parent.
func (p *process) rest(*call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.become(nil)
}

// resume waits until c is on top and the process does nothing.
func (p *process) resume(c *call) {
	for {
		p.mu.Lock()
		if p.active == nil && p.stack[len(p.stack)-1] == c {
			p.become(c)
			p.mu.Unlock()
			return
		}
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-p.done:
			return
		}
	}
}

// leave takes c from the calls.
func (p *process) leave(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.stack {
		if p.stack[i] == c {
			p.stack = append(p.stack[:i], p.stack[i+1:]...)
			break
		}
	}
	p.become(nil)
}

// head keeps the beginning of what is written to it: a runtime says first why it ends.
type head struct {
	mu   sync.Mutex
	text []byte
}

const headBytes = 8 << 10

func (t *head) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text[:min(len(text), headBytes-len(t.text))]...)
	return len(text), nil
}

func (t *head) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}

func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}
