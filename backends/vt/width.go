package vt

import (
	"sort"
	"sync"
)

// widthRange gives all code points from lo to hi the same width; -1 is for
// those that tmux drops.
type widthRange struct {
	lo, hi rune
	width  int8
}

// flatWidths is the number of code points with an entry of their own: the two
// planes that nearly all text is in.
const flatWidths = 0x20000

var (
	flat     [flatWidths]int8
	flatOnce sync.Once
)

// loadWidths spreads the ranges of the first planes into a flat table.
func loadWidths() {
	flatOnce.Do(func() {
		for i := range flat {
			flat[i] = 1
		}
		for _, w := range widthRanges {
			for r := w.lo; r <= min(w.hi, flatWidths-1); r++ {
				flat[r] = w.width
			}
		}
	})
}

// tableWidth is the number of columns that r takes in tmux 3.3a, or -1.
func tableWidth(r rune) int {
	if r < flatWidths {
		return int(flat[r])
	}
	i := sort.Search(len(widthRanges), func(i int) bool { return widthRanges[i].hi >= r })
	if i < len(widthRanges) && widthRanges[i].lo <= r {
		return int(widthRanges[i].width)
	}
	return 1
}

// width is the number of columns that r takes, or -1 if it is dropped.
func (t *Terminal) width(r rune) int {
	if r < flatWidths {
		return int(t.flat[r])
	}
	if w, ok := t.opt.Widths.beyond(r); ok {
		return w
	}
	return tableWidth(r)
}

// Widths say how many columns code points take where that is not as in tmux
// 3.3a on Debian 12: other releases and other C libraries know other versions of
// Unicode. They never change, and may be shared by any number of terminals.
type Widths struct {
	flat [flatWidths]int8
	far  map[rune]int // from flatWidths up
	gone int          // of what the table drops, from flatWidths up
}

// NewWidths makes Widths of single code points, each 0, 1 or 2 columns or -1 for
// one that is dropped; others than these are ignored. unassigned is for all that
// tmux 3.3a drops and runes does not have: from 3.4 they take a column.
func NewWidths(runes map[rune]int, unassigned int) *Widths {
	loadWidths()
	if unassigned < -1 || unassigned > 2 {
		unassigned = -1
	}
	w := &Widths{flat: flat, far: map[rune]int{}, gone: unassigned}
	for r := range w.flat {
		if w.flat[r] < 0 {
			w.flat[r] = int8(unassigned) // -1 to 2
		}
	}
	for r, n := range runes {
		switch {
		case n < -1 || n > 2 || r < 0x80:
		case r < flatWidths:
			w.flat[r] = int8(n)
		default:
			w.far[r] = n
		}
	}
	return w
}

// Width is the number of columns that r takes, -1 if it is dropped. It holds for
// tmux 3.3a if w is nil.
func (w *Widths) Width(r rune) int {
	loadWidths()
	switch {
	case r < 0:
		return -1
	case w == nil:
		return tableWidth(r)
	case r < flatWidths:
		return int(w.flat[r])
	}
	if n, ok := w.beyond(r); ok {
		return n
	}
	return tableWidth(r)
}

// beyond tells where a code point from flatWidths up differs from the table.
func (w *Widths) beyond(r rune) (int, bool) {
	if w == nil {
		return 0, false
	}
	if n, ok := w.far[r]; ok {
		return n, true
	}
	if w.gone >= 0 && tableWidth(r) < 0 {
		return w.gone, true
	}
	return 0, false
}

// Run is a row of code points that have the same width in tmux 3.3a.
type Run struct {
	Lo, Hi rune
	Width  int
}

// Runs lists, in order, the runs that do not take one column in tmux 3.3a. It
// is where other releases and libraries are likely to differ.
func Runs() []Run {
	runs := make([]Run, len(widthRanges))
	for i, r := range widthRanges {
		runs[i] = Run{r.lo, r.hi, int(r.width)}
	}
	return runs
}
