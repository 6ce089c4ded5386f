package timeline

import (
	"slices"
	"time"
)

// bar is a run on the screen.
type bar struct {
	id       string
	run      int // index
	row      int // of all rows
	from, to int // cells of the window, both included; they may be outside of it

	x, y, width int // where it was drawn; no width if it was not
}

// row is a line of bars that do not stand on each other.
type row struct {
	target string
	first  bool // of its target
}

// window is what is shown in so many cells. It is moved so that the cursor's run begins in
// it, no farther than needed.
func (t *Timeline) window(cells int, now time.Time) window {
	w := window{axis: newAxis(t.runs, now), cells: max(cells, 1)}
	w.span = max(w.length>>t.zoom, leastSpan>>8)
	if r, ok := t.Cursor(); ok {
		at := w.at(r.Began)
		t.from = min(t.from, at-w.span/8)
		t.from = max(t.from, at-w.span+w.span/4)
	}
	t.from = max(min(t.from, w.length-w.span), 0)
	w.from = t.from
	return w
}

// layOut puts all runs that are seen in a window into rows: each target has as many as
// needed, in the order in which the targets came.
func (t *Timeline) layOut(w window, now time.Time) (bars []bar, rows []row) {
	var targets []string
	for _, r := range t.runs {
		if !slices.Contains(targets, r.Target) {
			targets = append(targets, r.Target)
		}
	}
	for _, target := range targets {
		begun := len(rows)
		rows = append(rows, row{target, true})
		ends := []int{-1 << 30} // of the last bar in each row
		for i, r := range t.runs {
			if r.Target != target {
				continue
			}
			b := bar{id: r.ID, run: i, from: w.cell(w.at(r.Began)), to: w.cell(w.at(r.end(now)))}
			if b.to < 0 || b.from >= w.cells {
				continue
			}
			lane := slices.IndexFunc(ends, func(end int) bool { return end < b.from })
			if lane < 0 {
				lane = len(ends)
				ends = append(ends, 0)
				rows = append(rows, row{target, false})
			}
			ends[lane], b.row = b.to, begun+lane
			bars = append(bars, b)
		}
	}
	return bars, rows
}
