package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends"
)

// signalStatus is the exit status that a shell reports for a command that a
// signal ended: 128 and the signal's number.
func signalStatus(s backends.Signal) int {
	if n := unix.SignalNum("SIG" + string(s)); n != 0 {
		return 128 + int(n)
	}
	return statusFailed
}

// toldToStop is why everything ends: a signal to nod itself.
type toldToStop struct{ signal syscall.Signal }

func (e *toldToStop) Error() string { return "nod was told to stop by " + unix.SignalName(e.signal) }

// Is lets an interrupt be taken for the end of a context, which it is.
func (*toldToStop) Is(target error) bool { return target == context.Canceled }

// signals are those by which nod is told to stop.
type signals struct {
	mu         sync.Mutex
	interrupts func() // what an interrupt does instead; nil: it tells nod to stop
}

// until is a context that ends when nod is told to stop. Its cause tells by
// which signal. stop gives the signals back to their defaults.
func (s *signals) until(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	told := make(chan os.Signal, 1)
	signal.Notify(told, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for {
			select {
			case got := <-told:
				if got == os.Interrupt && s.interrupted() {
					continue
				}
				if n, ok := got.(syscall.Signal); ok {
					cancel(&toldToStop{n})
				}
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(told)
		cancel(nil)
	}
}

// interrupted reports whether an interrupt meant something else.
func (s *signals) interrupted() bool {
	s.mu.Lock()
	do := s.interrupts
	s.mu.Unlock()
	if do != nil {
		do()
	}
	return do != nil
}

// onInterrupt lets interrupts mean something else than the end of nod, until it
// is given back.
func (s *signals) onInterrupt(do func()) (giveBack func()) {
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

// interruptedStatus is the exit status of nod where ctx has ended: 128 and the
// number of the signal that it was told to stop by.
func interruptedStatus(ctx context.Context) int {
	var told *toldToStop
	if errors.As(context.Cause(ctx), &told) {
		return 128 + int(told.signal)
	}
	return statusInterrupted
}
