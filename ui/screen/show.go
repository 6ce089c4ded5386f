package screen

// Show sends the frame, as far as it differs from the one before.
func (s *Screen) Show() {
	if s.painter != nil {
		s.paint()
		return
	}
	if s.pass() || s.cursor != s.shown {
		s.Screen.ShowCursor(s.cursor.x, s.cursor.y)
		s.shown = s.cursor
		s.Screen.Show()
	}
}

// Sync sends the whole frame, whatever the terminal shows.
func (s *Screen) Sync() {
	s.stale = true
	if s.painter != nil {
		s.paint()
		return
	}
	s.pass()
	s.Screen.ShowCursor(s.cursor.x, s.cursor.y)
	s.shown = s.cursor
	s.Screen.Sync()
}

// pass hands cells that differ to the screen below.
func (s *Screen) pass() (differs bool) {
	for i := range s.next {
		c := &s.next[i]
		if !s.stale && *c == s.last[i] {
			continue
		}
		differs = true
		if c.width > 0 {
			s.Screen.Put(i%s.width, i/s.width, s.tables.text(c.glyph), s.tables.styles[c.style])
		}
		s.last[i] = *c
	}
	s.stale = false
	return differs
}

// paint sends what differs. A terminal that cannot be written to is noticed by its
// reader.
func (s *Screen) paint() {
	p := s.painter
	touched, resized := s.tty.takeTouched()
	s.stale = s.stale || resized
	if touched || s.stale {
		p.forget()
	}
	p.out = p.out[:0]
	if known := len(p.looks); known < len(s.tables.styles) {
		p.looks = append(p.looks, s.encoder.looks(s.tables.styles[known:])...)
	}
	if s.stale {
		s.stale = false
		fill(s.last, blank)
		p.clear()
	} else if move := findShift(s.next, s.last, s.width); move.n != 0 {
		p.scroll(move.top, move.bottom, move.n)
		move.apply(s.last, s.width)
		p.columns(&s.tables, move.top, move.bottom, s.width, s.next, s.last)
	}
	for y := range s.height {
		next, last := s.next[y*s.width:(y+1)*s.width], s.last[y*s.width:(y+1)*s.width]
		if equal(next, last) {
			continue
		}
		p.cells(&s.tables, y, next, last)
		p.endRow(s.width)
		copy(last, next)
	}
	if out := p.finish(s.cursor); len(out) > 0 {
		_ = s.tty.Send(out)
	}
}
