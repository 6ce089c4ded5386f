package oneshot

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/screen"
)

// TestARunWaitsForItsReverts: nobody but nod takes a revert back, so that an
// invocation which ends with its command waits for that, unless it is interrupted.
func TestARunWaitsForItsReverts(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var said []string
	a := newArmed(func(text string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, text)
	})
	a.settle(t.Context()) // none was armed
	due := time.Now().Add(time.Minute)
	a.take(agent.Reverting{ID: "1", Due: due, Text: "armed\x1b[2J"})
	a.take(agent.Reverting{ID: "2", Due: due, Text: "armed, too"})

	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	a.settle(interrupted)

	settled := make(chan struct{})
	go func() {
		defer close(settled)
		a.settle(t.Context())
	}()
	a.take(agent.Reverting{ID: "1", Over: true, Text: "cancelled"})
	a.take(agent.Reverting{ID: "2", Due: due, Text: "no new login"})
	select {
	case <-settled:
		t.Fatal("it does not wait for the second one")
	case <-time.After(50 * time.Millisecond):
	}
	a.take(agent.Reverting{ID: "2", Over: true, Fired: true, Text: "reverted"})
	<-settled
	mu.Lock()
	defer mu.Unlock()
	if said[0] != screen.CleanLines("armed\x1b[2J") || !slices.Contains(said, "waiting until a new login works, or the revert has come; ^C leaves it armed") || said[len(said)-1] != "reverted" {
		t.Errorf("%q", said)
	}
}
