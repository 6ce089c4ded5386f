package oneshot

import (
	"context"
	"sync"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/screen"
)

// armed are the reverts of an invocation that ends with its command. Nobody but nod
// takes a revert back, so it waits for each.
type armed struct {
	say  func(string)
	news chan struct{} // holds one after a change

	mu      sync.Mutex
	pending map[string]bool
}

func newArmed(say func(string)) *armed {
	return &armed{say: say, news: make(chan struct{}, 1), pending: map[string]bool{}}
}

// take is told how a revert stands.
func (a *armed) take(r agent.Reverting) {
	a.say(screen.CleanLines(r.Text))
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pending[r.ID] = !r.Over
	select {
	case a.news <- struct{}{}:
	default:
	}
}

// settle waits until each revert has come or was taken back, or ctx ends.
func (a *armed) settle(ctx context.Context) {
	for told := false; a.waits(); told = true {
		if !told {
			a.say("waiting until a new login works, or the revert has come; ^C leaves it armed")
		}
		select {
		case <-a.news:
		case <-ctx.Done():
			return
		}
	}
}

func (a *armed) waits() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, open := range a.pending {
		if open {
			return true
		}
	}
	return false
}
