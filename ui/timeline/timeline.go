package timeline

import (
	"slices"
	"time"

	"github.com/nod-console/nod/ui/keys"
)

// Timeline is the bars and the cursor on one of them. Its zero value is empty.
type Timeline struct {
	runs   []Run // in the order in which they began
	cursor string
	zoom   int // how often the time that is shown was halved
	from   time.Duration
	top    int // the first row that is shown
	said   string
	asked  bool // runs were set

	// As they were drawn last, for the keys and the mouse.
	bars []bar
	page int
}

// mostZoom bounds how often the time is halved.
const mostZoom = 20

// Set replaces the runs. The cursor stays on its run; on the last one it goes on to the
// new last one.
func (t *Timeline) Set(runs []Run) {
	last := t.at() == len(t.runs)-1
	t.runs, t.asked = sorted(runs), true
	if last && len(t.runs) > 0 {
		t.cursor = t.runs[len(t.runs)-1].ID
	}
}

// Say shows a line in the place of the last one until the next key.
func (t *Timeline) Say(text string) { t.said = text }

// at is the index of the run with the cursor, or -1.
func (t *Timeline) at() int {
	if i := slices.IndexFunc(t.runs, func(r Run) bool { return r.ID == t.cursor }); i >= 0 || len(t.runs) == 0 {
		return i
	}
	return len(t.runs) - 1
}

// Cursor is the run with the cursor.
func (t *Timeline) Cursor() (Run, bool) {
	if i := t.at(); i >= 0 {
		return t.runs[i], true
	}
	return Run{}, false
}

// Wake is when the picture changes by itself; 0 if it does not.
func (t *Timeline) Wake() time.Duration {
	if slices.ContainsFunc(t.runs, func(r Run) bool { return r.State == Running }) {
		return time.Second
	}
	return 0
}

// Verb is what is to be done.
type Verb uint8

// The verbs.
const (
	Nothing Verb = iota
	Close
	Play // the run with the cursor
)

// Do carries out a command of [keys.Browsing].
func (t *Timeline) Do(id keys.ID) Verb {
	t.said = ""
	switch id {
	case keys.Back, keys.Timeline:
		return Close
	case keys.Play:
		return t.play()
	case keys.Left:
		t.beside(-1)
	case keys.Right:
		t.beside(1)
	case keys.Up:
		t.across(-1)
	case keys.Down:
		t.across(1)
	case keys.Top:
		t.to(0)
	case keys.Bottom:
		t.to(len(t.runs) - 1)
	case keys.PageUp:
		t.to(max(t.at()-max(t.page, 1), 0))
	case keys.PageDown:
		t.to(min(t.at()+max(t.page, 1), len(t.runs)-1))
	case keys.Closer:
		t.zoom = min(t.zoom+1, mostZoom)
	case keys.Farther:
		t.zoom = max(t.zoom-1, 0)
	case keys.Whole:
		t.zoom = 0
	}
	return Nothing
}

// play is Play if the run with the cursor can be played.
func (t *Timeline) play() Verb {
	r, ok := t.Cursor()
	switch {
	case !ok:
	case r.State == Denied:
		t.said = "it was denied: there is nothing to play"
	case !r.Recorded:
		t.said = "it is not recorded: only what runs in a terminal is"
	default:
		return Play
	}
	return Nothing
}

func (t *Timeline) to(i int) {
	if i >= 0 && i < len(t.runs) {
		t.cursor = t.runs[i].ID
	}
}

// beside goes to the run before or behind on the same target.
func (t *Timeline) beside(step int) {
	at := t.at()
	if at < 0 {
		return
	}
	for i := at + step; i >= 0 && i < len(t.runs); i += step {
		if t.runs[i].Target == t.runs[at].Target {
			t.to(i)
			return
		}
	}
}

// across goes to the bar in a row above or below that stands nearest. Where all bars stand
// in one row, it goes along.
func (t *Timeline) across(step int) {
	i := slices.IndexFunc(t.bars, func(b bar) bool { return t.runs[t.at()].ID == b.id })
	if i < 0 || !slices.ContainsFunc(t.bars, func(b bar) bool { return b.row != t.bars[i].row }) {
		t.to(t.at() + step)
		return
	}
	here, best, way := t.bars[i], -1, 0
	for j, b := range t.bars {
		rows := (b.row - here.row) * step
		far := max(b.from-here.from, here.from-b.from)
		if rows > 0 && (best < 0 || rows < way || rows == way && far < max(t.bars[best].from-here.from, here.from-t.bars[best].from)) {
			best, way = j, rows
		}
	}
	if best >= 0 {
		t.cursor = t.bars[best].id
	}
}

// Click brings the cursor to the bar at a cell of the screen; a click on the bar that has
// it is Play.
func (t *Timeline) Click(x, y int) Verb {
	for _, b := range t.bars {
		if b.y != y || x < b.x || x >= b.x+b.width {
			continue
		}
		if r, ok := t.Cursor(); ok && r.ID == b.id {
			return t.play()
		}
		t.said, t.cursor = "", b.id
	}
	return Nothing
}
