package targets

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/nod-console/nod/backends/ssh"
)

// closeAtOnce is how many targets are closed at the same time: each is a few round trips.
const closeAtOnce = 16

// Close closes all targets: containers one after the other, the newest first, since their
// engine may be behind one of the others, and then those.
func (s *Targets) Close() error {
	s.mu.Lock()
	s.closed = true
	all := slices.Clone(s.all)
	s.mu.Unlock()
	for _, t := range all { // all at once: they are waited for together
		if t, ok := t.Target.(*ssh.Target); ok {
			t.Retry()
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), returnTime)
	defer cancel()
	var errs []error
	for last := s.lastContainer(); last != nil; last = s.lastContainer() {
		errs = append(errs, last.closeWithin(ctx))
		s.mu.Lock()
		s.all = slices.DeleteFunc(s.all, func(t *Target) bool { return t == last })
		s.mu.Unlock()
	}
	errs = append(errs, s.closeRest(ctx)...)
	return errors.Join(append(errs, s.Engines.Close())...)
}

// lastContainer is the container that was opened last, or nil.
func (s *Targets) lastContainer() *Target {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range slices.Backward(s.all) {
		if t.Container != nil {
			return t
		}
	}
	return nil
}

// closeRest closes all targets that are left, several at the same time. The errors are in
// their order.
func (s *Targets) closeRest(ctx context.Context) []error {
	s.mu.Lock()
	rest := slices.Clone(s.all)
	s.mu.Unlock()
	errs := make([]error, len(rest))
	slots := make(chan struct{}, closeAtOnce)
	var closing sync.WaitGroup
	for i, t := range rest {
		closing.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = t.closeWithin(ctx)
		})
	}
	closing.Wait()
	s.mu.Lock()
	s.all = nil
	s.mu.Unlock()
	return errs
}
