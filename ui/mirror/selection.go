package mirror

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
	"github.com/rivo/uniseg"
)

// selection goes from its anchor to the reading cursor.
type selection struct {
	on     bool
	lines  bool // whole lines of text
	anchor point
}

// drag is a button of the mouse that is down.
type drag struct {
	on    bool
	moved bool
	from  point
	undo  func() // puts back what the press changed, for a plain click
}

// mark begins a selection at the reading cursor, changes its kind, or ends it.
func (m *Mirror) mark(lines bool) {
	if !m.hold(true) {
		return
	}
	switch sel := &m.read.sel; {
	case !sel.on:
		*sel = selection{true, lines, m.read.cursor}
	case sel.lines != lines:
		sel.lines = lines
	default:
		*sel = selection{}
	}
}

// span is the selection from its first to its last point, both included.
// Empty lines at its end do not count.
func (m *Mirror) span() (from, to point) {
	s := m.read.held
	from, to = m.read.sel.anchor, m.read.cursor
	if to.before(from) {
		from, to = to, from
	}
	if m.read.sel.lines {
		from = point{textStart(s, from.line), 0}
		to = point{textEnd(s, to.line), s.Size.Cols - 1}
	}
	for to.line > from.line && blankRow(s.Line(to.line)) {
		to = point{to.line - 1, s.Size.Cols - 1}
	}
	from.col = wholeFrom(s.Line(from.line), from.col)
	return from, to
}

// copySelection copies what is selected and ends the selection.
func (m *Mirror) copySelection() {
	if m.read.sel.on {
		m.copySpan()
		m.read.sel = selection{}
	}
}

// copySpan copies what is selected.
func (m *Mirror) copySpan() {
	from, to := m.span()
	text := textBetween(m.read.held, from, to)
	if strings.TrimSpace(text) == "" {
		m.said = "nothing copied: there are only blanks"
		return
	}
	m.copy(text, amount(text))
}

// copy hands text over and says on the frame what became of it.
func (m *Mirror) copy(text, what string) {
	if m.onCopy == nil {
		return
	}
	m.said = "copied " + what
	if err := m.onCopy(text); err != nil {
		m.said = "not copied: " + err.Error()
	}
}

// amount says how much text is: its lines, or the characters of its only one.
func amount(text string) string {
	if n := strings.Count(text, "\n") + 1; n > 1 {
		return count(n, "line")
	}
	return count(uniseg.GraphemeClusterCount(text), "character")
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// selecting says what is selected so far.
func (m *Mirror) selecting() string {
	from, to := m.span()
	n := 1
	for i := from.line; i < to.line; i++ {
		if !m.read.held.LineWrapped(i) {
			n++
		}
	}
	what := count(n, "line")
	if n == 1 && !m.read.sel.lines {
		what = amount(textBetween(m.read.held, from, to))
	}
	return "selecting " + what + ", y copies"
}

// linkAt is the address of the link at a point of the picture, or "".
func (m *Mirror) linkAt(p point) string {
	s := m.picture()
	if p.line < 0 || p.line >= s.Lines() {
		return ""
	}
	cells := s.Line(p.line)
	if p.col < 0 || p.col >= len(cells) {
		return ""
	}
	return s.Link(cells[p.col])
}

// copyLink copies the address of the link at the reading cursor, or of the
// nearest one above it that is in view.
func (m *Mirror) copyLink() {
	_, _, width, height := m.GetInnerRect()
	if m.snap == nil || width <= 0 || height <= 0 {
		return
	}
	s, v := m.picture(), m.view(width, height)
	p := point{min(v.line+height, s.Lines()) - 1, s.Size.Cols - 1}
	if m.read.held != nil && m.read.cursor.before(p) {
		p = m.read.cursor
	}
	for ; p.line >= v.line; p = (point{p.line - 1, s.Size.Cols - 1}) {
		for ; p.col >= 0; p.col-- {
			if link := m.linkAt(p); link != "" {
				m.copy(link, link)
				return
			}
		}
	}
	m.said = "there is no link above the cursor"
	if m.read.held == nil {
		m.said = "there is no link in view"
	}
}

// pointAt is what is drawn at a place of the screen, or the nearest to it. A
// place above or below the frame moves the view.
func (m *Mirror) pointAt(x, y int) point {
	left, top, width, height := m.GetInnerRect()
	switch {
	case y < top:
		m.Scroll(-1)
	case y >= top+height:
		m.Scroll(1)
	}
	s, v := m.picture(), m.view(width, height)
	row := min(max(y-top, 0), height-1)
	col := min(max(x-left, 0), width-1)
	return point{min(v.line+row, s.Lines()-1), min(v.col+col, s.Size.Cols-1)}
}

// press begins a drag. With Ctrl or Alt it copies the link that is there.
func (m *Mirror) press(ev *tcell.EventMouse) {
	x, y := ev.Position()
	if m.snap == nil || !m.InInnerRect(x, y) {
		return
	}
	m.said = ""
	if ev.Modifiers()&(tcell.ModCtrl|tcell.ModAlt) != 0 {
		if link := m.linkAt(m.pointAt(x, y)); link != "" {
			m.copy(link, link)
		} else {
			m.said = "there is no link"
		}
		return
	}
	held, scrolled, top := m.read.held != nil, m.scrolled, m.top
	if !m.hold(true) {
		return
	}
	p := m.pointAt(x, y)
	m.read.sel = selection{}
	m.read.drag = drag{on: true, from: p, undo: func() {
		if held {
			m.read.cursor = p
			return
		}
		m.read, m.scrolled, m.top = reading{}, scrolled, top
	}}
}

// dragged takes the mouse while its button is down. It reports whether the drag
// goes on.
func (m *Mirror) dragged(action tview.MouseAction, ev *tcell.EventMouse) bool {
	d := &m.read.drag
	switch {
	case action == tview.MouseScrollUp:
		m.Scroll(-wheelLines)
	case action == tview.MouseScrollDown:
		m.Scroll(wheelLines)
	case action == tview.MouseLeftUp:
		d.on = false
		m.released()
	case ev.Buttons()&tcell.Button1 == 0: // it was let go out of our sight
		d.on = false
	case action == tview.MouseMove:
		if p := m.pointAt(ev.Position()); d.moved || p != d.from {
			d.moved = true
			m.read.cursor = p
			m.read.sel = selection{on: true, anchor: d.from}
		}
	}
	return m.read.drag.on
}

// released copies what was dragged over. What was selected stays marked, except
// while typing: there the live picture matters more.
func (m *Mirror) released() {
	if !m.read.drag.moved {
		m.read.drag.undo()
		return
	}
	m.copySpan()
	if m.typing {
		m.Live()
	}
}
