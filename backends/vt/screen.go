package vt

// This file holds what control functions do to the screen. Each follows tmux
// 3.3a, also where that differs from a VT220 or xterm: the reference is what
// the operator's own tmux shows. "fill" is always the blank to leave behind.

// moveTo is a cursor position relative to the origin.
func (t *Terminal) moveTo(col, line int) {
	if t.modes.Origin {
		if line > t.bot-t.top {
			line = t.bot
		} else {
			line += t.top
		}
	}
	t.moveAbs(col, line)
}

func (t *Terminal) moveAbs(col, line int) {
	t.col = min(max(col, 0), t.size.Cols-1)
	t.line = min(max(line, 0), t.size.Rows-1)
}

func (t *Terminal) cursorUp(n int) {
	limit := t.top
	if t.line < t.top {
		limit = 0
	}
	t.line = max(limit, t.line-n)
	t.unpend()
}

func (t *Terminal) cursorDown(n int) {
	limit := t.bot
	if t.line > t.bot {
		limit = t.size.Rows - 1
	}
	t.line = min(limit, t.line+n)
	t.unpend()
}

// unpend takes a cursor behind the last column back into it.
func (t *Terminal) unpend() {
	if t.col == t.size.Cols {
		t.col--
	}
}

func (t *Terminal) cursorRight(n int) { t.col = min(t.size.Cols-1, t.col+n) }

func (t *Terminal) cursorLeft(n int) { t.col = max(0, t.col-n) }

func (t *Terminal) backspace() {
	switch {
	case t.col > 0:
		t.col--
	case t.line > 0 && t.rows[t.line-1].wrapped:
		t.line--
		t.col = t.size.Cols - 1
	}
}

func (t *Terminal) nextTab() {
	for t.col < t.size.Cols-1 {
		t.col++
		if t.tabs[t.col] {
			return
		}
	}
}

func (t *Terminal) backTab(n int) {
	t.unpend()
	for ; n > 0 && t.col > 0; n-- {
		t.col--
		for t.col > 0 && !t.tabs[t.col] {
			t.col--
		}
	}
}

// lineFeed scrolls at the bottom of the region. wrapped says that it comes
// from a full line, which then goes on in the next one.
func (t *Terminal) lineFeed(wrapped bool, fill Cell) {
	if wrapped {
		t.rows[t.line].wrapped = true
	}
	if t.line == t.bot {
		t.scrollUp(1, fill)
	} else if t.line < t.size.Rows-1 {
		t.line++
	}
}

// autowrap goes to the next line. It scrolls in the default background, other
// than a line feed of the program.
func (t *Terminal) autowrap() {
	t.lineFeed(true, Cell{})
	t.col = 0
}

func (t *Terminal) reverseIndex() {
	if t.line == t.top {
		t.scrollDown(1, t.background())
	} else if t.line > 0 {
		t.line--
	}
}

// scrollUp moves the region up. On the main screen what leaves it goes to the
// scrollback, even if the region does not begin at the top: so does tmux.
func (t *Terminal) scrollUp(n int, fill Cell) {
	if t.alternate() {
		t.moveLines(t.top, t.top+n, t.bot+1-t.top-n, fill)
		t.eraseLines(max(t.top, t.bot+1-n), t.bot+1, fill)
		return
	}
	for ; n > 0; n-- {
		r := t.rows[t.top]
		t.scrollOff(r)
		copy(t.rows[t.top:t.bot], t.rows[t.top+1:t.bot+1])
		t.rows[t.bot] = r
		t.empty(r, fill)
	}
}

// scrollOff puts a row of the main screen into the scrollback.
func (t *Terminal) scrollOff(r *row) { t.hist.push(r.display(), r.wrapped) }

func (t *Terminal) scrollDown(n int, fill Cell) {
	n = min(n, t.bot+1-t.top)
	for ; n > 0; n-- {
		t.moveLines(t.top+1, t.top, t.bot-t.top, fill)
	}
}

