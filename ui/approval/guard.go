package approval

import (
	"time"

	"github.com/gdamore/tcell/v2"
)

// The times of the guard.
const (
	Guard = 700 * time.Millisecond // on the screen before anything counts
	Quiet = 300 * time.Millisecond // without input before anything counts
	Limit = 3 * time.Second        // on the screen: only keys delay, and only approving
	Held  = time.Second            // as Quiet, for a key that may be held down: longer than repeating starts
)

// guard tells input that was meant for this dialog from input that was not. Its
// zero value lets nothing pass.
type guard struct {
	painted time.Time // zero: not on the screen yet
	input   time.Time // the last one of any kind
	key     time.Time // the last key
	last    tcell.Key // which one
	letter  rune
	calm    bool // a key came after a pause: the operator has seen the dialog
}

// paint says that the dialog is on the screen.
func (g *guard) paint(now time.Time) {
	if g.painted.IsZero() {
		g.painted = now
	}
}

// rearm begins anew with the next paint.
func (g *guard) rearm() {
	g.painted, g.calm = time.Time{}, false
}

// takes says whether input of any kind counts, and notes it.
func (g *guard) takes(now time.Time) bool {
	ok := g.open(now) <= 0
	g.input = now
	return ok
}

// takesKey is takes for a key.
func (g *guard) takesKey(now time.Time, ev *tcell.EventKey) bool {
	pause := Quiet
	if ev.Key() == g.last && ev.Rune() == g.letter {
		pause = Held
	}
	rested := now.Sub(g.key) >= pause
	g.key, g.last, g.letter = now, ev.Key(), ev.Rune()
	ok := g.takes(now)
	g.calm = g.calm || ok && rested
	return ok
}

// takesPaste is takes for a paste, which is typing as far as pauses go.
func (g *guard) takesPaste(now time.Time) bool {
	g.key, g.last, g.letter = now, tcell.KeyRune, 0
	return g.takes(now)
}

// open is how long until input counts if none comes; 0 or less if it does.
func (g *guard) open(now time.Time) time.Duration {
	if g.painted.IsZero() {
		return Guard
	}
	if g.calm {
		return 0
	}
	wait := Guard - now.Sub(g.painted)
	if now.Sub(g.painted) < Limit {
		wait = max(wait, Quiet-now.Sub(g.input))
	}
	return wait
}

// approves is how long until a key can approve if none comes before; 0 or less
// if it can.
func (g *guard) approves(now time.Time) time.Duration {
	wait := g.open(now)
	if !g.calm {
		wait = max(wait, Quiet-now.Sub(g.key))
	}
	return wait
}
