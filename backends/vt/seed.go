package vt

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// SeedFormat is the format for tmux's display-message whose answer [ParseSeed]
// reads. Variables that a tmux version does not know come out empty: 3.0 to 3.5
// have no cursor_shape, and up to 3.6 there is no bracket_paste_flag.
const SeedFormat = "#{pane_width}|#{pane_height}|#{cursor_x}|#{cursor_y}|#{cursor_flag}|" +
	"#{insert_flag}|#{keypad_cursor_flag}|#{keypad_flag}|#{origin_flag}|#{wrap_flag}|" +
	"#{alternate_on}|#{alternate_saved_x}|#{alternate_saved_y}|" +
	"#{scroll_region_upper}|#{scroll_region_lower}|" +
	"#{mouse_all_flag}|#{mouse_button_flag}|#{mouse_standard_flag}|" +
	"#{mouse_sgr_flag}|#{mouse_utf8_flag}|#{bracket_paste_flag}|#{cursor_shape}|" +
	"#{pane_in_mode}|#{history_size}|#{pane_tabs}|#{pane_title}"

// Seed is the whole state of a tmux pane, as three commands in one line give
// it at one point of the pane's output:
//
//	capture-pane -p -e -N ; capture-pane -p -P -C ; display-message -p SeedFormat
type Seed struct {
	Size Size
	// Lines are the rows of the screen, top first: capture-pane -p -e -N.
	Lines [][]byte
	// Saved, if not nil, are the rows of the main screen while the alternate
	// one shows: capture-pane -p -e -N -a.
	Saved [][]byte
	// Scrollback, if not nil, replaces the scrollback: capture-pane -p -e -N
	// -S - -E -1.
	Scrollback [][]byte
	// Pending are the bytes of an unfinished sequence: capture-pane -p -P -C
	// with the octal escapes taken back.
	Pending []byte

	Cursor             Cursor // Shape only where ShapeKnown
	ShapeKnown         bool
	Alternate          bool
	SavedCol, SavedRow int // cursor of the main screen, -1 if never saved
	Top, Bottom        int // scroll region, inclusive
	Tabs               []int
	Modes              Modes // BracketedPaste only where PasteKnown
	PasteKnown         bool
	Title              string

	InMode  bool // the pane is in copy mode or the like
	History int  // lines that tmux keeps above the screen

	// Fresh says that the bytes since the last Write are not a continuation of
	// those before: pen, charsets and the cursor of DECSC, which tmux does not
	// tell, are reset. Otherwise the terminal keeps its own.
	Fresh bool
}

// ParseSeed reads the answer to [SeedFormat]. Lines, Saved, Scrollback and
// Pending are the caller's to set.
func ParseSeed(state string) (Seed, error) {
	const fields = 26
	f := strings.SplitN(strings.TrimRight(state, "\r\n"), "|", fields)
	if len(f) != fields {
		return Seed{}, fmt.Errorf("vt: pane state %q has %d fields, want %d", state, len(f), fields)
	}
	r := fieldReader{fields: f}
	s := Seed{Size: Size{r.int(), r.int()}}
	s.Cursor = Cursor{Col: r.int(), Row: r.int(), Visible: r.flagOr(true)}
	m := &s.Modes
	m.Insert, m.AppCursor, m.AppKeypad = r.flag(), r.flag(), r.flag()
	m.Origin, m.Wrap = r.flag(), r.flagOr(true)
	s.Alternate = r.flag()
	s.SavedCol, s.SavedRow = r.int(), r.int()
	s.Top, s.Bottom = r.int(), r.int()
	m.Mouse = mouseModeOf(r.flag(), r.flag(), r.flag())
	m.MouseEncoding = mouseEncodingOf(r.flag(), r.flag())
	s.PasteKnown = f[r.next] != ""
	m.BracketedPaste = r.flag()
	s.Cursor.Shape, s.ShapeKnown = shapeOf(r.string())
	s.InMode, s.History = r.flag(), r.int()
	s.Tabs = r.ints()
	s.Title = r.string()
	if r.err == nil && (s.Size.Cols < 1 || s.Size.Rows < 1) {
		r.err = errors.New("it has no size")
	}
	if r.err != nil {
		return Seed{}, fmt.Errorf("vt: pane state %q: %w", state, r.err)
	}
	return s, nil
}

// fieldReader takes fields one after the other and keeps the first error.
type fieldReader struct {
	fields []string
	next   int
	err    error
}

