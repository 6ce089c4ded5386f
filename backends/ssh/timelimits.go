package ssh

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nod-console/nod/backends/posix"
)

// within runs a call that cannot be interrupted, for at most limit. If it comes
// too late, drop gets its result.
func within[T any](ctx context.Context, limit time.Duration, call func() (T, error), drop func(T)) (T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: nothing within %s", ErrTimeout, limit))
	defer cancel()
	return posix.Interruptible(ctx, call, drop)
}

// overdue returns a channel that is closed when an answer does not come that the
// other side has had limit to give: since the question has arrived, and with the
// time that the answer takes to come back. On a slow link, or behind much else,
// both can take long, so the server's answers to other questions tell of them:
// they come in order. A link on which nothing at all comes is given up after openTime,
// if limit is longer. ctx ends the waiting.
func overdue(ctx context.Context, l peer, limit time.Duration) <-chan struct{} {
	late := make(chan struct{})
	go func() {
		lazy := min(limit/10, lazyTime) // most answers are here by then
		for _, pause := range []time.Duration{lazy, limit - lazy} {
			if !sleep(ctx, pause) || !echo(ctx, l, min(limit, openTime)) {
				break
			}
		}
		if ctx.Err() == nil {
			close(late)
		}
	}()
	return late
}

// lazyTime is how long an answer may take before anything is asked about it.
const lazyTime = 2 * time.Second

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// echo returns when the other side has answered all that was asked before. It
// is false if ctx ends, the link does, or there is no sign of life for limit.
func echo(ctx context.Context, l peer, limit time.Duration) bool {
	type reply struct {
		all bool
		err error
	}
	answer := make(chan reply, 1)
	ask := func() { // ends with the link
		all, err := l.ping()
		answer <- reply{all, err}
	}
	go ask()
	look := time.NewTicker(limit / 10)
	defer look.Stop()
	seen, silent := l.signs(), 0
	for silent < 10 {
		select {
		case <-ctx.Done():
			return false
		case r := <-answer:
			if r.err != nil || r.all {
				return r.err == nil
			}
			silent = 0
			go ask()
		case <-look.C:
			silent++
			if now := l.signs(); now != seen {
				seen, silent = now, 0
			}
		}
	}
	return false
}

// limited ends a context when what is asked now is overdue.
func limited(ctx context.Context, l peer, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	late := overdue(ctx, l, limit)
	go func() {
		select {
		case <-late:
			cancel(fmt.Errorf("%w: nothing within %s", ErrTimeout, limit))
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// slowest is the slowest link that a login is waited for on, in bytes per
// second. Who lets others wait on purpose sends less.
const slowest = 100

// patience ends something that takes too long, but not while a human thinks, nor
// while much comes: the limit is for what a link at its slowest would not carry.
type patience struct {
	limit time.Duration
	moved func() int64 // bytes so far
	end   func()

	mu    sync.Mutex
	timer *time.Timer
	paid  int64 // bytes for which there was more time
	out   bool
}

func newPatience(limit time.Duration, moved func() int64, end func()) *patience {
	p := &patience{limit: limit, moved: moved, end: end}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paid = moved()
	p.timer = time.AfterFunc(limit, p.fire)
	return p
}

func (p *patience) fire() {
	if p.again() {
		return
	}
	p.end()
}

// again gives more time for what has come, or notes that time is up.
func (p *patience) again() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	came := p.moved() - p.paid
	p.paid += came
	more := time.Duration(came) * time.Second / slowest
	if more < time.Second {
		p.out = true
		return false
	}
	p.timer.Reset(min(more, p.limit))
	return true
}

// pause stops the clock until resume is called, which winds it up again.
func (p *patience) pause() (resume func()) {
	p.timer.Stop()
	return func() { p.timer.Reset(p.limit) }
}

func (p *patience) stop() { p.timer.Stop() }

func (p *patience) ranOut() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out
}
