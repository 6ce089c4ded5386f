package pane

import (
	"strings"
	"sync"
	"testing"

	"github.com/nod-console/nod/backends/tmux"
)

// A degraded pane may get another terminal in the moment in which it is asked what
// is wrong with it. The race detector judges.
func TestDegradedWhileThePaneIsRenewed(t *testing.T) {
	t.Parallel()
	w := &tmuxWire{s: &tmuxSession{degraded: tmux.ErrNoControl}, at: tmux.Pane{ID: "%1"}}
	var renewing sync.WaitGroup
	renewing.Go(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.at = tmux.Pane{ID: "%2"}
	})
	err := w.degraded()
	renewing.Wait()
	if err == nil || !strings.HasPrefix(err.Error(), "pane %") {
		t.Errorf("degraded: %v", err)
	}
}
