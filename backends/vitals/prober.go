package vitals

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nod-console/nod/backends"
)

const (
	// Every is the time between two looks at a host.
	Every = 10 * time.Second
	// Slowest is the time between two looks where looks fail.
	Slowest = 5 * time.Minute
	// Limit bounds a look.
	Limit = 8 * time.Second
)

// maxAnswer bounds what is kept of an answer, in bytes. df of a host with hundreds of
// containers is longer than people expect.
const maxAnswer = 64 << 10

const linux = "cat /proc/loadavg /proc/meminfo /sys/devices/system/cpu/online"

// Looks are the commands that a Prober runs: the first, and where that does not tell
// everything, the second.
var Looks = [2]string{
	linux + "; df -Pkl",
	linux + "; sysctl hw.ncpu; uptime; df -Pk",
}

// Reading is what one look at a host found.
type Reading struct {
	Figures
	At      time.Time     // when the answer was complete
	Latency time.Duration // to the first byte of the answer; 0: there was none
	// Err says why there are no figures. It is a *LookError, or the target's own.
	Err error
}

// LookError says that a host has answered nothing that can be read.
type LookError struct {
	Target  string
	Outcome backends.Outcome // of the command
}

func (e *LookError) Error() string {
	return fmt.Sprintf("%s does not tell how it does: the look at it ended with %s and no figures", e.Target, e.Outcome)
}

// errLimit is the cause of the end of a look that took too long.
var errLimit = fmt.Errorf("no answer within %s", Limit)

// errLost is the cause of the end of a look whose link was lost.
var errLost = errors.New("the link was lost")

// Prober looks at one host now and then. Its fields belong to the caller until Run is
// called, and to Run from then on.
type Prober struct {
	Target backends.Target
	// Stands reports whether the host can be asked now; changed is closed when that may
	// be otherwise, and nil where it never is. Nil: it always can.
	Stands func() (ok bool, changed <-chan struct{})
	// Slots bounds the looks at all hosts at a time: a look holds one of its places.
	// Nil: nothing does.
	Slots chan struct{}

	look     int // index in Looks
	failures int // looks in a row that found nothing
}

// Run looks at the host until ctx ends, and tells what each look found. It returns when
// the last look is over.
func (p *Prober) Run(ctx context.Context, told func(Reading)) {
	for ctx.Err() == nil {
		ok, changed := p.stands()
		if !ok {
			select {
			case <-changed:
			case <-ctx.Done():
			}
			continue
		}
		if r, done := p.once(ctx, changed); done {
			told(r)
		}
		wait := time.NewTimer(untilSecond(p.pause()))
		select {
		case <-wait.C:
		case <-changed:
			p.failures = 0 // of another link
			p.rest(ctx)
		case <-ctx.Done():
		}
		wait.Stop()
	}
}

// untilSecond is a pause that ends with a second of the clock: a hundred hosts that are
// each asked at their own moments wake the processor more often.
func untilSecond(pause time.Duration) time.Duration {
	now := time.Now()
	return now.Add(pause).Round(time.Second).Sub(now)
}

// rest keeps looks apart although the link changes often.
func (p *Prober) rest(ctx context.Context) {
	select {
	case <-time.After(Every):
	case <-ctx.Done():
	}
}

func (p *Prober) stands() (ok bool, changed <-chan struct{}) {
	if p.Stands == nil {
		return true, nil
	}
	return p.Stands()
}

// pause is the time to the next look: twice as long after each that found nothing.
func (p *Prober) pause() time.Duration {
	return min(Every<<min(p.failures, 10), Slowest)
}

// once looks at the host, unless ctx ends before. A look that is cut off by the end of
// ctx or of the link has found nothing and is not told.
func (p *Prober) once(ctx context.Context, changed <-chan struct{}) (Reading, bool) {
	if p.Slots != nil {
		select {
		case p.Slots <- struct{}{}:
			defer func() { <-p.Slots }()
		case <-ctx.Done():
			return Reading{}, false
		}
	}
	bounded, cancel := context.WithTimeoutCause(ctx, Limit, errLimit)
	defer cancel()
	bounded, lose := context.WithCancelCause(bounded)
	defer lose(nil)
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { p.watchLink(changed, over, lose) })
	r := p.ask(bounded)
	close(over)
	watching.Wait()
	if ctx.Err() != nil || errors.Is(context.Cause(bounded), errLost) {
		return Reading{}, false
	}
	if r.Err != nil {
		p.failures++
	} else {
		p.failures = 0
	}
	return r, true
}

// watchLink gives a look up when its link is lost.
func (p *Prober) watchLink(changed <-chan struct{}, over <-chan struct{}, lose context.CancelCauseFunc) {
	for {
		select {
		case <-changed:
		case <-over:
			return
		}
		ok, next := p.stands()
		if !ok {
			lose(errLost)
			return
		}
		changed = next
	}
}

// ask runs one look. It returns when the command has ended.
func (p *Prober) ask(ctx context.Context) Reading {
	answer := &collector{began: time.Now()}
	process, err := p.Target.Exec(ctx, backends.Command{
		Argv: []string{"sh", "-c", Looks[p.look]}, Env: []string{"LC_ALL=C"}, Stdout: answer,
	})
	if err != nil {
		return Reading{At: time.Now(), Err: cause(ctx, err)}
	}
	outcome, err := process.Wait()
	r := Reading{At: time.Now()}
	text, first := answer.all()
	r.Figures = Parse(text)
	if first > 0 {
		r.Latency = first
	}
	switch {
	case err != nil:
		r.Figures, r.Err = Figures{}, cause(ctx, err)
	case r.Figures == Figures{} && p.look == 0:
		p.look = 1
		return p.ask(ctx)
	case r.Figures == Figures{}:
		r.Err = &LookError{p.Target.Name(), outcome}
	case !r.Load.Known || r.Disk.Path == "":
		p.look = 1 // it may tell the rest
	}
	return r
}

// cause is why ctx ended where that is why err came.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// collector keeps the beginning of an answer, and when it came.
type collector struct {
	began time.Time

	mu    sync.Mutex
	text  []byte
	first time.Duration
}

// Write implements io.Writer. It never fails, so that the command can end by itself.
func (c *collector) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == 0 {
		c.first = max(time.Since(c.began), time.Microsecond)
	}
	c.text = append(c.text, p[:min(len(p), maxAnswer-len(c.text))]...)
	return len(p), nil
}

func (c *collector) all() (text []byte, first time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text, c.first
}
