package process

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends"
)

// SignalStatus is the exit status that a shell reports for a command that a
// signal ended: 128 and the signal's number.
func SignalStatus(s backends.Signal) int {
	if n := unix.SignalNum("SIG" + string(s)); n != 0 {
		return 128 + int(n)
	}
	return StatusFailed
}

// StopError is why everything ends: a signal to nod itself.
type StopError struct{ signal syscall.Signal }

// Error implements error.
func (e *StopError) Error() string { return "nod was told to stop by " + unix.SignalName(e.signal) }

// Is lets an interrupt be taken for the end of a context, which it is.
func (*StopError) Is(target error) bool { return target == context.Canceled }

// signals are those by which nod is told to stop: an interrupt, SIGTERM, SIGHUP.
//
// The first one ends nod in an orderly way. Whatever hangs meanwhile, nod has ended
// within three seconds of it, and within one of a second one: the process then gives
// the terminal back and exits, as it stands. That is safe, since what runs is on record
// before it begins, and no file is left half written (a SIGKILL could come as well).
type signals struct {
	mu         sync.Mutex
	interrupts func()    // what an interrupt does instead; nil: it tells nod to stop
	doing      int       // how often interrupts is under way
	since      time.Time // when the first of these began
	restore    func(within time.Duration)
	exit       func(status int) // os.Exit, but for tests
}

// How long nod has to end.
const (
	endsWithin     = 2600 * time.Millisecond // after the first signal
	endsSoonWithin = 500 * time.Millisecond  // after the next one
	restoredWithin = 200 * time.Millisecond  // the terminal, behind that
)

const cutShortText = "nod: it was told to stop, and something in it did not; it ended all the same. What it had run is on record.\n"

// Until is a context that ends when nod is told to stop. Its cause tells by
// which signal. stop gives the signals back to their defaults.
func (s *signals) Until(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	told, stopped := make(chan os.Signal, 4), make(chan struct{})
	signal.Notify(told, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go s.watch(told, stopped, func(by syscall.Signal) { cancel(&StopError{by}) })
	return ctx, sync.OnceFunc(func() {
		signal.Stop(told)
		close(stopped)
		cancel(nil)
	})
}

// watch calls end with the first signal that tells nod to stop, and cuts nod short if
// it has not stopped in time.
func (s *signals) watch(told <-chan os.Signal, stopped <-chan struct{}, end func(by syscall.Signal)) {
	var first syscall.Signal // 0: none yet
	var limit time.Time
	timer := time.NewTimer(0)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case got := <-told:
			by, ok := got.(syscall.Signal)
			if !ok || first == 0 && by == syscall.SIGINT && s.interrupted() {
				continue
			}
			within := endsSoonWithin
			if first == 0 {
				first, within = by, endsWithin
				end(by)
			}
			if at := time.Now().Add(within); limit.IsZero() || at.Before(limit) {
				limit = at
				timer.Reset(within)
			}
		case <-timer.C:
			s.cutShort(first)
			return
		case <-stopped:
			return
		}
	}
}

// cutShort ends nod as it stands. Whatever hangs in that, it takes no longer than twice
// restoredWithin.
func (s *signals) cutShort(by syscall.Signal) {
	done := make(chan struct{})
	go func() { // it ends with the process, or before
		defer close(done)
		s.mu.Lock()
		restore := s.restore
		s.mu.Unlock()
		if restore != nil {
			restore(restoredWithin)
		}
		_, _ = os.Stderr.WriteString(cutShortText)
	}()
	select {
	case <-done:
	case <-time.After(2 * restoredWithin):
	}
	exit := s.exit
	if exit == nil {
		exit = os.Exit
	}
	exit(128 + int(by))
}

// Restoring has the terminal given back by restore should nod have to be cut short,
// which may be called at any time and by any goroutine.
func (s *signals) Restoring(restore func(within time.Duration)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.restore = restore
}

// interrupted reports whether an interrupt means something else, and has it done. Where
// that hangs for more than a second, the next interrupt tells nod to stop.
func (s *signals) interrupted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	do := s.interrupts
	switch {
	case do == nil || s.doing > 0 && time.Since(s.since) > time.Second:
		return false
	case s.doing == 0:
		s.since = time.Now()
	}
	s.doing++
	go func() {
		do()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.doing--
	}()
	return true
}

// OnInterrupt lets interrupts mean something else than the end of nod, until it
// is given back.
func (s *signals) OnInterrupt(do func()) (giveBack func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.interrupts
	s.interrupts = do
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.interrupts = before
	}
}

// InterruptedStatus is the exit status of nod where ctx has ended: 128 and the
// number of the signal that it was told to stop by.
func InterruptedStatus(ctx context.Context) int {
	var told *StopError
	if errors.As(context.Cause(ctx), &told) {
		return 128 + int(told.signal)
	}
	return statusInterrupted
}
