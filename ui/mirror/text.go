package mirror

import (
	"strings"

	"github.com/nod-console/nod/backends/vt"
)

// A line that is too long for the terminal is wrapped: its text goes on in the
// next line of the picture. Whoever copies or searches means the text, so here
// such lines are one.

// lineCells are the cells of line i that belong to its text: without blanks at
// the end of the text, and without columns at the edge in which a wide
// character had no room. on says that the text goes on in line i+1.
func lineCells(s *vt.Snapshot, i int) (cells []vt.Cell, on bool) {
	cells = s.Line(i)
	on = s.LineWrapped(i) && i+1 < s.Lines()
	n := len(cells)
	for n > 0 && (cells[n-1].Empty() || !on && cells[n-1].Blank()) {
		n--
	}
	return cells[:n], on
}

// textStart and textEnd are the first and the last line of the text that line i
// is a part of.
func textStart(s *vt.Snapshot, i int) int {
	for i > 0 && s.LineWrapped(i-1) {
		i--
	}
	return i
}

func textEnd(s *vt.Snapshot, i int) int {
	for i+1 < s.Lines() && s.LineWrapped(i) {
		i++
	}
	return i
}

// wholeFrom moves a column back to where its character begins.
func wholeFrom(cells []vt.Cell, col int) int {
	for col > 0 && col < len(cells) && cells[col].Width() == 0 {
		col--
	}
	return col
}

// textBetween is the text from one point to another, both included with the
// whole of their characters. None of its lines ends with a blank.
func textBetween(s *vt.Snapshot, from, to point) string {
	var b []byte
	for i := from.line; i <= to.line; i++ {
		cells, on := lineCells(s, i)
		first, end := 0, len(cells)
		if i == to.line {
			end = min(to.col+1, end)
		}
		if i == from.line {
			first = wholeFrom(cells, min(from.col, end))
		}
		b = s.AppendText(b, cells[first:end])
		if !on && i < to.line {
			b = append(b, '\n')
		}
	}
	return strings.TrimRight(string(b), " ")
}
