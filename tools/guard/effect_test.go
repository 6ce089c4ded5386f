package guard

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestTheEffectOfKeysIsWaitedFor: to its end, and never for long.
func TestTheEffectOfKeysIsWaitedFor(t *testing.T) {
	for _, c := range []struct {
		name    string
		changes []time.Duration // after the keys
		stop    time.Duration   // of the operator; 0: none
		want    bool
		took    time.Duration
	}{
		{"an echo and an answer", []time.Duration{0, 150 * time.Millisecond}, 0, true, 350 * time.Millisecond},
		{"a late answer", []time.Duration{490 * time.Millisecond}, 0, true, 690 * time.Millisecond},
		{"nothing", nil, 0, false, effectFirst},
		{"a screen that never rests", every(100*time.Millisecond, 30), 0, true, effectMost},
		{"an interrupt", every(100*time.Millisecond, 30), 250 * time.Millisecond, true, 250 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.stop > 0 {
					time.AfterFunc(c.stop, cancel)
				}
				told := make(chan struct{}, 1)
				told <- struct{}{} // something else than the screen
				var shown atomic.Uint64
				for _, d := range c.changes {
					time.AfterFunc(d, func() {
						shown.Add(1)
						select {
						case told <- struct{}{}:
						default:
						}
					})
				}
				began := time.Now()
				if got := effect(ctx, told, 0, shown.Load); got != c.want || time.Since(began) != c.took {
					t.Errorf("%v after %v, want %v after %v", got, time.Since(began), c.want, c.took)
				}
			})
		})
	}
}

func every(d time.Duration, n int) []time.Duration {
	var all []time.Duration
	for i := range n {
		all = append(all, time.Duration(i)*d)
	}
	return all
}
