package mirror

import (
	"unicode"
	"unicode/utf8"

	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/ui/keys"
)

// point is a column of a line of a picture.
type point struct{ line, col int }

func (p point) before(q point) bool {
	return p.line < q.line || p.line == q.line && p.col < q.col
}

// reading is about one picture. It is held, so that nothing moves or changes
// under the operator's hands while he points, selects and searches.
type reading struct {
	held   *vt.Snapshot // nil while the live picture is shown
	at     view         // what is shown of it
	cursor point
	sel    selection
	drag   drag
}

// picture is what is shown: the held one, or the latest.
func (m *Mirror) picture() *vt.Snapshot {
	if m.read.held != nil {
		return m.read.held
	}
	return m.snap
}

// hold keeps the present picture. The reading cursor starts where the program's
// is, or if that is out of sight, at the left of the row that the first step
// leads away from.
func (m *Mirror) hold(up bool) bool {
	if m.read.held != nil {
		return true
	}
	_, _, width, height := m.GetInnerRect()
	if m.snap == nil || width <= 0 || height <= 0 {
		return false
	}
	v := m.view(width, height)
	m.read = reading{held: m.snap, at: v}
	c := point{m.snap.Scrolled + m.snap.Cursor.Row, min(m.snap.Cursor.Col, m.snap.Size.Cols-1)}
	if c.line < v.line || c.line >= v.line+height {
		c = point(v)
		if !up {
			c.line = min(v.line+height, m.snap.Lines()) - 1
		}
	}
	m.read.cursor = c
	m.scrolled = false
	return true
}

// Selecting reports whether there is a selection.
func (m *Mirror) Selecting() bool { return m.read.sel.on }

// Held reports whether the picture is held instead of following the program.
func (m *Mirror) Held() bool { return m.read.held != nil }

// Do carries out a command for reading. It reports whether it knows it.
func (m *Mirror) Do(id keys.ID) bool {
	m.said = ""
	if m.find.writing && m.write(id) {
		return true
	}
	if step, ok := steps[id]; ok {
		if m.hold(id == keys.Up) {
			m.moveTo(step(m, m.read.cursor))
		}
		return true
	}
	if do, ok := acts[id]; ok {
		do(m)
		return true
	}
	return false
}

// acts are what the other commands for reading do.
var acts = map[keys.ID]func(*Mirror){
	keys.PageUp:         func(m *Mirror) { m.turn(-m.page()) },
	keys.PageDown:       func(m *Mirror) { m.turn(m.page()) },
	keys.Top:            (*Mirror).toTop,
	keys.Bottom:         (*Mirror).toBottom,
	keys.Mark:           func(m *Mirror) { m.mark(false) },
	keys.MarkLines:      func(m *Mirror) { m.mark(true) },
	keys.Copy:           (*Mirror).copySelection,
	keys.Link:           (*Mirror).copyLink,
	keys.Search:         (*Mirror).beginSearch,
	keys.SearchNext:     func(m *Mirror) { m.nextMatch(true) },
	keys.SearchPrevious: func(m *Mirror) { m.nextMatch(false) },
}

// Back backs out one level: the search line, the selection, the picture that is
// not the live one. It reports whether there was one.
func (m *Mirror) Back() bool {
	m.said = ""
	switch {
	case m.find.writing:
		m.cancelSearch()
	case m.read.sel.on:
		m.read.sel = selection{}
	case m.read.held != nil || m.Scrolled():
		m.Live()
	default:
		return false
	}
	return true
}

// steps are the ways of the reading cursor.
var steps = map[keys.ID]func(*Mirror, point) point{
	keys.Up:        func(_ *Mirror, p point) point { return point{p.line - 1, p.col} },
	keys.Down:      func(_ *Mirror, p point) point { return point{p.line + 1, p.col} },
	keys.Left:      (*Mirror).left1,
	keys.Right:     (*Mirror).right1,
	keys.LineStart: func(_ *Mirror, p point) point { return point{p.line, 0} },
	keys.LineEnd:   func(m *Mirror, p point) point { return m.lineEnd(p.line) },
	keys.WordLeft:  (*Mirror).wordLeft,
	keys.WordRight: (*Mirror).wordRight,
}

// lineEnd is the last character of line i.
func (m *Mirror) lineEnd(i int) point {
	cells, _ := lineCells(m.read.held, i)
	return point{i, max(len(cells)-1, 0)}
}

// left1 goes to the character before, right1 to the one after, both past the
// end of a line that goes on in the next.
func (m *Mirror) left1(p point) point {
	if p.col > 0 {
		return point{p.line, p.col - 1}
	}
	if p.line > 0 && m.read.held.LineWrapped(p.line-1) {
		return point{p.line - 1, m.read.held.Size.Cols - 1}
	}
	return p
}

func (m *Mirror) right1(p point) point {
	s := m.read.held
	next := p.col + 1
	if cells := s.Line(p.line); p.col < len(cells) {
		next = p.col + max(cells[p.col].Width(), 1)
	}
	if next < s.Size.Cols {
		return point{p.line, next}
	}
	if p.line+1 < s.Lines() && s.LineWrapped(p.line) {
		return point{p.line + 1, 0}
	}
	return p
}

// inWord reports whether a word goes through p.
func (m *Mirror) inWord(p point) bool {
	cells := m.read.held.Line(p.line)
	if p.col >= len(cells) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(m.read.held.Text(cells[p.col]))
	return cells[p.col].Width() == 0 || !unicode.IsSpace(r)
}

// wordLeft goes to the start of the word before, wordRight to that of the next.
func (m *Mirror) wordLeft(p point) point {
	skipping := true
	for {
		q := m.left1(p)
		if q == p {
			if skipping && p.line > 0 { // the end of the line above
				return m.lineEnd(p.line - 1)
			}
			return p
		}
		if !skipping && !m.inWord(q) {
			return p
		}
		skipping = skipping && !m.inWord(q)
		p = q
	}
}

func (m *Mirror) wordRight(p point) point {
	inside := m.inWord(p)
	for {
		q := m.right1(p)
		if q == p {
			return point{p.line + 1, 0}
		}
		if p = q; m.inWord(p) && !inside {
			return p
		}
		inside = inside && m.inWord(p)
	}
}

// moveTo moves the reading cursor, and the view as far as it takes to show it.
func (m *Mirror) moveTo(p point) {
	s := m.read.held
	p.line = min(max(p.line, 0), s.Lines()-1)
	p.col = min(max(p.col, 0), s.Size.Cols-1)
	m.read.cursor = p
	p.col = wholeFrom(s.Line(p.line), p.col)
	m.reveal(p)
}

// turn moves by lines: the view, and the reading cursor if there is one.
func (m *Mirror) turn(lines int) {
	m.Scroll(lines)
	if m.read.held != nil {
		m.moveTo(point{m.read.cursor.line + lines, m.read.cursor.col})
	}
}

func (m *Mirror) toTop() {
	if m.read.held != nil {
		m.moveTo(point{})
	} else if m.snap != nil {
		m.Scroll(-m.snap.Lines())
	}
}

// toBottom goes back to the live picture, or takes a selection to the end. While
// something is searched for, it goes to the end of the held picture: what is typed
// next still belongs to the search line.
func (m *Mirror) toBottom() {
	if !m.read.sel.on && !m.find.writing {
		m.Live()
		return
	}
	s := m.read.held
	last := s.Lines() - 1
	for last > 0 && blankRow(s.Line(last)) {
		last--
	}
	m.moveTo(m.lineEnd(last))
}
