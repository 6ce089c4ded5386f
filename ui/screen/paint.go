package screen

import (
	"strconv"
	"strings"

	"github.com/gdamore/tcell/v2/terminfo"
)

// bigFrame is the size in bytes from which on a frame is worth the brackets
// that keep a terminal from showing half of it (mode 2026) and a hidden cursor.
const bigFrame = 192

// eraseFrom is how many blank cells are worth a sequence that erases them (ECH), and
// the step over them.
const eraseFrom = 10

// shortStep is how many cells are about as many bytes as a step over them.
const shortStep = 4

// painter turns what differs between two frames into the language of terminals: as
// few bytes as it takes, with the terminal's own scrolling where rows moved.
//
// Only printable ASCII has a width that every terminal agrees on, and next to all
// agree on single characters that are no emoji: what follows such a character is
// written right behind it, but nothing else is counted from there: a place in the same
// row is said by its column. Behind anything else the cursor's place is not known, and is
// said.
type painter struct {
	xterm bool // the terminal is like one: frames can be bracketed, and it knows SU

	looks []look // of the styles of the table, as far as they were needed
	pen   pen

	row, col int  // of the cursor
	placed   bool // they are known
	sure     bool // col is known although other characters were drawn than ASCII

	shown     bool // the cursor is visible
	shownSeen bool // that is known

	out []byte
}

// staying is a terminal whose cursor stays in the last column behind a character there:
// no text goes on in the next row, and so the row that the cursor is in is known whatever
// was drawn. Terminals that speak what a painter writes can all do that; tcell switches it
// on and off where it knows how.
func staying(ti terminfo.Terminfo) *terminfo.Terminfo {
	if ti.DisableAutoMargin == "" {
		ti.EnableAutoMargin, ti.DisableAutoMargin = "\x1b[?7h", "\x1b[?7l"
	}
	return &ti
}

// paintable reports whether a terminal speaks what a painter writes: ECMA-48, and the
// cursor of a VT220.
func paintable(ti *terminfo.Terminfo) bool {
	return strings.HasPrefix(ti.SetCursor, "\x1b[%i%p1%d;%p2%dH") && strings.Contains(ti.HideCursor, "\x1b[?25l")
}

// forget gives up what is known of the terminal's cursor and attributes: somebody else
// may have changed them.
func (p *painter) forget() { p.pen.known, p.placed, p.shownSeen = false, false, false }

// clear blanks the terminal.
func (p *painter) clear() {
	p.out = p.pen.write(p.out, look{})
	p.out = append(p.out, "\x1b[H\x1b[2J"...)
	p.row, p.col, p.placed, p.sure = 0, 0, true, true
}

// cells draws what differs in a row. The terminal shows last.
func (p *painter) cells(t *tables, y int, next, last []cell) {
	for x := 0; x < len(next); {
		c := next[x]
		if c == last[x] || c.width == 0 {
			x++
			continue
		}
		if n := erasable(next[x:], last[x:]); n > 0 {
			p.moveTo(y, x)
			p.out = p.pen.write(p.out, look{})
			p.out = append(p.out, "\x1b["...)
			p.out = append(strconv.AppendInt(p.out, int64(n), 10), 'X')
			x += n
			continue
		}
		p.bridge(y, x, next, p.looks[c.style])
		p.cell(t, y, x, c)
		x += int(c.width)
	}
}

// columns draws what stands in several rows one below the other, as the edges of frames
// do, and notes it in last: a line feed is less than the place of each. It is for rows
// that have come in, from top up to bottom.
func (p *painter) columns(t *tables, top, bottom, width int, next, last []cell) {
	for x := range width {
		for y := top; y < bottom; y++ {
			c := next[y*width+x]
			n := 0
			for i := y*width + x; y+n < bottom && next[i] == c && last[i] != c; i += width {
				n++
			}
			if !edge(c) || n < 2 {
				continue
			}
			for row := y; row < y+n; row++ {
				if row > y {
					p.down(x, width)
				}
				p.cell(t, row, x, c)
				last[row*width+x] = c
			}
			p.placed = false
			y += n - 1
		}
	}
}

// edge reports whether a cell is a part of a line that runs through several rows. Signs that
// stand one below the other by chance, as those of lists do, have text behind them, to which
// the way is shorter within the row.
func edge(c cell) bool { return c.glyph >= 0x2500 && c.glyph < 0x2580 && c.width == 1 }

// down brings the cursor from behind a character that it has drawn in a column to that
// column of the next row, which is not beyond the terminal's last.
func (p *painter) down(x, width int) {
	switch x {
	case 0:
		p.out = append(p.out, "\n\r"...)
	case width - 1: // it has stayed there
		p.out = append(p.out, '\n')
	default:
		p.out = append(p.out, "\n\b"...)
	}
	p.row, p.col, p.placed, p.sure = p.row+1, x, true, true
}

// erasable is how many blank cells are best erased at the beginning of a row's rest.
func erasable(next, last []cell) int {
	n := 0
	for n < len(next) && next[n] == blank {
		n++
	}
	for n > 0 && last[n-1] == blank { // what is blank already is stepped over
		n--
	}
	if n < eraseFrom {
		return 0
	}
	return n
}

