package vt

import (
	"strconv"
	"unicode/utf8"
)

// Restore returns the bytes that make another terminal of this size, whatever
// it shows, look like this one and go on like it: text and styles, the hidden
// main screen, cursor, modes, scroll region, tabs, charsets, pen, and what has
// come of an unfinished sequence or character. The scrollback is not among them,
// nor is what REP would repeat next, nor a cursor that is outside of the scroll
// region in origin mode, nor that a row whose end was erased goes on in the next.
//
// They are plain control sequences that any terminal understands, so that a
// recording which begins in the middle of a pane's life plays anywhere.
func (t *Terminal) Restore() []byte {
	w := restorer{t: t, b: make([]byte, 0, 4096)}
	// CAN ends what is unfinished; then the main screen, in a known state.
	w.add("\x18\x1b[?1049l\x1b[?6l\x1b[4l\x1b[?7h\x1b[r\x0f\x1b(B\x1b)B")
	w.pen(pen{})
	if t.alternate() {
		w.screen(t.saved.rows)
	}
	if t.alternate() || t.saved.valid {
		w.alternate()
	}
	w.screen(t.rows)
	w.tabs()
	w.sequence('r', t.top+1, t.bot+1)
	w.savedCursor()
	w.state()
	w.pending()
	return w.b
}

// restorer writes what Restore returns.
type restorer struct {
	t    *Terminal
	b    []byte
	now  pen  // that the other terminal has
	sure bool // now is known
}

func (w *restorer) add(s string) { w.b = append(w.b, s...) }

// sequence writes a control sequence with numbers.
func (w *restorer) sequence(final byte, numbers ...int) {
	w.add("\x1b[")
	for i, n := range numbers {
		if i > 0 {
			w.b = append(w.b, ';')
		}
		w.b = strconv.AppendInt(w.b, int64(n), 10)
	}
	w.b = append(w.b, final)
}

// moveTo puts the cursor somewhere, with the origin in the corner.
func (w *restorer) moveTo(col, line int) { w.sequence('H', line+1, min(col, w.t.size.Cols-1)+1) }

// screen writes the rows of the screen that shows on the other terminal.
func (w *restorer) screen(rows []*row) {
	rows = rows[:min(len(rows), w.t.size.Rows)]
	w.pen(pen{})
	for y := range w.t.size.Rows {
		w.moveTo(0, y)
		w.add("\x1b[2K")
	}
	joined := false // the text goes on by itself from the row before
	for y, r := range rows {
		cells := r.display()
		cells = cells[:min(len(cells), w.t.size.Cols)]
		n := len(cells)
		for n > 0 && cells[n-1] == (Cell{}) {
			n--
		}
		if n > 0 && !joined {
			w.moveTo(0, y)
		}
		w.cells(cells[:n])
		joined = false
		if r.wrapped && n > 0 && y+1 < len(rows) {
			if next := rows[y+1].display()[0]; next.glyph != 0 && cells[n-1].glyph != 0 {
				joined = n == w.t.size.Cols || n == w.t.size.Cols-1 && next.Width() == 2
			}
		}
	}
	w.pen(pen{})
}

// alternate switches to the alternate screen, or only leaves behind what the
// next switch back brings back.
func (w *restorer) alternate() {
	s := &w.t.saved
	w.moveTo(s.col, s.line)
	w.pen(s.pen)
	if s.valid {
		w.mode(1049, true)
	} else {
		w.mode(1047, true)
	}
	if !w.t.alternate() {
		w.mode(1049, false)
	}
}

// cells writes text from the cursor on. What is empty stays so.
func (w *restorer) cells(cells []Cell) {
	for i := 0; i < len(cells); {
		c := cells[i]
		if c.glyph != 0 {
			w.pen(w.t.tab.pens[c.style])
			w.b = append(w.b, text(w.t.tab.graphemes, c)...)
			i += max(c.Width(), 1)
			continue
		}
		n := 1
		for i+n < len(cells) && cells[i+n] == c {
			n++
		}
		i += n
		switch p := w.t.tab.pens[c.style]; {
		case p == pen{}:
			w.sequence('C', n)
		case p == pen{Style: Style{Bg: p.Bg}}:
			w.pen(p)
			w.sequence('X', n)
			w.sequence('C', n)
		default: // half of a character was here: blanks look the same
			w.pen(p)
			for range n {
				w.b = append(w.b, ' ')
			}
		}
	}
}

// pen selects how text is written.
func (w *restorer) pen(p pen) {
	if w.sure && w.now == p {
		return
	}
	if !w.sure || w.now.link != p.link {
		w.add("\x1b]8;;" + w.t.tab.links[p.link] + "\x1b\\")
	}
	if !w.sure || w.now.Style != p.Style {
		w.b = p.Style.AppendSGR(w.b)
	}
	w.now, w.sure = p, true
}

// AppendSGR appends the control sequence (SGR) that selects the style, whatever
// was selected before.
func (s Style) AppendSGR(b []byte) []byte {
	b = append(b, "\x1b[0"...)
	for i, n := range [...]int{1, 2, 3, 5, 7, 8, 9, 53} { // in the order of the attributes
		if s.Attrs&(1<<i) != 0 {
			b = append(b, ';')
			b = strconv.AppendInt(b, int64(n), 10)
		}
	}
	switch s.UnderlineStyle {
	case UnderlineNone:
	case UnderlineSingle:
		b = append(b, ";4"...)
	default:
		b = append(b, ";4:"...)
		b = append(b, '0'+s.UnderlineStyle)
	}
	b = appendColor(b, s.Fg, 30)
	b = appendColor(b, s.Bg, 40)
	switch r, g, blue := s.Underline.RGB(); s.Underline.Kind() {
	case KindIndexed:
		b = append(b, ";58:5:"...)
		b = strconv.AppendInt(b, int64(s.Underline.Index()), 10)
	case KindRGB:
		b = append(b, ";58:2:"...)
		for _, part := range [...]uint8{r, g, blue} {
			b = append(b, ':')
			b = strconv.AppendInt(b, int64(part), 10)
		}
	}
	return append(b, 'm')
}

