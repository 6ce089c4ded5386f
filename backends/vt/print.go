package vt

import (
	"unicode/utf8"
)

const zwj = '\u200d'

// acs is DEC special graphics, '`' to '~', with the arrows below it.
var acs = func() (m [128]rune) {
	copy(m['`':], []rune("◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"))
	for b, r := range map[byte]rune{'+': '→', ',': '←', '-': '↑', '.': '↓', '0': '█'} {
		m[b] = r
	}
	return m
}()

// ascii writes the printable ASCII at the start of p and returns its length.
func (t *Terminal) ascii(p []byte) int {
	n := 0
	for n < len(p) && p[n] >= 0x20 && p[n] < 0x7f {
		n++
	}
	if t.modes.Insert || !t.modes.Wrap || t.charsets.acs[t.charsets.used] {
		for _, b := range p[:n] {
			t.printASCII(b)
		}
		return n
	}
	style := t.penStyle()
	cols := t.size.Cols
	for text := p[:n]; len(text) > 0; {
		if t.col >= cols {
			t.autowrap()
		}
		r := t.edit(t.line)
		x := t.col
		k := min(len(text), cols-x)
		if r.cells[x].isPad() {
			least := 1
			if t.quirks.wholes {
				least = 0
			}
			r.halve(x, least)
		}
		cells := r.cells[x : x+k]
		for i, b := range text[:k] {
			cells[i] = Cell{uint32(b), style}
		}
		r.clearPads(x + k)
		t.col = x + k
		text = text[k:]
	}
	if n > 0 {
		t.last = rune(p[n-1])
	}
	return n
}

func (t *Terminal) printASCII(b byte) {
	r := rune(b)
	t.last = r
	if t.join {
		t.joinOn(r)
		return
	}
	if t.charsets.acs[t.charsets.used] && acs[b] != 0 {
		r = acs[b]
	}
	t.place(r, 1)
}

// print writes one code point from UTF-8.
func (t *Terminal) print(r rune) {
	w := t.width(r)
	t.last = 0
	if t.quirks.clusters {
		switch {
		case w < 0 && r != zwj:
			return
		case t.cluster(r, w):
			t.repeatable(r)
			return
		}
		t.repeatable(r)
	}
	if w > 0 && !t.join && t.modes.Wrap && !t.modes.Insert && !t.parser.capture && w <= t.size.Cols {
		t.placePlain(r, w)
		return
	}
	switch {
	case r == zwj:
		t.join = true
	case w < 0:
	case t.join:
		t.joinOn(r)
	case w == 0:
		t.combine(r)
	default:
		t.place(r, w)
	}
}

// repeatable makes r what REP repeats.
func (t *Terminal) repeatable(r rune) {
	if t.quirks.repeats {
		t.last = r
	}
}

// place puts a character of w columns at the cursor.
func (t *Terminal) place(r rune, w int) {
	cols := t.size.Cols
	if !t.modes.Wrap && !t.parser.capture && t.isTooWide(w) {
		return
	}
	if t.modes.Insert {
		t.insertBlanks(w, Cell{})
	}
	if t.modes.Wrap && t.col > cols-w {
		t.autowrap()
	}
	if t.col > cols-w && !(t.parser.capture && t.col < cols) {
		return
	}
	t.put(r, w)
	if t.modes.Wrap || t.col+w < cols || t.parser.capture {
		t.col = min(t.col+w, cols) // half of it may have been captured at the edge
	} else {
		t.col = cols - 1
	}
}

// isTooWide reports whether a character of w columns is a wide one without room in the line.
// Behind the last column, there is some.
func (t *Terminal) isTooWide(w int) bool {
	cols := t.size.Cols
	return w > 1 && (w > cols || t.col != cols && t.col > cols-w)
}

// put writes a character of w columns into the cells at the cursor, which stays.
func (t *Terminal) put(r rune, w int) {
	row := t.edit(t.line)
	x := t.col
	old := row.cells[x]
	if old.isPad() {
		row.halve(x, 0)
	}
	glyph := uint32(r)
	if w == 2 {
		glyph |= glyphWide
		if x+1 < t.size.Cols {
			row.cells[x+1] = t.pad()
		} else {
			row.broken = true // half of it, captured at the edge
		}
	}
	row.cells[x] = Cell{glyph, t.penStyle()}
	if w == 2 || old.Width() != 1 {
		row.clearPads(x + w)
	}
}

// placePlain is place in the modes that nearly all text is written in, and where
// the character has room on a line.
func (t *Terminal) placePlain(r rune, w int) {
	if t.col > t.size.Cols-w {
		t.autowrap()
	}
	style := t.penStyle()
	row, x := t.edit(t.line), t.col
	cells := row.cells[x:]
	old := cells[0]
	if old.isPad() {
		row.halve(x, 0)
	}
	if w == 2 {
		cells[1] = t.pad()
		cells[0] = Cell{uint32(r) | glyphWide, style}
		row.clearPads(x + 2)
	} else {
		cells[0] = Cell{uint32(r), style}
		if old.glyph&(glyphWide|glyphPad) != 0 {
			row.clearPads(x + 1)
		}
	}
	t.col = x + w
}

// pad is the second half of a wide cell. Its style is what is left where the
// cell is cut in half.
func (t *Terminal) pad() Cell {
	c := Cell{glyph: glyphPad}
	if t.quirks.tints {
		c.style = t.background().style
	}
	return c
}

// halve blanks the wide cell whose second half at x is about to be overwritten.
// tmux leaves one that begins left of column least as it is; it shows as a
// blank all the same.
func (r *row) halve(x, least int) {
	left := Cell{style: r.cells[x].style}
	for ; x > 0 && r.cells[x].isPad(); x-- {
		r.cells[x] = left
	}
	if x >= least {
		r.cells[x] = left
	} else {
		r.broken = true
	}
}

// clearPads blanks second halves that have lost their first.
func (r *row) clearPads(x int) {
	for ; x < len(r.cells) && r.cells[x].isPad(); x++ {
		r.cells[x].glyph = 0
	}
}

// before finds the cell that a combining character goes to.
func (t *Terminal) before() (x int, ok bool) {
	cells := t.rows[t.line].cells
	for x = t.col - 1; x >= 0; x-- {
		if !cells[x].isPad() {
			return x, true
		}
	}
	return 0, false
}

// joinOn adds r after a zero width joiner. tmux holds the joiner back until it
// knows what comes next, and forgets it before plain ASCII.
func (t *Terminal) joinOn(r rune) {
	t.join = false
	t.combine(zwj)
	t.combine(r)
}

// combine adds r to the character before the cursor, which keeps its width.
// Without one, or when the cell is full, r is dropped.
func (t *Terminal) combine(r rune) {
	x, ok := t.before()
	if !ok {
		return
	}
	c := t.rows[t.line].cells[x]
	s := text(t.tab.graphemes, c)
	if len(s)+utf8.RuneLen(r) > maxGrapheme {
		return
	}
	wide := c.glyph & glyphWide
	t.edit(t.line).cells[x].glyph = glyphLong | wide | t.tab.grapheme(s+string(r))
}
