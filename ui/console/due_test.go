package console_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/decision"
)

// TestWhatIsDueWhileAFrameIsDrawn: keys begin to count between the drawing of a dialog that
// says that they do not yet, and the end of that frame. The next frame comes by itself.
func TestWhatIsDueWhileAFrameIsDrawn(t *testing.T) {
	p := openTerminal(t, 80, 24)
	var ahead atomic.Int64 // of the console's clock
	var reads atomic.Int64 // of the clock that are left until it jumps; never where it is negative
	reads.Store(-1)
	now := func() time.Time {
		if reads.Load() >= 0 && reads.Add(-1) == 0 {
			ahead.Add(int64(decision.Shown))
		}
		return time.Now().Add(time.Duration(ahead.Load()))
	}
	var asks policy.Approver
	p.run(t.Context(), t, console.Options{Now: now}, func(c *console.Console) { asks = c.Approver() })
	p.asked(t)
	for jump := int64(2); jump < 6; jump++ { // one of these is the last reading of the drawing
		name := "touch file-" + time.Duration(jump).String()
		answers := make(chan policy.Answer, 1)
		reads.Store(jump)
		go func() {
			a, err := asks.Approve(t.Context(), request(name, name))
			if err != nil {
				t.Error(err)
			}
			answers <- a
		}()
		p.see(t, name)
		p.see(t, "y approves")
		p.press(t, "n")
		<-answers
	}
}
