package mirror

import "github.com/nod-console/nod/backends/vt"

// view is the part of a picture that is drawn.
type view struct {
	line int // the first line, as Snapshot.Line counts
	col  int // the first column
}

// view says what to show in width by height cells.
func (m *Mirror) view(width, height int) view {
	if s := m.read.held; s != nil {
		end := max(live(s, width, height).line, s.Lines()-height)
		return view{
			line: min(max(m.read.at.line, 0), end),
			col:  min(max(m.read.at.col, 0), max(s.Size.Cols-width, 0)),
		}
	}
	v := live(m.snap, width, height)
	if m.scrolled {
		line := v.line
		v.line = 0
		if m.top > m.snap.Lost {
			v.line = int(min(m.top-m.snap.Lost, uint64(line)))
		}
		if v.line >= line {
			m.scrolled = false
		}
	}
	return v
}

// live is the view of the present: the lower left part of the text, moved to
// where the cursor is.
func live(s *vt.Snapshot, width, height int) view {
	last := s.Cursor.Row
	for y := s.Size.Rows - 1; y > last; y-- {
		if !blankRow(s.Row(y)) {
			last = y
		}
	}
	top := max(0, last+1-height)
	if s.Cursor.Visible {
		top = min(top, s.Cursor.Row)
	}
	v := view{line: s.Scrolled + top}
	if step := max(1, width/2); s.Cursor.Visible && s.Cursor.Col >= width {
		// In steps, so that the picture does not move with every character.
		v.col = min((s.Cursor.Col-width)/step+1, (s.Size.Cols-width+step-1)/step) * step
	}
	return v
}

// above is the number of lines between the view and the live one.
func (m *Mirror) above() int {
	_, _, width, height := m.GetInnerRect()
	if m.snap == nil || width <= 0 || height <= 0 {
		return 0
	}
	now := m.snap.Lost + uint64(live(m.snap, width, height).line)
	shown := m.picture().Lost + uint64(m.view(width, height).line)
	if shown >= now { // also after the terminal was begun anew
		return 0
	}
	return int(now - shown)
}

// Scroll moves the view by lines; negative ones are above.
func (m *Mirror) Scroll(lines int) {
	_, _, width, height := m.GetInnerRect()
	if m.snap == nil || width <= 0 || height <= 0 {
		return
	}
	v := m.view(width, height)
	to := max(0, v.line+lines)
	if m.read.held != nil {
		m.read.at = view{to, v.col}
		m.read.at = m.view(width, height)
		return
	}
	m.top = m.snap.Lost + uint64(to)
	m.scrolled = to < live(m.snap, width, height).line
}

// reveal moves the view of the held picture as far as it takes to show p.
func (m *Mirror) reveal(p point) {
	_, _, width, height := m.GetInnerRect()
	if width <= 0 || height <= 0 {
		return
	}
	v := m.view(width, height)
	v.line = max(min(v.line, p.line), p.line-height+1)
	v.col = max(min(v.col, p.col), p.col-width+1)
	m.read.at = v
}

// Live goes back to the live picture. A selection and what was found go, the
// words that were searched for stay.
func (m *Mirror) Live() {
	m.scrolled = false
	m.read = reading{}
	m.find = finder{pattern: m.find.pattern}
}

// Scrolled reports whether another picture than the live one is shown.
func (m *Mirror) Scrolled() bool { return m.above() > 0 }

// page is how far PgUp goes: one line stays in view.
func (m *Mirror) page() int {
	_, _, _, height := m.GetInnerRect()
	return max(1, height-1)
}
