package chat

// What the mouse does in a transcript: a click chooses an entry, a drag selects text.

import (
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"github.com/nod-console/nod/ui/screen"
)

// drag is a button of the mouse that is down.
type drag struct {
	on, moved bool
	from, to  spot
	width     int // of the transcript when it began
}

// spot is a cell of the transcript.
type spot struct {
	place
	col int
}

func (a spot) before(b spot) bool {
	if a.place != b.place {
		return a.place.before(b.place)
	}
	return a.col < b.col
}

// Press takes note that the left button went down at a cell of the last Draw.
func (t *Transcript) Press(col, row int) {
	at := t.spotAt(col, row)
	t.drag = drag{on: true, from: at, to: at, width: t.width}
}

// Drag selects up to a cell while the button is down. A row that is not on the screen
// scrolls.
func (t *Transcript) Drag(col, row int) {
	if !t.drag.on {
		return
	}
	switch {
	case row < 0:
		t.Scroll(-1)
	case row >= t.height:
		t.Scroll(1)
	}
	to := t.spotAt(col, min(max(row, 0), max(t.height-1, 0)))
	t.drag.moved = t.drag.moved || to != t.drag.from
	t.drag.to = to
}

// Release takes note that the button was let go, and returns what was selected. It is a
// click if nothing was: that chooses the entry, and opens or closes it where the sign
// for that stands.
func (t *Transcript) Release() (text string, click bool) {
	d := t.drag
	t.drag = drag{}
	switch {
	case !d.on || d.width != t.width:
		return "", false
	case d.moved:
		return t.textBetween(d.from, d.to), false
	}
	if d.from.block < len(t.blocks) {
		t.selected = d.from.block
		if d.from.line == 0 && d.from.col < gutter {
			t.blocks[t.selected].fold()
		}
	}
	return "", true
}

// spotAt is the cell that is drawn at a place of the last Draw.
func (t *Transcript) spotAt(col, row int) spot { return spot{t.down(t.top, row), max(col, 0)} }

// selects is which cells of a line are selected: from one up to another, which is not.
func (t *Transcript) selects(p place) (from, to int) {
	d := t.drag
	if !d.on || !d.moved || d.width != t.width {
		return 0, 0
	}
	first, last := d.from, d.to
	if last.before(first) {
		first, last = last, first
	}
	if (spot{p, 1 << 20}).before(first) || last.before(spot{p, 0}) {
		return 0, 0
	}
	to = 1 << 20
	if p == first.place {
		from = first.col
	}
	if p == last.place {
		to = last.col + 1
	}
	return max(from, gutter), to
}

// drawSelected marks what is selected of a line that is drawn at a place.
func (t *Transcript) drawSelected(s tcell.Screen, p place, x, y, width int) {
	from, to := t.selects(p)
	to = min(to, spansWidth(t.blocks[p.block].line(p.line)), width)
	for ; from < to; from++ {
		text, _, cells := s.Get(x+from, y)
		s.Put(x+from, y, text, t.styles.Selection)
		from += max(cells-1, 0)
	}
}

// textBetween is the text from one cell to another, as it was written: lines that went
// on in the next one because there was no room are one line.
func (t *Transcript) textBetween(from, to spot) string {
	if to.before(from) {
		from, to = to, from
	}
	var b strings.Builder
	for i := from.block; i <= to.block && i < len(t.blocks); i++ {
		n := t.layout(i)
		for l := range n {
			p := place{i, l}
			if (spot{p, 1 << 20}).before(from) || to.before(spot{p, 0}) {
				continue
			}
			first, last := 0, 1<<20
			if p == from.place {
				first = from.col
			}
			if p == to.place {
				last = to.col + 1
			}
			one := t.blocks[i].line(l)
			if b.Len() > 0 {
				b.WriteString(one.joint())
			}
			b.WriteString(one.cells(first, last))
		}
	}
	return strings.Trim(b.String(), "\n")
}

// joint is what stands between a line and the one before it in the text.
func (l line) joint() string {
	for _, s := range l {
		switch s.joins {
		case joinsBlank:
			return " "
		case joinsWord:
			return ""
		}
	}
	return "\n"
}

// cells is the text of the cells from one up to another, which is not among them,
// without what stands around the text: the gutter, bars, what is set in.
func (l line) cells(from, to int) string {
	var b strings.Builder
	at := 0
	for _, s := range l {
		rest, state := s.text, -1
		for rest != "" {
			var cluster string
			var cells int
			cluster, rest, cells, state = uniseg.FirstGraphemeClusterInString(rest, state)
			if at+max(cells, 1) > from && at < to && !s.around {
				b.WriteString(cluster)
			}
			at += screen.Width(cluster)
		}
	}
	return strings.TrimRight(b.String(), " ")
}
