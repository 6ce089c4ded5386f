package timeline

import (
	"math"
	"time"
)

const (
	// idleMost is how much of a pause is shown in which nothing ran.
	idleMost = 30 * time.Second
	// leastSpan is the least time that is shown.
	leastSpan = time.Second
)

// piece is a stretch of the clock's time that is shown as it was.
type piece struct {
	from, to time.Time
	at       time.Duration // on the axis
}

// axis is the clock's time without the long pauses.
type axis struct {
	pieces []piece
	length time.Duration
}

// newAxis is the axis of runs in the order in which they began.
func newAxis(runs []Run, now time.Time) axis {
	var a axis
	for _, r := range runs {
		end := r.end(now)
		n := len(a.pieces)
		if n > 0 && r.Began.Sub(a.pieces[n-1].to) <= idleMost {
			if last := &a.pieces[n-1]; end.After(last.to) {
				last.to = end
			}
			continue
		}
		at := time.Duration(0)
		if n > 0 {
			last := a.pieces[n-1]
			at = last.at + last.to.Sub(last.from) + idleMost
		}
		a.pieces = append(a.pieces, piece{r.Began, end, at})
	}
	if n := len(a.pieces); n > 0 {
		last := a.pieces[n-1]
		a.length = max(last.at+last.to.Sub(last.from), leastSpan)
	}
	return a
}

// at is where a time stands on the axis.
func (a axis) at(t time.Time) time.Duration {
	for i := len(a.pieces) - 1; i >= 0; i-- {
		p := a.pieces[i]
		if t.Before(p.from) && i > 0 {
			continue
		}
		return p.at + min(t.Sub(p.from), p.to.Sub(p.from)+idleMost)
	}
	return 0
}

// time is the clock's time of a place on the axis. within is false in a pause that is cut.
func (a axis) time(at time.Duration) (t time.Time, within bool) {
	for i := len(a.pieces) - 1; i >= 0; i-- {
		p := a.pieces[i]
		if at < p.at && i > 0 {
			continue
		}
		last := i == len(a.pieces)-1
		return p.from.Add(at - p.at), last || at-p.at <= p.to.Sub(p.from)
	}
	return time.Time{}, true
}

// window is the part of an axis that is shown, in cells.
type window struct {
	axis
	from, span time.Duration
	cells      int
}

// cell is where a place on the axis stands; it may be outside of the window. The last cell
// is the end of it; of a single cell, it is both ends.
func (w window) cell(at time.Duration) int {
	const far = 1 << 20
	cell := math.Floor(float64(at-w.from) * float64(w.cells-1) / float64(w.span))
	return int(min(max(cell, -far), far))
}

// place is the place on the axis of a cell.
func (w window) place(cell int) time.Duration {
	return w.from + time.Duration(float64(w.span)*float64(cell)/float64(max(w.cells-1, 1)))
}