// appendColor appends the parameters of a colour; base is 30 for the text, 40
// for what is behind it.
func appendColor(b []byte, c Color, base int) []byte {
	add := func(numbers ...int) {
		for _, n := range numbers {
			b = append(b, ';')
			b = strconv.AppendInt(b, int64(n), 10)
		}
	}
	switch c.Kind() {
	case KindRGB:
		r, g, blue := c.RGB()
		add(base+8, 2, int(r), int(g), int(blue))
	case KindIndexed:
		switch n := int(c.Index()); {
		case n < 8:
			add(base + n)
		case n < 16:
			add(base + 60 + n - 8)
		default:
			add(base+8, 5, n)
		}
	}
	return b
}

func (w *restorer) tabs() {
	w.add("\x1b[3g")
	for x, set := range w.t.tabs {
		if set {
			w.moveTo(x, 0)
			w.add("\x1bH")
		}
	}
}

// origin sets the origin mode, which moves the cursor, and moves it on.
func (w *restorer) origin(on bool, col, line int) {
	w.mode(6, on)
	if on {
		line = min(max(line-w.t.top, 0), w.t.bot-w.t.top)
	}
	w.moveTo(col, line)
}

// savedCursor sets what DECRC would bring back.
func (w *restorer) savedCursor() {
	s := w.t.decsc
	w.origin(s.origin, s.col, s.line)
	w.pen(s.pen)
	w.charsets(s.charsets)
	w.add("\x1b7")
	w.charsets(charsets{})
}

func (w *restorer) charsets(c charsets) {
	for i, set := range []string{"\x1b(", "\x1b)"} {
		if w.add(set); c.acs[i] {
			w.add("0")
		} else {
			w.add("B")
		}
	}
	if c.used == 1 {
		w.add("\x0e")
	} else {
		w.add("\x0f")
	}
}

func (w *restorer) mode(n int, on bool) {
	w.add("\x1b[?")
	w.b = strconv.AppendInt(w.b, int64(n), 10)
	if on {
		w.b = append(w.b, 'h')
	} else {
		w.b = append(w.b, 'l')
	}
}

// state sets the cursor and everything else that text to come depends on.
func (w *restorer) state() {
	t := w.t
	w.origin(t.modes.Origin, t.col, t.line)
	if t.col == t.size.Cols { // it waits behind the last column
		cells := t.rows[t.line].display()
		x := t.size.Cols - 1
		if x > 0 && cells[x].isPad() {
			x--
		}
		w.origin(t.modes.Origin, x, t.line)
		w.pen(t.tab.pens[cells[x].style])
		w.add(text(t.tab.graphemes, cells[x])) // a blank where nothing is
	}
	w.mode(1, t.modes.AppCursor)
	w.mode(7, t.modes.Wrap)
	w.mode(25, t.cursor.Visible)
	w.mode(2004, t.modes.BracketedPaste)
	w.mode(1004, t.modes.Focus)
	w.mode(1003, false)
	if t.modes.Mouse != MouseOff {
		w.mode([...]int{MouseClicks: 1000, MouseButtons: 1002, MouseAll: 1003}[t.modes.Mouse], true)
	}
	w.mode(1005, t.utf8)
	w.mode(1006, t.sgr)
	if t.modes.Insert {
		w.add("\x1b[4h")
	}
	if t.modes.AppKeypad {
		w.add("\x1b=")
	} else {
		w.add("\x1b>")
	}
	n := 2 * int(t.cursor.Shape)
	if n > 0 && t.cursor.Blink {
		n--
	}
	w.add("\x1b[" + strconv.Itoa(n) + " q")
	if n == 0 && t.cursor.Blink {
		w.mode(12, true)
	}
	if t.title != "" {
		w.add("\x1b]2;" + t.title + "\x07")
	}
	w.pen(t.pen)
	w.charsets(t.charsets)
}

// pending writes the beginning of what has not ended yet.
func (w *restorer) pending() {
	s := &w.t.parser
	if w.t.join {
		w.b = utf8.AppendRune(w.b, zwj)
	}
	w.b = append(w.b, s.rune[:min(s.runeLen, s.runeWant)]...)
	private, inter := s.inter[:0], s.inter[:s.interLen]
	if len(inter) > 0 && inter[0] >= 0x3c {
		private, inter = inter[:1], inter[1:]
	}
	switch s.state {
	case ground:
	case escape, escapeInter:
		w.add("\x1b" + string(inter))
	case csiEntry, csiParam, csiInter:
		w.add("\x1b[" + string(private) + string(s.param[:s.paramLen]) + string(inter))
	case csiIgnore:
		w.add("\x1b[0<")
	case oscString:
		w.add("\x1b]" + string(s.str))
	case apcString:
		w.add("\x1b_" + string(s.str))
	case skipString:
		w.add("\x1bX")
	case dcsEscape:
		w.add("\x1bPq\x1b")
	default: // device control strings have no effect
		w.add("\x1bPq")
	}
}
