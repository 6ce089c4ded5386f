package vt

import (
	"slices"
	"strings"
)

// Snapshot is the state of a terminal at one moment. It never changes and is
// safe for concurrent use. Rows that have not changed are shared with earlier
// snapshots.
type Snapshot struct {
	Size      Size
	Cursor    Cursor
	Title     string
	Modes     Modes
	Alternate bool // the alternate screen shows
	Scrolled  int  // lines above the screen
	// Lost is the number of lines that the scrollback has dropped so far, so
	// that Lost+i names line i for good, whatever is written later.
	Lost uint64
	// Generation differs between two snapshots of a terminal if anything may
	// differ between them.
	Generation uint64

	rows      []snapRow
	hist      histView
	histGen   uint64
	pens      []pen
	graphemes []string
	links     []string
}

type snapRow struct {
	cells   []Cell
	gen     uint64
	wrapped bool
}

// Snapshot returns the present state. While nothing is written it returns the
// same snapshot again.
func (t *Terminal) Snapshot() *Snapshot {
	if t.snap != nil {
		return t.snap
	}
	s := &Snapshot{
		Size:       t.size,
		Cursor:     t.cursor,
		Title:      t.title,
		Modes:      t.modes,
		Alternate:  t.alternate(),
		Scrolled:   t.hist.count,
		Lost:       t.hist.lost,
		Generation: t.next(),
		rows:       make([]snapRow, t.size.Rows),
		histGen:    t.hist.pushed,
		pens:       t.tab.pens,
		graphemes:  t.tab.graphemes,
		links:      t.tab.links,
	}
	s.Cursor.Col, s.Cursor.Row = t.col, t.line
	for y, r := range t.rows {
		s.rows[y] = snapRow{r.cells, r.gen, r.wrapped}
		if r.broken {
			s.rows[y].cells = whole(r.cells)
			continue
		}
		r.shared = true
	}
	s.hist = t.history()
	t.snap = s
	return s
}

// history is the view of the scrollback, made anew only if it changed.
func (t *Terminal) history() histView {
	if !t.viewed || t.viewGen != t.hist.pushed {
		t.view, t.viewGen, t.viewed = t.hist.view(), t.hist.pushed, true
	}
	t.view.tail = t.hist.tail
	return t.view
}

// Row returns the cells of screen row y, one for each column. Do not modify it.
func (s *Snapshot) Row(y int) []Cell { return s.rows[y].cells }

// RowGeneration identifies the content of screen row y: it is the same in two
// snapshots of a terminal only if the row looks the same in both.
func (s *Snapshot) RowGeneration(y int) uint64 { return s.rows[y].gen }

// Wrapped reports whether screen row y goes on in the next one.
func (s *Snapshot) Wrapped(y int) bool { return s.rows[y].wrapped }

// Lines is the number of lines that Line gives: scrollback and screen.
func (s *Snapshot) Lines() int { return s.Scrolled + len(s.rows) }

// Line returns line i, counted from the oldest of the scrollback; line
// s.Scrolled is the top of the screen. A line of the scrollback has no blanks
// at its end, and as many cells as the screen was wide then at most. Do not
// modify it.
func (s *Snapshot) Line(i int) []Cell {
	if i < s.Scrolled {
		return s.hist.line(i)
	}
	return s.rows[i-s.Scrolled].cells
}

// LineWrapped reports whether line i goes on in the next one.
func (s *Snapshot) LineWrapped(i int) bool {
	if i < s.Scrolled {
		return s.hist.wrapped(i)
	}
	return s.rows[i-s.Scrolled].wrapped
}

// LineText returns the text of line i without blanks at its end.
func (s *Snapshot) LineText(i int) string { return s.TextOf(s.Line(i)) }

// RowText returns the text of screen row y without blanks at its end.
func (s *Snapshot) RowText(y int) string { return s.TextOf(s.rows[y].cells) }

// TextOf returns the text of cells without blanks at its end.
func (s *Snapshot) TextOf(cells []Cell) string {
	n := len(cells)
	for n > 0 && cells[n-1].Blank() {
		n--
	}
	return string(s.AppendText(make([]byte, 0, n), cells[:n]))
}

// AppendText adds the text of all cells to b, blanks as spaces.
func (s *Snapshot) AppendText(b []byte, cells []Cell) []byte {
	b = slices.Grow(b, len(cells))
	for len(cells) > 0 {
		out := b[len(b) : len(b)+len(cells)]
		n := 0
		for n < len(cells) && cells[n].glyph-0x20 < 0x5f {
			out[n] = byte(cells[n].glyph)
			n++
		}
		b = b[:len(b)+n]
		if cells = cells[n:]; len(cells) > 0 {
			b = append(b, text(s.graphemes, cells[0])...)
			b = slices.Grow(b, len(cells)-1)
			cells = cells[1:]
		}
	}
	return b
}

// String returns the text of the screen, a line for each row.
func (s *Snapshot) String() string {
	var b strings.Builder
	for y := range s.rows {
		b.WriteString(s.RowText(y))
		b.WriteByte('\n')
	}
	return b.String()
}

// Text is what the cell shows: one character with what combines with it, a
// space if it is blank, nothing if it is the second half of a wide cell.
func (s *Snapshot) Text(c Cell) string { return text(s.graphemes, c) }

// Rune is the cell's first character, and whether there are more: then Text
// has them all. It is 0 for the second half of a wide cell.
func (s *Snapshot) Rune(c Cell) (r rune, more bool) {
	switch {
	case c.glyph == 0:
		return ' ', false
	case c.glyph == glyphPad:
		return 0, false
	case c.glyph&glyphLong != 0:
		for _, r := range s.graphemes[c.glyph&glyphMask] {
			return r, true
		}
	}
	return rune(c.glyph & glyphMask), false
}

// Style is how the cell looks.
func (s *Snapshot) Style(c Cell) Style { return s.pens[c.style].Style }

// Link is the address of the hyperlink that the cell belongs to, or "".
func (s *Snapshot) Link(c Cell) string { return s.links[s.pens[c.style].link] }
