package chat

// How the end is followed while an answer streams.

import "github.com/gdamore/tcell/v2"

// page is a part of the transcript that stands still while an answer fills the room
// below it. It is for screens on which each line that comes in at the bottom would have
// everything above it drawn again: there, the text moves rarely and far.
//
// A page lasts until the turn ends, the size changes or the operator goes to the end.
// Without one, the last line is in the last row.
type page struct {
	settled bool // the end has been in the last row since the page before
	on      bool
	top     place
	jump    int // how many lines the text has moved by
}

const (
	// leastJump is how many lines a first page moves the text by. Each one after it
	// moves it twice as far: a short answer moves by as much as it has.
	leastJump = 4
	// keptShare of the height stays on the screen at least.
	keptShare = 3
)

// mover is a screen that knows what it costs to move a part of it.
type mover interface {
	// MovesCheaply reports whether the rows of a rectangle can be moved for about what
	// one of them takes.
	MovesCheaply(x, y, width, height int) bool
}

// movesCheaply asks a screen. One that does not know is not spared.
func movesCheaply(s tcell.Screen, x, y, width, height int) bool {
	m, ok := s.(mover)
	return !ok || m.MovesCheaply(x, y, width, height)
}

// following is the first place on the screen where the end is followed: that of the page,
// or as far up as there is room for. cheap tells whether the text may move with each line.
func (t *Transcript) following(height int, cheap func() bool) place {
	full := t.up(place{len(t.blocks), 0}, height)
	if !t.page.settled {
		t.page = page{settled: true}
		return full
	}
	last := t.clamp(t.top)
	switch over := t.exceeds(last, height); {
	case t.page.on && !over:
		return last
	case over && t.answering != nil && !cheap():
		return t.turn(full, height)
	}
	t.page.on = false
	return full
}

// turn begins a page. What has come since the last Draw is on it, however much that is.
func (t *Transcript) turn(full place, height int) place {
	t.page.jump = min(max(2*t.page.jump, leastJump), height-height/keptShare)
	top := t.down(full, t.page.jump)
	if t.shown.before(top) {
		top = t.clamp(t.shown)
	}
	if top.before(full) {
		top = full
	}
	t.page.on, t.page.top = true, top
	return top
}
