package decision

import (
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
)

func key(r rune) *tcell.EventKey { return tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone) }

// TestAHeldKeyIsNoPause: the repeating of a key that is held down starts slower than
// the pause that another key needs.
func TestAHeldKeyIsNoPause(t *testing.T) {
	const apart = (Quiet + Held) / 2
	for keys, calm := range map[string]bool{"yyyyyyyy": false, "xyxyxyxy": true} {
		g := &Guard{}
		now := time.Now()
		g.Paint(now)
		now = now.Add(Shown / 2)
		for _, r := range keys {
			g.TakesKey(now, key(r))
			now = now.Add(apart)
		}
		if g.Calm() != calm {
			t.Errorf("%s, %s apart: calm %t", keys, apart, g.Calm())
		}
	}
}

// TestNothingCountsAtOnce, after the first paint and after each rearming.
func TestNothingCountsAtOnce(t *testing.T) {
	g := &Guard{}
	now := time.Now()
	if g.Takes(now) {
		t.Error("input counts before the paint")
	}
	for range 2 {
		now = now.Add(time.Minute)
		g.Paint(now)
		if now = now.Add(Shown / 2); g.TakesKey(now, key('y')) {
			t.Error("a key counts at once")
		}
		if now = now.Add(Held + Shown); !g.TakesKey(now, key('y')) || !g.Calm() {
			t.Error("a key counts never")
		}
		g.Rearm()
	}
}