func (r *fieldReader) string() string {
	r.next++
	return r.fields[r.next-1]
}

func (r *fieldReader) flag() bool { return r.flagOr(false) }

// flagOr reads a flag that is def where tmux does not know it.
func (r *fieldReader) flagOr(def bool) bool {
	switch r.string() {
	case "":
		return def
	case "0":
		return false
	default:
		return true
	}
}

// int reads a number; tmux writes "none" as the largest unsigned one.
func (r *fieldReader) int() int {
	s := r.string()
	if s == "" || s == "4294967295" {
		return -1
	}
	n, err := strconv.Atoi(s)
	if err != nil && r.err == nil {
		r.err = err
	}
	return n
}

func (r *fieldReader) ints() []int {
	s := r.string()
	if s == "" {
		return nil
	}
	var out []int
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(part)
		if err != nil && r.err == nil {
			r.err = err
		}
		out = append(out, n)
	}
	return out
}

func mouseModeOf(all, buttons, clicks bool) MouseMode {
	switch {
	case all:
		return MouseAll
	case buttons:
		return MouseButtons
	case clicks:
		return MouseClicks
	default:
		return MouseOff
	}
}

func mouseEncodingOf(sgr, utf8 bool) MouseEncoding {
	switch {
	case sgr:
		return MouseSGR
	case utf8:
		return MouseUTF8
	default:
		return MouseX10
	}
}

func shapeOf(s string) (CursorShape, bool) {
	switch s {
	case "block":
		return CursorBlock, true
	case "underline":
		return CursorUnderline, true
	case "bar":
		return CursorBar, true
	default:
		return CursorDefault, s == "default"
	}
}

// Seed sets the state of the terminal to that of a tmux pane. Rows that look
// as before keep their generation. What follows in Write must be the pane's
// output from exactly the point that s was taken at.
func (t *Terminal) Seed(s Seed) {
	t.snap = nil
	was, sets, dec := t.pen, t.charsets, t.decsc
	partial := t.parser
	t.parser = parser{capture: true}
	t.seedScreens(&s)
	t.seedScrollback(s.Scrollback, s.Tabs)
	t.parser = parser{}
	if s.Fresh {
		t.pen, t.charsets, t.decsc = pen{}, charsets{}, savedCursor{}
	} else {
		t.pen, t.charsets, t.decsc = was, sets, dec
		t.parser.rune, t.parser.runeLen, t.parser.runeWant = partial.rune, partial.runeLen, partial.runeWant
	}
	t.penChanged()
	t.seedState(&s)
	if len(s.Pending) > 0 {
		t.parser.runeWant = 0
		t.parser.replay = true
		_, _ = t.Write(s.Pending) // never fails
		t.parser.replay = false
	}
	t.reclaim()
}

// seedScreens sets both screens from their captured lines.
func (t *Terminal) seedScreens(s *Seed) {
	size := s.Size.clamp()
	old, main := t.rows, t.rows
	if t.alternate() {
		main = t.saved.rows
	}
	switch {
	case s.Fresh || s.Alternate && !t.alternate():
		old = nil // another screen, or what has happened to it is not known
	case !s.Alternate:
		old = main
	}
	t.rows = t.capture(s.Lines, size, s.Tabs, old)
	switch {
	case !s.Alternate:
		t.saved.rows = nil
	case s.Saved != nil:
		t.saved.rows, t.saved.size = t.capture(s.Saved, size, s.Tabs, main), size
	case !t.alternate():
		// What the main screen shows cannot be known; what was last seen of
		// it, which is what showed when the program took over, is the best.
		t.saved.rows, t.saved.size = main, t.size
	}
	if size.Cols != t.size.Cols || len(t.tabs) != size.Cols {
		t.size = size
		t.resetTabs()
	}
	t.size = size
}

