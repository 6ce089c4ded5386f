package decision

import (
	"time"

	"github.com/gdamore/tcell/v2"
)

// How long things take.
const (
	Shown = 700 * time.Millisecond // on the screen before anything counts
	Quiet = 300 * time.Millisecond // without input before anything counts
	Limit = 3 * time.Second        // on the screen: only keys delay, and only approving
	Held  = time.Second            // as Quiet, for a key that may be held down: longer than repeating starts

	// Alone is how far a key that decides must be from any other, before and after.
	// Hands that write press one key 40 to 400 ms after the other, so a letter that
	// nothing follows for longer is not the first one of a sentence.
	Alone = 405 * time.Millisecond
	// Rest is Alone after a sentence, or what was taken for one.
	Rest = time.Second
	// Ends is how long a key that ends what is written must be the last one. What
	// comes sooner is the rest of a text that arrives in one piece.
	Ends = 60 * time.Millisecond

	step = Alone / 9 // between two pictures of a key that decides
)

// Guard tells input that was meant for a dialog from input that was not. Its zero
// value lets nothing pass. It belongs to one goroutine.
type Guard struct {
	painted time.Time // zero: not on the screen yet
	input   time.Time // the last one of any kind
	key     time.Time // the last key
	last    tcell.Key // which one
	letter  rune
	calm    bool // a key came after a pause: the operator has seen the dialog

	heard *tcell.EventKey // the last key anywhere
	any   time.Time       // when it was handled
	near  bool            // it was not by itself: another one came with it or before it
	held  func()          // what the last key does if none follows at once; nil if nothing
	lone  bool            // ... and it decides
	burst bool            // keys came that were not alone, and one of them would have decided something
}

// Paint says that the dialog is on the screen.
func (g *Guard) Paint(now time.Time) {
	if g.painted.IsZero() {
		g.painted = now
	}
}

// Rearm begins anew with the next paint.
func (g *Guard) Rearm() {
	g.painted, g.calm, g.held = time.Time{}, false, nil
}

// Takes says whether input of any kind counts, and notes it.
func (g *Guard) Takes(now time.Time) bool {
	ok := g.Open(now) <= 0
	g.input = now
	return ok
}

// TakesKey is Takes for a key.
func (g *Guard) TakesKey(now time.Time, ev *tcell.EventKey) bool {
	g.Hear(now, ev, false)
	pause := Quiet
	if ev.Key() == g.last && ev.Rune() == g.letter {
		pause = Held
	}
	rested := now.Sub(g.key) >= pause
	g.key, g.last, g.letter = now, ev.Key(), ev.Rune()
	ok := g.Takes(now)
	g.burst = g.burst && !(ok && !g.near)
	g.calm = g.calm || ok && rested
	return ok
}

// TakesPaste is Takes for a paste, which is typing as far as pauses go.
func (g *Guard) TakesPaste(now time.Time) bool {
	g.HearPaste(now)
	g.key, g.last, g.letter = now, tcell.KeyRune, 0
	return g.Takes(now)
}

// Hear notes a key that may not be for the dialog; TakesKey does so for its own.
// together says that it shared a read of the terminal with something else. A key
// cancels what the one before would decide, however much time has gone by: if that
// has not been done, the program was too busy to see that this one was on its way.
func (g *Guard) Hear(now time.Time, ev *tcell.EventKey, together bool) {
	if ev == g.heard {
		return
	}
	g.heard = ev
	g.stir(now, max(0, time.Since(ev.When())), together)
}

// HearPaste is Hear for the beginning or the end of a paste.
func (g *Guard) HearPaste(now time.Time) { g.stir(now, 0, true) }

// stir notes input that has waited for a time before it was handled. What counts is
// the time from when the one before was handled to when this one came: what waited
// together, because the program did, came together.
func (g *Guard) stir(now time.Time, waited time.Duration, together bool) {
	apart := Alone
	if g.burst {
		apart = Rest
	}
	g.near = together || now.Add(-waited).Sub(g.any) < apart
	g.cancel()
	g.any = now
}

// cancel drops what the last key would have done, for it was not alone.
func (g *Guard) cancel() {
	if g.held != nil && g.lone {
		g.burst, g.calm = true, false
	}
	g.held = nil
}

// Decide has act done, by Tick, if the key that was just taken was pressed by
// itself: no other one within Alone before it or after. Keys that come closer are
// a sentence, a paste, a key that is held down, or were typed before; none of them
// decides anything, and there must be a pause before another one does.
func (g *Guard) Decide(act func()) {
	if g.near {
		g.burst, g.calm = true, false
		return
	}
	g.held, g.lone = act, true
}

// End has act done, by Tick, if no other key follows the one that was just taken
// within Ends: it ends what was written, and is a part of it otherwise.
func (g *Guard) End(act func()) { g.held, g.lone = act, false }

// Tick does what the last key decides or ends, if it has stood alone for long
// enough. more reports that input waits by then: the key was not alone.
func (g *Guard) Tick(now time.Time, more bool) {
	if g.held == nil || g.deciding(now) > 0 {
		return
	}
	if more {
		g.cancel()
		return
	}
	act := g.held
	g.held = nil
	act()
}

// deciding is how long until it is known whether the last key was pressed by
// itself; 0 or less if it was.
func (g *Guard) deciding(now time.Time) time.Duration {
	if !g.lone {
		return Ends - now.Sub(g.any)
	}
	return Alone - now.Sub(g.any)
}

// Filled is how much of Alone has gone by since a key that decides was pressed, from
// 0 to 1, while it is not known yet whether that stands alone.
func (g *Guard) Filled(now time.Time) (part float64, deciding bool) {
	if g.held == nil || !g.lone {
		return 0, false
	}
	return min(1, float64(now.Sub(g.any))/float64(Alone)), true
}

// Undecided reports whether a key waits for Tick.
func (g *Guard) Undecided() bool { return g.held != nil }

// Burst reports whether the last keys were not alone and so decided nothing.
func (g *Guard) Burst() bool { return g.burst }

// Open is how long until input counts if none comes; 0 or less if it does.
func (g *Guard) Open(now time.Time) time.Duration {
	if g.painted.IsZero() {
		return Shown
	}
	if g.calm {
		return 0
	}
	wait := Shown - now.Sub(g.painted)
	if now.Sub(g.painted) < Limit {
		wait = max(wait, Quiet-now.Sub(g.input))
	}
	return wait
}

// Approves is how long until a key can approve if none comes before; 0 or less
// if it can.
func (g *Guard) Approves(now time.Time) time.Duration {
	wait := g.Open(now)
	if !g.calm {
		wait = max(wait, Quiet-now.Sub(g.key))
	}
	return wait
}

// Wake is how long until something changes by itself, because keys begin to
// count or one has stood alone; 0 if nothing will. Call Tick then.
func (g *Guard) Wake(now time.Time) time.Duration {
	if g.Undecided() {
		return max(time.Millisecond, min(step, g.deciding(now)))
	}
	return max(0, g.Approves(now))
}

// Calm reports whether a key has come after a pause: the operator has seen the
// dialog.
func (g *Guard) Calm() bool { return g.calm }