func (p *painter) cell(t *tables, y, x int, c cell) {
	p.moveTo(y, x)
	p.out = p.pen.write(p.out, p.looks[c.style])
	if c.glyph >= 0x20 && c.glyph < 0x7f {
		p.out = append(p.out, byte(c.glyph))
		p.col++
		return
	}
	if c.width == 2 && disputed(c.glyph) {
		// A terminal that takes the character for a narrow one would leave half of
		// what was there.
		p.out = append(p.out, "  \b\b"...)
	}
	p.out = append(p.out, t.text(c.glyph)...)
	p.col += int(c.width)
	p.sure = false
	p.placed = c.glyph >= 0 && (c.width == 1 || !disputed(c.glyph))
}

// bridge draws what is between the cursor and a place in its row once more, where that
// takes less than a step: as the pen draws now, and then as it draws what comes behind.
func (p *painter) bridge(y, x int, row []cell, behind look) {
	n := x - p.col
	if !p.placed || !p.pen.known || p.row != y || n < 1 || n > shortStep {
		return
	}
	want := p.pen.now
	for _, c := range row[p.col:x] {
		if p.looks[c.style] != want {
			want = behind
		}
		if c.glyph < 0x20 || c.glyph >= 0x7f || c.width != 1 || p.looks[c.style] != want {
			return
		}
	}
	for _, c := range row[p.col:x] {
		p.out = append(p.pen.write(p.out, p.looks[c.style]), byte(c.glyph))
	}
	p.col = x
}

// disputed reports whether terminals disagree about the width of a wide character:
// those of East Asian scripts are wide everywhere, emoji and clusters are not.
func disputed(glyph int32) bool { return glyph < 0x1100 || glyph >= 0x1f000 && glyph < 0x20000 }

// moveTo brings the cursor to a place.
func (p *painter) moveTo(y, x int) {
	if p.placed && p.row == y && p.col == x {
		return
	}
	switch {
	case p.placed && p.row == y:
		p.along(x)
	case p.placed && p.row == y-1 && (y >= 9 || x == 0): // for rows above it is no shorter
		p.out = append(p.out, "\r\n"...)
		p.row, p.col, p.sure = y, 0, true
		p.along(x)
	default:
		p.out = append(p.out, "\x1b["...)
		if y > 0 || x > 0 {
			p.out = strconv.AppendInt(p.out, int64(y+1), 10)
		}
		if x > 0 {
			p.out = append(p.out, ';')
			p.out = strconv.AppendInt(p.out, int64(x+1), 10)
		}
		p.out = append(p.out, 'H')
	}
	p.row, p.col, p.placed, p.sure = y, x, true, true
}

// along brings the cursor to a column of its row.
func (p *painter) along(x int) {
	n := x - p.col
	switch {
	case x == 0 && (n != 0 || !p.sure):
		p.out = append(p.out, '\r')
	case !p.sure || n < 0:
		p.out = append(p.out, "\x1b["...)
		p.out = append(strconv.AppendInt(p.out, int64(x+1), 10), 'G')
	case n > 0:
		p.out = append(p.out, "\x1b["...)
		if n > 1 {
			p.out = strconv.AppendInt(p.out, int64(n), 10)
		}
		p.out = append(p.out, 'C')
	}
}

// endRow notes that a row of a width was drawn to its end.
func (p *painter) endRow(width int) {
	if p.col >= width {
		p.sure = false
	}
}

// scroll moves the rows from top up to bottom, which is not one of them, by n rows: up
// if n is positive. What comes in is blank. The top row of the terminal must not be
// among them, or it would take them into its scrollback.
func (p *painter) scroll(top, bottom, n int) {
	p.out = p.pen.write(p.out, look{}) // rows come in with the pen's background
	p.out = append(p.out, "\x1b["...)
	p.out = append(strconv.AppendInt(p.out, int64(top+1), 10), ';')
	p.out = append(strconv.AppendInt(p.out, int64(bottom), 10), 'r')
	p.row, p.col, p.placed, p.sure = 0, 0, true, true
	switch {
	case n > 1 && p.xterm: // the Linux console knows no SU
		p.out = append(p.out, "\x1b["...)
		p.out = append(strconv.AppendInt(p.out, int64(n), 10), 'S')
	case n > 0:
		p.moveTo(bottom-1, 0)
		p.out = append(p.out, strings.Repeat("\n", n)...)
	default:
		p.moveTo(top, 0)
		p.out = append(p.out, strings.Repeat("\x1bM", -n)...)
	}
	p.out = append(p.out, "\x1b[r"...)
	p.row, p.col = 0, 0
}

// finish adds the cursor, and brackets where they are worth it, and returns what is to
// be sent. The result is valid until the next frame.
func (p *painter) finish(cursor position) []byte {
	visible := cursor != hidden
	drawn := len(p.out)
	if visible && (drawn == 0 && !p.shownSeen || !p.placed || p.row != cursor.y || p.col != cursor.x || !p.sure) {
		p.placed = p.placed && p.sure
		p.moveTo(cursor.y, cursor.x)
	}
	head := ""
	if drawn >= bigFrame {
		if p.xterm {
			head = "\x1b[?2026h"
		}
		if !p.shownSeen || p.shown {
			head += "\x1b[?25l"
			p.shown, p.shownSeen = false, true
		}
	}
	if !p.shownSeen || p.shown != visible {
		p.shown, p.shownSeen = visible, true
		if visible {
			p.out = append(p.out, "\x1b[?25h"...)
		} else {
			p.out = append(p.out, "\x1b[?25l"...)
		}
	}
	if head == "" {
		return p.out
	}
	p.out = append(p.out, head...)
	copy(p.out[len(head):], p.out[:len(p.out)-len(head)])
	copy(p.out, head)
	if p.xterm {
		p.out = append(p.out, "\x1b[?2026l"...)
	}
	return p.out
}
