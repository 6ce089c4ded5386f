package show

import (
	"slices"
	"strings"
)

// MinWidth is the least width of rows: the longest sign fits.
const MinWidth = 12

// tabStop is how many cells apart the tab stops of a row are.
const tabStop = 8

// Cell is one cell of a row.
type Cell struct {
	Rune   rune
	Offset int  // of the character in the text, in bytes
	Blank  bool // part of a sign that stands for a space or a tab
	Sign   bool // part of a sign that stands for another character
}

// Row is one line on the screen.
type Row struct {
	Line  int  // the line of the text that it shows, from 1
	First bool // whether the line starts here; if not, it goes on here
	// Start and End are the bytes of the text that it shows, without a newline.
	Start, End int
	Cells      []Cell
}

// Text is what the row's cells show.
func (r Row) Text() string {
	var b strings.Builder
	for _, c := range r.Cells {
		b.WriteRune(c.Rune)
	}
	return b.String()
}

// Rows renders s for a width of that many cells, MinWidth at least. A line of s
// is one row or more; a sign is never cut in two. A newline at the end of s
// makes a last, empty line, so that texts with and without it differ. Spaces
// beside a break that is not in s are marked like those at the end of a line. What
// follows a tab in its row stands at a tab stop, counted from the row's start.
func Rows(s string, width int) []Row {
	width = max(width, MinWidth)
	row := Row{Line: 1, First: true}
	var rows []Row
	var b strings.Builder
	for at := 0; at < len(s); {
		if s[at] == '\n' {
			rows = append(rows, row)
			at++
			row = Row{Line: row.Line + 1, First: true, Start: at, End: at}
			continue
		}
		b.Reset()
		n := token(&b, s, at)
		shown := []rune(b.String())
		blanks := row.untilStop()
		if len(row.Cells)+len(blanks)+len(shown) > width {
			mark(row.Cells, len(row.Cells)-1)
			rows = append(rows, row)
			row, blanks = Row{Line: row.Line, Start: at}, nil
		}
		row.Cells = append(row.Cells, blanks...)
		blank := shown[0] == space || shown[0] == tab
		for _, r := range shown {
			row.Cells = append(row.Cells, Cell{Rune: r, Offset: at, Blank: blank, Sign: len(shown) > 1})
		}
		if !row.First {
			mark(row.Cells, 0)
		}
		at += n
		row.End = at
	}
	return append(rows, row)
}

// untilStop are the blanks from a tab at the row's end to the next tab stop.
func (r Row) untilStop() []Cell {
	at := len(r.Cells) - 1
	if at < 0 || r.Cells[at].Rune != tab {
		return nil
	}
	blank := r.Cells[at]
	blank.Rune = ' '
	return slices.Repeat([]Cell{blank}, (tabStop-len(r.Cells)%tabStop)%tabStop)
}

// mark makes a space visible.
func mark(cells []Cell, at int) {
	if cells[at].Rune == ' ' {
		cells[at].Rune, cells[at].Blank = space, true
	}
}
