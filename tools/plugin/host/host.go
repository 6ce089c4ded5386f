package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Limits bound a plugin's process. A zero field means its default.
type Limits struct {
	Memory int64         // bytes of memory beyond what an idle process has; 64 MiB
	CPU    time.Duration // of a process, from its start to its end; 5 minutes
	Call   time.Duration // of computing in one call; 10 s
	Start  time.Duration // from the start of a process to its first answer; 30 s
	Grace  time.Duration // from a call's cancellation to the end of the process; 2 s
	Output int           // bytes that it may write in one call; 4 MiB
}

func (l Limits) orDefault() Limits {
	d := Limits{Memory: 64 << 20, CPU: 5 * time.Minute, Call: 10 * time.Second, Start: 30 * time.Second, Grace: 2 * time.Second, Output: 4 << 20}
	if l.Memory > 0 {
		d.Memory = l.Memory
	}
	if l.Output > 0 {
		d.Output = l.Output
	}
	for _, one := range []struct{ set, into *time.Duration }{{&l.CPU, &d.CPU}, {&l.Call, &d.Call}, {&l.Start, &d.Start}, {&l.Grace, &d.Grace}} {
		if *one.set > 0 {
			*one.into = *one.set
		}
	}
	return d
}

// Options say what a host runs.
type Options struct {
	// Program is what to start: a path and arguments.
	Program []string
	// Env is the process's environment.
	Env []string
	// Start is the parameter of the first call, "start", that a new process gets.
	Start func(Limits) any
	// Told is told what the process says without being asked. It must be quick.
	Told   func(method string, params json.RawMessage)
	Limits Limits
	// Pause is how long to wait before the start that follows n failures in a row; nil
	// means 100 ms, doubled with each, at most 30 s.
	Pause func(n int) time.Duration
}

// Effects answers what a process asks for during a call. The answer is JSON's; the text
// of an error is what the plugin's code is told.
type Effects func(ctx context.Context, method string, params json.RawMessage) (any, error)

// Host is a plugin's process, started when it is first called. It is safe for concurrent
// use.
type Host struct {
	o Options

	mu       sync.Mutex
	running  *process
	starting chan struct{} // closed when a start has ended; nil: none goes on
	failures int           // in a row
	earliest time.Time     // of the next start
	last     error         // why the last process ended
	closed   bool
}

// New returns a host. No process is started yet.
func New(o Options) *Host {
	o.Limits = o.Limits.orDefault()
	if o.Pause == nil {
		o.Pause = func(n int) time.Duration { return min(100*time.Millisecond<<min(n-1, 10), 30*time.Second) }
	}
	if o.Told == nil {
		o.Told = func(string, json.RawMessage) {}
	}
	return &Host{o: o}
}

// ErrClosed means that the host was closed.
var ErrClosed = errors.New("the plugin's process was closed")

// Start starts the process if none runs, and returns what it answered to "start" in into,
// which may be nil.
func (h *Host) Start(ctx context.Context, into any) error {
	p, err := h.process(ctx)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(p.started, into)
}

// Call calls the process and decodes its answer into into. An error is a [*Fault] of the
// plugin's code, an [*Ended], the cause of ctx's end, or what is in the way of a start.
func (h *Host) Call(ctx context.Context, method string, params, into any, effects Effects) error {
	p, err := h.process(ctx)
	if err != nil {
		return err
	}
	result, err := p.call(ctx, method, params, effects, h.o.Limits.Call)
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.failures = 0
	h.mu.Unlock()
	return json.Unmarshal(result, into)
}

// Pid is the id of the process that runs; 0 if none does.
func (h *Host) Pid() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running == nil || h.running.over() {
		return 0
	}
	return h.running.cmd.Process.Pid
}

// Close ends the process, for good.
func (h *Host) Close() {
	h.mu.Lock()
	h.closed = true
	p, starting := h.running, h.starting
	h.mu.Unlock()
	if p != nil {
		p.end(&Ended{ErrClosed.Error()})
	}
	if starting != nil {
		<-starting
	}
}

// process is the one that runs, started if need be.
func (h *Host) process(ctx context.Context) (*process, error) {
	for {
		h.mu.Lock()
		switch {
		case h.closed:
			h.mu.Unlock()
			return nil, ErrClosed
		case h.starting != nil:
			starting := h.starting
			h.mu.Unlock()
			select {
			case <-starting:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
			continue
		case h.running != nil && !h.running.over():
			p := h.running
			h.mu.Unlock()
			return p, nil
		}
		if h.running != nil { // it has ended since
			h.failed(h.running.why())
			h.running = nil
		}
		if wait := time.Until(h.earliest); wait > 0 {
			err := fmt.Errorf("it is started again in %s at the earliest; %w", wait.Round(10*time.Millisecond), h.last)
			h.mu.Unlock()
			return nil, err
		}
		done := make(chan struct{})
		h.starting = done
		h.mu.Unlock()
		p, err := launch(h.o, h.adopt)
		h.mu.Lock()
		h.starting = nil
		if err != nil {
			h.running = nil
			h.failed(err)
		}
		h.mu.Unlock()
		close(done)
		return p, err
	}
}

// adopt makes a process that starts the one that Close ends.
func (h *Host) adopt(p *process) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running = p
	return !h.closed
}

// failed notes a failure. The caller holds mu.
func (h *Host) failed(why error) {
	h.failures++
	h.last = why
	h.earliest = time.Now().Add(h.o.Pause(h.failures))
}