// insertLines is IL. Outside the region it reaches to the end of the screen,
// and inserting more than half of that leaves old lines in the middle.
func (t *Terminal) insertLines(n int) {
	if t.line < t.top || t.line > t.bot {
		n = min(n, t.size.Rows-t.line)
		t.moveLines(t.line+n, t.line, t.size.Rows-t.line-n, t.background())
		return
	}
	end := t.bot + 1
	n = min(n, end-t.line)
	t.moveLines(t.line+n, t.line, end-t.line-n, t.background())
	t.eraseLines(t.line, t.line+n, t.background())
}

// deleteLines is DL.
func (t *Terminal) deleteLines(n int) {
	end := t.bot + 1
	if t.line < t.top || t.line > t.bot {
		end = t.size.Rows
	}
	n = min(n, end-t.line)
	t.moveLines(t.line, t.line+n, end-t.line-n, t.background())
	t.eraseLines(end-n, end, t.background())
}

// moveLines moves n lines and empties those that have gone. The line above
// either place does not go on in it any more.
func (t *Terminal) moveLines(to, from, n int, fill Cell) {
	if n <= 0 || to == from {
		return
	}
	t.unwrap(to - 1)
	if from < to || from >= to+n {
		t.unwrap(from - 1)
	}
	shift := from - to
	if shift >= n || -shift >= n { // what lies between stays
		for i := range n {
			t.rows[to+i], t.rows[from+i] = t.rows[from+i], t.rows[to+i]
			t.empty(t.rows[from+i], fill)
		}
		return
	}
	part := t.rows[min(to, from) : max(to, from)+n]
	rotate(part, shift)
	gone := part[len(part)-max(shift, 0):]
	if shift < 0 {
		gone = part[:-shift]
	}
	for _, r := range gone {
		t.empty(r, fill)
	}
}

// rotate turns rows left by n, or right by -n.
func rotate(rows []*row, n int) {
	if n < 0 {
		n += len(rows)
	}
	if n == 1 {
		first := rows[0]
		copy(rows, rows[1:])
		rows[len(rows)-1] = first
		return
	}
	turned := append(append(make([]*row, 0, len(rows)), rows[n:]...), rows[:n]...)
	copy(rows, turned)
}

func (t *Terminal) unwrap(y int) {
	if y >= 0 {
		t.rows[y].wrapped = false
	} else {
		t.hist.tail = false
	}
}

// eraseLines empties the lines from y0 up to but not including y1.
func (t *Terminal) eraseLines(y0, y1 int, fill Cell) {
	if y0 >= y1 {
		return
	}
	for _, r := range t.rows[y0:y1] {
		t.empty(r, fill)
	}
	t.unwrap(y0 - 1)
}

// eraseCells blanks part of a line. Halves of wide cells stay behind.
func (t *Terminal) eraseCells(y, x0, x1 int, fill Cell) {
	x1 = min(x1, t.size.Cols)
	if x0 >= x1 {
		return
	}
	if x0 == 0 && x1 == t.size.Cols {
		t.eraseLines(y, y+1, fill)
		return
	}
	r := t.edit(y)
	if r.cells[x0].isPad() || x1 < len(r.cells) && r.cells[x1].isPad() {
		r.broken = true
	}
	cells := r.cells[x0:x1]
	for i := range cells {
		cells[i] = fill
	}
}

// moveCells moves n cells within a line and blanks those that have gone.
func (t *Terminal) moveCells(y, to, from, n int, fill Cell) {
	if n <= 0 || to == from {
		return
	}
	r := t.edit(y)
	r.broken = true
	copy(r.cells[to:to+n], r.cells[from:from+n])
	for x := from; x < from+n; x++ {
		if x < to || x >= to+n {
			r.cells[x] = fill
		}
	}
}