// capture turns captured lines into rows. It keeps the rows of old that look
// the same: their generation, wrap and hyperlinks, and what a capture does not
// tell. A tab (from tmux 3.6) reaches to the next of the pane's tab stops, or to
// the last column.
func (t *Terminal) capture(lines [][]byte, size Size, stops []int, old []*row) []*row {
	was := *t
	// Wide cells that have lost their second half take two columns again.
	t.size = Size{2 * size.Cols, 1}
	t.top, t.bot = 0, 0
	t.tabs = make([]bool, t.size.Cols)
	t.setTabs(stops)
	t.tabs[size.Cols-1] = true
	t.modes = Modes{}
	t.pen = pen{}
	t.penChanged()
	t.charsets = charsets{acs: [2]bool{1: true}} // SO and SI bracket line drawing
	rows := make([]*row, size.Rows)
	for y := range rows {
		t.rows = []*row{{cells: make([]Cell, t.size.Cols)}}
		t.line, t.col = 0, 0
		if y < len(lines) {
			_, _ = t.Write(lines[y]) // never fails
		}
		t.parser = parser{capture: true}
		var before *row
		if y < len(old) {
			before = old[y]
		}
		rows[y] = t.captured(t.rows[0].cells[:t.col], before, size.Cols)
	}
	t.rows, t.size, t.line, t.col = was.rows, was.size, was.line, was.col
	t.top, t.bot, t.tabs = was.top, was.bot, was.tabs
	t.cursor, t.modes, t.join, t.title = was.cursor, was.modes, was.join, was.title
	return rows
}

// captured makes one row of the cells that were captured of it. A capture ends
// with the last cell that was written to; what lies to the right of that has
// no text, but may have a background, which only old tells.
func (t *Terminal) captured(cells []Cell, old *row, cols int) *row {
	if old != nil && len(old.cells) != cols {
		old = nil
	}
	if old != nil && t.looksSame(cells, old.cells) {
		return old
	}
	r := &row{cells: make([]Cell, cols), gen: t.next(), used: len(cells) > 0}
	n := copy(r.cells, cells)
	if n == cols && r.cells[n-1].Width() == 2 {
		r.broken = true
	}
	if old != nil {
		for x := n; x < cols; x++ {
			if c := old.cells[x]; c.glyph == 0 {
				r.cells[x] = c
				r.used = r.used || c != Cell{}
			}
		}
	}
	return r
}

// looksSame compares a captured row with one of the screen, character by
// character as capture-pane writes them: without any second halves.
func (t *Terminal) looksSame(captured, cells []Cell) bool {
	i := 0
	for _, d := range cells {
		if d.isPad() {
			continue
		}
		for i < len(captured) && captured[i].isPad() {
			i++
		}
		if i == len(captured) {
			if d.glyph != 0 {
				return false
			}
			continue
		}
		c := captured[i]
		i++
		if c.glyph != d.glyph && !(c.Blank() && d.Blank()) || t.tab.pens[c.style].Style != t.tab.pens[d.style].Style {
			return false
		}
	}
	return i >= len(captured) || captured[i].isPad()
}

// seedScrollback replaces the scrollback. Its lines keep their own length.
func (t *Terminal) seedScrollback(lines [][]byte, stops []int) {
	if lines == nil {
		return
	}
	t.hist.dropAll()
	if keep := len(lines) - t.hist.limit; keep > 0 {
		lines = lines[keep:]
	}
	for _, l := range lines {
		t.scrollOff(t.capture([][]byte{l}, Size{t.size.Cols, 1}, stops, nil)[0])
	}
}

// seedState sets everything but the cells.
func (t *Terminal) seedState(s *Seed) {
	paste, focus, shape, blink := t.modes.BracketedPaste, t.modes.Focus, t.cursor.Shape, t.cursor.Blink
	t.modes = s.Modes
	t.modes.Focus = focus
	if !s.PasteKnown {
		t.modes.BracketedPaste = paste
	}
	t.sgr, t.utf8 = t.modes.MouseEncoding == MouseSGR, t.modes.MouseEncoding == MouseUTF8
	t.cursor = s.Cursor
	if !s.ShapeKnown {
		t.cursor.Shape, t.cursor.Blink = shape, blink
	}
	t.col = min(max(s.Cursor.Col, 0), t.size.Cols)
	t.line = min(max(s.Cursor.Row, 0), t.size.Rows-1)
	t.top, t.bot = 0, t.size.Rows-1
	if s.Top >= 0 && s.Top < s.Bottom && s.Bottom < t.size.Rows {
		t.top, t.bot = s.Top, s.Bottom
	}
	clear(t.tabs)
	t.setTabs(s.Tabs)
	if t.saved.valid = s.SavedCol >= 0 && s.SavedRow >= 0; t.saved.valid {
		t.saved.col, t.saved.line = s.SavedCol, s.SavedRow
	}
	t.title = shownTitle(s.Title)
}

func (t *Terminal) setTabs(stops []int) {
	for _, x := range stops {
		if x >= 0 && x < len(t.tabs) {
			t.tabs[x] = true
		}
	}
}
