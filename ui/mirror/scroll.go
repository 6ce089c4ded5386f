package mirror

// view is the part of the snapshot that is drawn.
type view struct {
	line int // the first line, as Snapshot.Line counts
	col  int // the first column
}

// view says what to show in width by height cells.
func (m *Mirror) view(width, height int) view {
	v := m.live(width, height)
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
func (m *Mirror) live(width, height int) view {
	s := m.snap
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
	if m.snap == nil || !m.scrolled || width <= 0 || height <= 0 {
		return 0
	}
	return m.live(width, height).line - m.view(width, height).line
}

// Scroll moves the view by lines; negative ones are above.
func (m *Mirror) Scroll(lines int) {
	_, _, width, height := m.GetInnerRect()
	if m.snap == nil || width <= 0 || height <= 0 {
		return
	}
	to := max(0, m.view(width, height).line+lines)
	m.top = m.snap.Lost + uint64(to)
	m.scrolled = to < m.live(width, height).line
}

// Live goes back to the live picture.
func (m *Mirror) Live() { m.scrolled = false }

// Scrolled reports whether another picture than the live one is shown.
func (m *Mirror) Scrolled() bool { return m.above() > 0 }

// page is how far PgUp goes: one line stays in view.
func (m *Mirror) page() int {
	_, _, _, height := m.GetInnerRect()
	return max(1, height-1)
}
