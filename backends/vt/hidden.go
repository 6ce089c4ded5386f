package vt

// Hidden is the main screen, without its scrollback, while the alternate one
// shows, and nil otherwise.
func (t *Terminal) Hidden() *Snapshot {
	if !t.alternate() {
		return nil
	}
	s := &Snapshot{
		Size:       t.saved.size,
		Title:      t.title,
		Modes:      t.modes,
		Lost:       t.hist.lost,
		Generation: t.next(),
		rows:       make([]snapRow, len(t.saved.rows)),
		pens:       t.tab.pens,
		graphemes:  t.tab.graphemes,
		links:      t.tab.links,
	}
	s.Cursor.Col, s.Cursor.Row = t.saved.col, t.saved.line
	for y, r := range t.saved.rows {
		r.shared = true
		s.rows[y] = snapRow{r.display(), r.gen, r.wrapped}
	}
	return s
}
