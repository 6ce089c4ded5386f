package vt

// Resize changes the size of the screen. Without [Options.Reflow], and on the
// alternate screen, lines are cut or padded; with it, the text of the screen
// and the scrollback is wrapped anew. The scroll region becomes the whole
// screen.
func (t *Terminal) Resize(size Size) {
	size = size.clamp()
	if size == t.size {
		return
	}
	t.snap = nil
	t.fit(size)
}

// fit brings the screen that shows to size.
func (t *Terminal) fit(size Size) {
	if size == t.size {
		return
	}
	wider := size.Cols != t.size.Cols
	if wider && t.opt.Reflow && !t.alternate() {
		t.reflow(size.Cols)
	}
	t.fitRows(size.Rows, size.Cols)
	t.size = size
	t.top, t.bot = 0, size.Rows-1
	if wider {
		t.resetTabs()
	}
	t.col = min(t.col, size.Cols-1)
	t.line = min(max(t.line, 0), size.Rows-1)
}

// fitRows gives the screen another height: blank lines below the cursor go
// first, then lines at the top, which the main screen keeps in the scrollback
// and takes back when it grows, and only then text below the cursor.
func (t *Terminal) fitRows(rows, cols int) {
	if less := len(t.rows) - rows; less > 0 {
		for less > 0 && len(t.rows)-1 > t.line && t.rows[len(t.rows)-1].blank() {
			t.rows = t.rows[:len(t.rows)-1]
			less--
		}
		above := min(less, t.line)
		if !t.alternate() {
			for _, r := range t.rows[:above] {
				t.scrollOff(r)
			}
		}
		t.rows = append([]*row(nil), t.rows[above:above+rows]...)
		t.line -= above
	}
	if more := rows - len(t.rows); more > 0 && !t.alternate() {
		back := make([]*row, min(more, t.hist.count))
		for i := len(back) - 1; i >= 0; i-- {
			cells, wrapped := t.hist.popLast()
			back[i] = &row{cells: cells, wrapped: wrapped, used: true, gen: t.next()}
		}
		t.rows = append(back, t.rows...)
		t.line += len(back)
	}
	for len(t.rows) < rows {
		t.rows = append(t.rows, &row{gen: t.next()})
	}
	for _, r := range t.rows {
		if len(r.cells) != cols {
			cells := make([]Cell, cols)
			copy(cells, r.cells)
			r.cells, r.shared, r.broken = cells, false, true
			r.gen = t.next()
		}
	}
}

// reflow wraps scrollback and screen anew for another number of columns. The
// cursor stays on its character. It may leave more rows than there were, which
// fitRows sees to.
func (t *Terminal) reflow(cols int) {
	f := flow{cols: cols}
	v := t.hist.view()
	for i := range v.count {
		f.add(v.line(i), v.wrapped(i), -1)
	}
	end := len(t.rows)
	for end > t.line+1 && t.rows[end-1].blank() {
		end--
	}
	for y, r := range t.rows[:end] {
		at := -1
		if y == t.line {
			at = t.col
		}
		f.add(trim(r.display()), r.wrapped && y < end-1, at)
	}
	height := len(t.rows)
	above := min(max(0, len(f.out)-height), f.line)
	lost := t.hist.lost
	t.hist.dropAll()
	t.hist.lost = lost
	for _, r := range f.out[:above] {
		t.scrollOff(r)
	}
	t.rows = f.out[above:]
	t.col, t.line = f.col, f.line-above
	for _, r := range t.rows {
		r.cells = append(make([]Cell, 0, cols), r.cells...)[:cols]
		r.gen = t.next()
	}
	for len(t.rows) < height {
		t.rows = append(t.rows, &row{cells: make([]Cell, cols), gen: t.next()})
	}
}

func trim(cells []Cell) []Cell {
	n := len(cells)
	for n > 0 && cells[n-1] == (Cell{}) {
		n--
	}
	return cells[:n]
}

// flow lays lines out in rows of another width.
type flow struct {
	cols      int
	out       []*row
	open      bool // the last row of out goes on with the next line added
	col, line int  // where the cursor has gone
}

// add lays out one old row; cursor is the column in it to keep track of, or -1.
func (f *flow) add(cells []Cell, wrapped bool, cursor int) {
	if !f.open {
		f.out = append(f.out, &row{used: true})
	}
	last := f.out[len(f.out)-1]
	for x := 0; x < len(cells); x++ {
		c := cells[x]
		w := max(c.Width(), 1)
		if len(last.cells)+min(w, f.cols) > f.cols {
			last.wrapped = true
			last = &row{used: true}
			f.out = append(f.out, last)
		}
		if x == cursor {
			f.col, f.line = len(last.cells), len(f.out)-1
		}
		if w > f.cols {
			c, w = Cell{style: c.style}, 1 // no room for more than a blank
			x++
		}
		last.cells = append(last.cells, c)
		if w == 2 {
			x++
			last.cells = append(last.cells, Cell{glyph: glyphPad})
		}
		if x == cursor {
			f.col, f.line = len(last.cells)-1, len(f.out)-1
		}
	}
	if cursor >= len(cells) {
		f.col, f.line = min(len(last.cells)+cursor-len(cells), f.cols-1), len(f.out)-1
	}
	last.wrapped = wrapped
	f.open = wrapped
}
