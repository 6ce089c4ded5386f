package docker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nod-console/nod/backends"
)

// supervise sees the program to its end. It returns when Wait does.
func (p *process) supervise(ctx context.Context) {
	defer close(p.done)
	go p.heed(p.out.out)
	if p.out.err != p.out.out {
		go p.heed(p.out.err)
	}
	var inputFailed <-chan error
	if p.in != nil {
		inputFailed = p.in.Failed()
	}
	var cause error
	select {
	case <-p.ended:
	case <-ctx.Done():
		cause = context.Cause(ctx)
	case <-p.t.closing:
		cause = ErrClosed
	case err := <-inputFailed:
		cause = fmt.Errorf("docker: standard input: %w", err)
	}
	select {
	case <-p.ended: // it ended by itself, whatever else happened
		cause = nil
	default:
	}
	p.err = cause
	if cause != nil {
		if err := p.end(); err != nil {
			p.err = errors.Join(cause, err)
		}
	}
	if p.in != nil {
		p.in.Stop()
	}
	select {
	case <-p.ended:
		p.result = p.told
		if p.why != nil {
			p.err = errors.Join(p.err, p.why)
		}
		p.notice = p.out.finish(p.answered())
	default: // it resists even KILL, or the container is frozen
		p.out.abandon()
	}
}

// answered returns a channel that is closed when the container has answered.
func (p *process) answered() <-chan struct{} {
	c := make(chan struct{})
	if p.remote == nil {
		close(c)
		return c
	}
	p.t.running.Add(1) // still held by our caller
	go func() {
		defer p.t.running.Done()
		defer close(c)
		ctx, cancel := context.WithTimeout(context.Background(), stuckWrite)
		defer cancel()
		_, _ = p.remote.Ask(ctx, "ping") // whatever it says, or that it is gone
	}()
	return c
}

// steps is how many looks of 50 ms make up KillDelay.
const steps = int(backends.KillDelay / (50 * time.Millisecond))

// endTime bounds the end of a program: polite, forced, and what a busy machine
// adds.
const endTime = 2*backends.KillDelay + 15*time.Second

// end makes the program and everything in its session end.
func (p *process) end() error {
	if p.remote == nil {
		return p.letGo()
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	answer, err := p.ask(ctx, "end", p.pid, p.group, p.sid, p.waiter, string(p.polite), strconv.Itoa(steps))
	var state *StateError
	if err == nil || !errors.As(err, &state) {
		select {
		case <-p.ended: // told at once
		case <-time.After(askTime):
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("docker: end the program: %w", p.t.explain(ctx, err))
	case answer != "ok":
		return fmt.Errorf("docker: end the program: something in its session (%s) does not end", p.sid)
	}
	return nil
}

// heed tells the program, which cannot be given EPIPE from here, that its output
// is not wanted any more.
func (p *process) heed(s *sink) {
	select {
	case <-p.done:
	case <-p.ended:
	case <-s.failed:
		_ = p.Signal("PIPE") // else it goes on, and nobody listens
	}
}
