package vt

// slabCells is the size of one piece of scrollback, 256 KB: small enough that
// dropping old lines piece by piece wastes little, large enough that a full
// scrollback is some dozens of pieces.
const slabCells = 1 << 15

// history is the scrollback: lines in the order they left the screen, their
// cells packed without trailing blanks into slabs. A slab is only ever
// appended to, so a snapshot shares it by remembering how far it had got.
type history struct {
	limit  int
	slabs  []*slab
	first  int // lines of slabs[0] that are over the limit
	count  int // lines in all
	spare  *slab
	tail   bool   // the last line goes on in the screen's first row
	pushed uint64 // changes with every change of the history
	lost   uint64 // lines dropped so far
}

type slab struct {
	cells  []Cell
	lines  []histLine
	shared bool
}

// histLine is a range of a slab's cells. That a line is wrapped is told by its
// successor, since tmux takes the wrap back when the successor is erased.
type histLine struct {
	from, to  uint32
	continues bool
}

func (h *history) push(cells []Cell, wrapped bool) {
	if h.limit <= 0 {
		return
	}
	n := len(cells)
	for n > 0 && cells[n-1] == (Cell{}) {
		n--
	}
	s := h.room(n)
	from := uint32(len(s.cells))
	s.cells = append(s.cells, cells[:n]...)
	s.lines = append(s.lines, histLine{from, from + uint32(n), h.tail})
	h.tail = wrapped
	h.count++
	h.pushed++
	if h.count > h.limit {
		h.dropFirst()
	}
}

// room returns the last slab, or a new one if n more cells do not fit.
func (h *history) room(n int) *slab {
	lines := 0
	if k := len(h.slabs); k > 0 {
		s := h.slabs[k-1]
		if len(s.cells)+n <= cap(s.cells) && len(s.lines) < slabCells {
			return s
		}
		lines = len(s.lines)
	}
	s := h.spare
	h.spare = nil
	if s == nil || cap(s.cells) < n {
		// The next lines are likely to be as long as the last ones.
		s = &slab{cells: make([]Cell, 0, max(slabCells, n)), lines: make([]histLine, 0, lines)}
	}
	h.slabs = append(h.slabs, s)
	return s
}

func (h *history) dropFirst() {
	h.count--
	h.lost++
	h.first++
	s := h.slabs[0]
	if h.first < len(s.lines) {
		return
	}
	h.first = 0
	copy(h.slabs, h.slabs[1:])
	h.slabs[len(h.slabs)-1] = nil
	h.slabs = h.slabs[:len(h.slabs)-1]
	if !s.shared {
		s.cells, s.lines = s.cells[:0], s.lines[:0]
		h.spare = s
	}
}

func (h *history) dropAll() {
	*h = history{limit: h.limit, pushed: h.pushed + 1, lost: h.lost + uint64(h.count)}
}

// popLast takes the newest line back, for a screen that grows.
func (h *history) popLast() (cells []Cell, wrapped bool) {
	s := h.slabs[len(h.slabs)-1]
	if s.shared {
		// A snapshot reads up to the end of what it saw; writing there again
		// needs a slab of our own.
		s = &slab{
			cells: append(make([]Cell, 0, cap(s.cells)), s.cells...),
			lines: append([]histLine(nil), s.lines...),
		}
		h.slabs[len(h.slabs)-1] = s
	}
	l := s.lines[len(s.lines)-1]
	cells = append([]Cell(nil), s.cells[l.from:l.to]...)
	wrapped, h.tail = h.tail, l.continues
	s.cells, s.lines = s.cells[:l.from], s.lines[:len(s.lines)-1]
	h.count--
	h.pushed++
	if len(s.lines) == 0 || (len(h.slabs) == 1 && h.count == 0) {
		h.slabs = h.slabs[:len(h.slabs)-1]
		if len(h.slabs) == 0 {
			h.first = 0
		}
	}
	return cells, wrapped
}

// rewrite lets f change all cells, copying the slabs that snapshots hold.
func (h *history) rewrite(f func([]Cell)) {
	for i, s := range h.slabs {
		if s.shared {
			s = &slab{
				cells: append(make([]Cell, 0, cap(s.cells)), s.cells...),
				lines: append([]histLine(nil), s.lines...),
			}
			h.slabs[i] = s
		}
		if i == 0 {
			// The lines over the limit may refer to what is gone; they are
			// never read again.
			dead := s.lines[:h.first]
			for _, l := range dead {
				clear(s.cells[l.from:l.to])
			}
		}
		f(s.cells)
	}
	h.pushed++
}

// histView is the scrollback as a snapshot sees it.
type histView struct {
	slabs []slabView
	count int
	tail  bool
}

type slabView struct {
	cells []Cell
	lines []histLine
	start int // index of lines[0] in the whole
}

func (h *history) view() histView {
	v := histView{slabs: make([]slabView, len(h.slabs)), count: h.count, tail: h.tail}
	n := 0
	for i, s := range h.slabs {
		s.shared = true
		lines := s.lines[:len(s.lines):len(s.lines)]
		if i == 0 {
			lines = lines[h.first:]
		}
		v.slabs[i] = slabView{s.cells[:len(s.cells):len(s.cells)], lines, n}
		n += len(lines)
	}
	return v
}

func (v *histView) find(i int) (slabView, histLine) {
	lo, hi := 0, len(v.slabs)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; v.slabs[mid].start <= i {
			lo = mid
		} else {
			hi = mid
		}
	}
	s := v.slabs[lo]
	return s, s.lines[i-s.start]
}

func (v *histView) line(i int) []Cell {
	s, l := v.find(i)
	return s.cells[l.from:l.to:l.to]
}

func (v *histView) wrapped(i int) bool {
	if i == v.count-1 {
		return v.tail
	}
	_, l := v.find(i + 1)
	return l.continues
}
