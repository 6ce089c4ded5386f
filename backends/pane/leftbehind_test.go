package pane_test

import (
	"testing"

	"github.com/nod-console/nod/backends/pane"
)

func TestWhatIsLeftBehindIsSaid(t *testing.T) {
	t.Parallel()
	for want, sessions := range map[string][]string{
		"box cannot be reached, so its session a goes on there":         {"a"},
		"box cannot be reached, so its sessions a and b go on there":    {"a", "b"},
		"box cannot be reached, so its sessions a, b and c go on there": {"a", "b", "c"},
	} {
		left := &pane.LeftBehindError{Target: "box", Sessions: sessions, End: "end them"}
		it := "it"
		if len(sessions) > 1 {
			it = "them"
		}
		if got := left.Error(); got != want+"; to end "+it+", type on box: end them" {
			t.Errorf("%q", got)
		}
	}
}
