package history

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
)

// TestWritersComeInTurn: of many stores on one folder, each holds the turn alone, and
// one that is not waited for any more does not keep it.
func TestWritersComeInTurn(t *testing.T) {
	dir := t.TempDir()
	stores := make([]*Store, 6)
	for i := range stores {
		stores[i] = open(t, dir, Options{})
	}
	var running sync.WaitGroup
	var in sync.Mutex
	for _, s := range stores {
		for range 2 {
			running.Go(func() {
				for range 10 {
					release, err := s.at().turn.take(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					if !in.TryLock() {
						t.Error("two at once")
					} else {
						runtime.Gosched()
						in.Unlock()
					}
					release()
				}
			})
		}
	}
	running.Wait()
	release, err := stores[0].at().turn.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Store{stores[0], stores[1]} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := s.at().turn.take(ctx)
			done <- err
		}()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	release()
	id := create(t, stores[1])
	say(t, stores[1], id, Message{Role: User, Content: "my turn"})
}
