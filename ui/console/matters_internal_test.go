package console

import (
	"testing"
	"time"

	"github.com/nod-console/nod/ui/targets"
)

// TestWordOfTargetsIsDrawnWhereItIsSeen: a hundred hosts tell with every answer that they are
// there, and nothing changes.
func TestWordOfTargetsIsDrawnWhereItIsSeen(t *testing.T) {
	now := TargetStatus{Name: "ssh:web-1", Latency: 3 * time.Millisecond}
	c := &Console{}
	c.status.TargetStatus = now
	if c.matters(targeted{now}) || c.matters(relisted{}) {
		t.Error("what is not seen is drawn")
	}
	other := now
	other.State = "not connected"
	if !c.matters(targeted{other}) || !c.matters(noted{"x"}) {
		t.Error("what is seen is not drawn")
	}
	if c.picker = (&targets.Picker{}); !c.matters(relisted{}) {
		t.Error("the list of targets is not drawn")
	}
}
