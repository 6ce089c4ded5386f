package mirror

import (
	"fmt"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/screen"
)

// drawTitles writes on the frame: whose terminal it is, how much that matters, and how
// much of it is out of sight at the top, what the keys do at the bottom.
func (m *Mirror) drawTitles(s tcell.Screen, border tcell.Style) {
	x, y, width, _ := m.GetRect()
	m.drawWords(s, width-4)
	trust := screen.Draw(s, x+2, y, width-4, pad(screen.Cut(m.trust, width-6)), m.trustStyle)
	x, width = x+trust, width-trust
	right, style, notice := m.right, m.styles.Muted, false
	switch words := m.apart(); {
	case words != "":
		right, style, notice = words, m.styles.Notice, true
	case right == "" && m.snap != nil:
		right = m.size(width - 8 - screen.Width(m.left))
	}
	room := width - 4
	used := screen.Draw(s, x+2, y, room, pad(screen.Cut(m.left, room-2)), border)
	if w := screen.Width(right) + 2; right != "" && used+w <= room {
		screen.Draw(s, x+width-2-w, y, w, pad(right), style)
	} else if notice { // it wins over the name
		screen.Draw(s, x+2, y, room, pad(screen.Cut(right, room-2)), style)
	}
}

// apart says how far what is shown is from the live picture; "" if it is that.
func (m *Mirror) apart() string {
	n := m.above()
	switch held := m.read.held != nil; {
	case held && n > 0:
		return fmt.Sprintf("held, %s up, Esc returns", count(n, "line"))
	case held:
		return "held, Esc returns"
	case n > 0:
		return fmt.Sprintf("%s above live, End returns", count(n, "line"))
	}
	return ""
}

// size says how large the live picture is, and that there is no room for all of
// it, as far as there is room to say so. How many lines are above it comes last.
func (m *Mirror) size(room int) string {
	_, _, width, height := m.GetInnerRect()
	size := m.snap.Size
	text := fmt.Sprintf("live %d×%d", size.Cols, size.Rows)
	if size.Cols > width || size.Rows > height {
		text = fmt.Sprintf("live %d×%d of %d×%d", min(size.Cols, width), min(size.Rows, height), size.Cols, size.Rows)
		if screen.Width(text) > room {
			text = "live, cut"
		}
	}
	if n := m.snap.Scrolled; n > 0 {
		if long := count(n, "line") + " above, " + text; screen.Width(long) <= room {
			return long
		}
	}
	return text
}

// drawWords writes what is going on at the bottom of the frame.
func (m *Mirror) drawWords(s tcell.Screen, room int) {
	x, y, _, height := m.GetRect()
	x, y = x+2, y+height-1
	if m.find.writing {
		m.drawSearch(s, x, y, room)
		return
	}
	words, style := m.state, m.styles.Muted
	link := ""
	if m.read.held != nil {
		link = m.linkAt(m.read.cursor)
	}
	switch {
	case m.said != "":
		words, style = m.said, m.styles.Notice
	case m.read.sel.on:
		words, style = m.selecting(), m.styles.Notice
	case len(m.find.found) > 0:
		words, style = m.find.words(), m.styles.Notice
	case link != "":
		words = "o copies " + link
	}
	if words != "" {
		screen.Draw(s, x, y, room, pad(screen.Cut(words, room-2)), style)
	}
}

// drawSearch draws the search line, with its end in view.
func (m *Mirror) drawSearch(s tcell.Screen, x, y, room int) {
	note := m.find.words()
	if m.find.draft != "" && note == "" {
		note = "not found"
	}
	draft := screen.Clean(m.find.draft)
	width := max(room-4-screen.Width(note), min(room-1, 8))
	for draft != "" && screen.Width(draft) > width-2 {
		_, n := utf8.DecodeRuneInString(draft)
		draft = draft[n:]
	}
	used := screen.Draw(s, x, y, room, "/"+draft+" ", m.styles.Text)
	if m.HasFocus() {
		s.ShowCursor(x+used-1, y)
	}
	if note != "" && used+2 < room {
		screen.Draw(s, x+used, y, room-used, pad(screen.Cut(note, room-used-2)), m.styles.Notice)
	}
}

func pad(text string) string {
	if text == "" {
		return ""
	}
	return " " + text + " "
}

// highlight draws what is found and what is selected over the picture.
func (m *Mirror) highlight(s tcell.Screen, x, y, width, height int, v view) {
	if m.read.held == nil {
		return
	}
	over := func(style tcell.Style, from, to point) {
		for line := max(from.line, v.line); line <= min(to.line, v.line+height-1); line++ {
			cells, _ := lineCells(m.read.held, line)
			first, last := 0, max(len(cells)-1, 0)
			if line == from.line {
				first = from.col
			}
			if line == to.line {
				last = min(to.col, max(last, first))
			}
			restyle(s, x-v.col, y+line-v.line, max(first, v.col), min(last, v.col+width-1), style)
		}
	}
	for _, f := range m.find.matchesIn(v.line, v.line+height-1) {
		over(m.styles.Match, f.from, f.to)
	}
	if len(m.find.found) > 0 {
		f := m.find.found[m.find.at]
		over(m.styles.Selection, f.from, f.to)
	}
	if m.read.sel.on {
		from, to := m.span()
		over(m.styles.Selection, from, to)
	}
}

// restyle gives the columns from first to last of a row another style. A wide
// character gets it as a whole.
func restyle(s tcell.Screen, x, y, first, last int, style tcell.Style) {
	for col := first; col <= last; {
		text, _, w := s.Get(x+col, y)
		s.Put(x+col, y, text, style)
		col += max(w, 1)
	}
}

// drawCursor places the terminal's cursor, or paints one without the focus. The
// reading cursor takes its place while the picture is held.
func (m *Mirror) drawCursor(s tcell.Screen, x, y, width, height int, v view) {
	shown := m.picture()
	c := shown.Cursor
	p := point{shown.Scrolled + c.Row, min(c.Col, shown.Size.Cols-1)}
	if m.read.held != nil {
		p = m.read.cursor
		p.col = wholeFrom(shown.Line(p.line), p.col)
	}
	col, row := p.col-v.col, p.line-v.line
	if m.find.writing || m.read.held == nil && !c.Visible || col < 0 || col >= width || row < 0 || row >= height {
		return
	}
	if m.HasFocus() {
		s.ShowCursor(x+col, y+row)
		return
	}
	text, style, _ := s.Get(x+col, y+row)
	_, _, attrs := style.Decompose()
	s.Put(x+col, y+row, text, style.Reverse(attrs&tcell.AttrReverse == 0))
}
