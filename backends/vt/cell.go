package vt

// Cell is one column of one row, in 8 bytes: what it shows and how are indices
// that the [Snapshot] it came from resolves. A Cell of one snapshot must not
// be resolved by another. The zero value is a blank in the default style.
type Cell struct {
	glyph uint32
	style uint32
}

// Layout of Cell.glyph: a rune in the low bits, or an index into the grapheme
// table; one flag each for a cell that is two columns wide and for the second
// column of such a cell.
const (
	glyphLong uint32 = 1 << 31
	glyphWide uint32 = 1 << 30
	glyphPad  uint32 = 1 << 29
	glyphMask uint32 = glyphPad - 1
)

// Width is the number of columns that the cell's text takes: 1 or 2, and 0 for
// the second half of a wide cell.
func (c Cell) Width() int {
	switch {
	case c.glyph == glyphPad:
		return 0
	case c.glyph&glyphWide != 0:
		return 2
	default:
		return 1
	}
}

// Blank reports whether the cell shows no text.
func (c Cell) Blank() bool { return c.glyph == 0 || c.glyph == ' ' }

// Empty reports whether nothing was written in the cell since it was last
// erased. A blank that a program wrote is not empty.
func (c Cell) Empty() bool { return c.glyph == 0 }

// SameStyle reports whether two cells of one snapshot look alike, which is
// quicker than comparing their styles.
func (c Cell) SameStyle(d Cell) bool { return c.style == d.style }

func (c Cell) isPad() bool { return c.glyph == glyphPad }

// row is one line of the screen. A row that a snapshot shares is never written
// again: Terminal.edit replaces its cells first.
type row struct {
	cells   []Cell
	gen     uint64 // unique to this content
	wrapped bool   // the text goes on in the next row
	used    bool   // has been written to since it was emptied
	shared  bool   // a snapshot holds cells
	broken  bool   // an erase may have cut a wide cell in half
}

// display is what the row shows.
func (r *row) display() []Cell {
	if r.broken {
		return whole(r.cells)
	}
	return r.cells
}

// whole returns cells in which every wide cell has its second half and every
// second half its wide cell. tmux keeps the halves that an erase leaves; on a
// real screen they show as blanks, so that is what a snapshot holds.
func whole(cells []Cell) []Cell {
	out := append([]Cell(nil), cells...)
	for x := 0; x < len(out); x++ {
		switch out[x].Width() {
		case 0:
			out[x].glyph = 0
		case 2:
			if x+1 < len(out) && out[x+1].isPad() {
				x++
				continue
			}
			out[x].glyph = 0
		}
	}
	return out
}
