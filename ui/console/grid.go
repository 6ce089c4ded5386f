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

// arrangePanes puts panes in rows and columns, from left to right and from top
// to bottom. A last row with fewer panes is divided among these.
func (l *layout) arrangePanes(r rect, chosen int) {
	n := len(l.panes)
	if most := max(r.w/minPaneCols, 1) * max(r.h/minPaneRows, 1); n > most {
		l.arrangeOne(r, chosen)
		return
	}
	cols := columns(n, r.w, r.h)
	rows := (n + cols - 1) / cols
	for i := range n {
		row, col := i/cols, i%cols
		in := min(cols, n-row*cols)
		x, y := r.x+r.w*col/in, r.y+r.h*row/rows
		l.panes[i] = rect{x, y, r.x + r.w*(col+1)/in - x, r.y + r.h*(row+1)/rows - y}
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
