package console

// The least size of a pane with its frame, beside and above others. Where there
// is no room for all panes, one is shown, under a row with the names of all.
const (
	minPaneCols = 42
	minPaneRows = 8
)

// A terminal of this size, with its frame, shows what most programs expect.
const (
	goodPaneCols = 82
	goodPaneRows = 26
)

// grid is how panes stand in rows and columns. The zero value is no grid: not all
// panes are shown.
type grid struct {
	rect
	shape
}

// shape is what sizes belong to: in another grid they would mean something else.
type shape struct{ panes, cols int }

func (s shape) rows() int { return (s.panes + s.cols - 1) / s.cols }

// in is the number of panes in a row. A last row with fewer of them is divided
// among these.
func (s shape) in(row int) int { return min(s.cols, s.panes-row*s.cols) }

// arrangePanes puts panes in rows and columns, from left to right and from top
// to bottom.
func (l *layout) arrangePanes(r rect, chosen int, by *sizes) {
	n := len(l.panes)
	if most := max(r.w/minPaneCols, 1) * max(r.h/minPaneRows, 1); n > most {
		l.arrangeOne(r, chosen)
		return
	}
	l.grid = grid{r, shape{n, columns(n, r.w, r.h)}}
	y := r.y
	for row, h := range by.heights(l.grid) {
		x := r.x
		for col, w := range by.widths(l.grid, row) {
			l.panes[row*l.grid.cols+col] = rect{x, y, w, h}
			x += w
		}
		y += h
	}
}

// arrangeOne shows the chosen pane alone, under a row with the names of all if
// there is room for that.
func (l *layout) arrangeOne(r rect, chosen int) {
	if len(l.panes) > 1 && r.h > minPaneRows {
		l.bar = rect{r.x, r.y, r.w, 1}
		r.y, r.h = r.y+1, r.h-1
	}
	l.panes[chosen] = r
}

// columns is the number of columns in which n panes show most of what a
// terminal of a good size would; the fewer of two that are equally good.
func columns(n, w, h int) int {
	best, most := 1, -1
	for cols := 1; cols <= n; cols++ {
		pw, ph := w/cols, h/((n+cols-1)/cols)
		if cols > 1 && pw < minPaneCols {
			break
		}
		shown := min(pw, goodPaneCols) * min(ph, goodPaneRows)
		if ph < minPaneRows {
			shown = 0
		}
		if shown > most {
			best, most = cols, shown
		}
	}
	return best
}