// insertBlanks is ICH. The blanks are what moveCells leaves behind, so that
// inserting more than half the rest of the line leaves old text in the middle.
func (t *Terminal) insertBlanks(n int, fill Cell) {
	cols := t.size.Cols
	if t.col >= cols-1 {
		t.eraseCells(t.line, t.col, t.col+1, fill)
		return
	}
	n = min(n, cols-t.col)
	t.moveCells(t.line, t.col+n, t.col, cols-t.col-n, fill)
}

// deleteChars is DCH.
func (t *Terminal) deleteChars(n int) {
	cols := t.size.Cols
	n = min(n, cols-t.col)
	if n <= 0 {
		return
	}
	t.moveCells(t.line, t.col, t.col+n, cols-t.col-n, t.background())
	t.eraseCells(t.line, cols-n, cols, t.background())
}

// eraseChars is ECH.
func (t *Terminal) eraseChars(n int) {
	t.eraseCells(t.line, t.col, t.col+min(n, t.size.Cols), t.background())
}

func (t *Terminal) eraseInLine(how int) {
	cols := t.size.Cols
	switch how {
	case 0:
		t.eraseToEnd()
	case 1:
		if t.col >= cols-1 {
			t.eraseWholeLine()
			return
		}
		t.eraseCells(t.line, 0, t.col+1, t.background())
	case 2:
		t.eraseWholeLine()
	}
}

func (t *Terminal) eraseToEnd() {
	if t.col == 0 {
		t.eraseWholeLine()
		return
	}
	t.eraseCells(t.line, t.col, t.size.Cols, t.background())
}

func (t *Terminal) eraseWholeLine() {
	fill := t.background()
	if !t.rows[t.line].used && fill == (Cell{}) {
		return
	}
	t.eraseLines(t.line, t.line+1, fill)
}

func (t *Terminal) eraseInScreen(how int) {
	rows, cols := t.size.Rows, t.size.Cols
	fill := t.background()
	switch how {
	case 0:
		if t.col == 0 && t.line == 0 && !t.alternate() {
			t.clearScreen()
			return
		}
		t.eraseCells(t.line, t.col, cols, fill)
		t.eraseLines(t.line+1, rows, fill)
	case 1:
		t.eraseLines(0, t.line, fill)
		t.eraseCells(t.line, 0, t.col+1, fill)
	case 2:
		t.clearScreen()
	}
}

// clearScreen empties the screen. What the main screen showed goes to the
// scrollback (tmux's scroll-on-clear).
func (t *Terminal) clearScreen() {
	if !t.alternate() {
		last := 0
		for y, r := range t.rows {
			if r.used && !r.blank() {
				last = y + 1
			}
		}
		for _, r := range t.rows[:last] {
			t.scrollOff(r)
		}
	}
	t.eraseLines(0, t.size.Rows, t.background())
}

// blank reports whether nothing has been written in the row.
func (r *row) blank() bool {
	for _, c := range r.cells {
		if c.glyph != 0 {
			return false
		}
	}
	return true
}

// alignmentTest is DECALN.
func (t *Terminal) alignmentTest() {
	t.col, t.line, t.top, t.bot = 0, 0, 0, t.size.Rows-1
	for y := range t.rows {
		r := t.edit(y)
		r.broken = false
		for x := range r.cells {
			r.cells[x] = Cell{glyph: 'E'}
		}
	}
}

func (t *Terminal) setRegion(top, bot int) {
	top, bot = min(top, t.size.Rows-1), min(bot, t.size.Rows-1)
	if top < bot {
		t.top, t.bot = top, bot
		t.col, t.line = 0, 0
	}
}

func (t *Terminal) saveCursor() {
	t.decsc = savedCursor{t.col, t.line, t.pen, t.charsets, t.modes.Origin}
}

func (t *Terminal) restoreCursor() {
	s := t.decsc
	t.pen, t.charsets, t.modes.Origin = s.pen, s.charsets, s.origin
	t.penChanged()
	t.moveAbs(s.col, s.line)
}
