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

// width is the number of columns that r takes in tmux 3.3a, or -1.
func (t *Terminal) width(r rune) int {
	if t.opt.Widths != nil {
		if w, ok := t.opt.Widths[r]; ok && w >= 0 && w <= 2 {
			return w
		}
	}
	if r < flatWidths {
		return int(flat[r])
	}
	i := sort.Search(len(widthRanges), func(i int) bool { return widthRanges[i].hi >= r })
	if i < len(widthRanges) && widthRanges[i].lo <= r {
		return int(widthRanges[i].width)
	}
	return 1
}
