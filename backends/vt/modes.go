package vt

// MouseMode says which mouse events the program wants.
type MouseMode uint8

// The mouse modes.
const (
	MouseOff     MouseMode = iota
	MouseClicks            // 1000: presses and releases
	MouseButtons           // 1002: and motion while a button is down
	MouseAll               // 1003: and all motion
)

// MouseEncoding says in which form the program wants mouse events.
type MouseEncoding uint8

// The mouse encodings.
const (
	MouseX10 MouseEncoding = iota
	MouseUTF8
	MouseSGR
)

// Modes are the switches that decide how keys and pastes are to be sent.
type Modes struct {
	Wrap, Insert, Origin bool
	AppCursor, AppKeypad bool
	BracketedPaste       bool
	Focus                bool
	Mouse                MouseMode
	MouseEncoding        MouseEncoding
}

// CursorShape is the form of the cursor.
type CursorShape uint8

// The cursor shapes.
const (
	CursorDefault CursorShape = iota
	CursorBlock
	CursorUnderline
	CursorBar
)

// Cursor is where and how the cursor shows. Col equals the number of columns
// after a character in the last column: the next one wraps.
type Cursor struct {
	Col, Row int
	Visible  bool
	Shape    CursorShape
	Blink    bool
}

// setCursorStyle is DECSCUSR.
func (t *Terminal) setCursorStyle(n int) {
	if n > 6 {
		return
	}
	t.cursor.Shape = CursorShape((n + 1) / 2)
	t.cursor.Blink = n%2 == 1
}

// ansiMode is SM and RM.
func (t *Terminal) ansiMode(n int, on bool) {
	if n == 4 {
		t.modes.Insert = on
	}
}

// privateMode is DECSET and DECRST.
func (t *Terminal) privateMode(n int, on bool) {
	switch n {
	case 1:
		t.modes.AppCursor = on
	case 3:
		t.moveTo(0, 0)
		t.clearScreen()
	case 6:
		t.modes.Origin = on
		t.moveTo(0, 0)
	case 7:
		t.modes.Wrap = on
	case 12:
		t.cursor.Blink = on
	case 25:
		t.cursor.Visible = on
	case 47, 1047:
		t.setAlternate(on, false)
	case 1049:
		t.setAlternate(on, true)
	case 1000, 1001, 1002, 1003:
		t.mouseMode(n, on)
	case 1004:
		t.modes.Focus = on
	case 1005:
		t.utf8 = on
		t.mouseEncoding()
	case 1006:
		t.sgr = on
		t.mouseEncoding()
	case 2004:
		t.modes.BracketedPaste = on
	}
}

func (t *Terminal) mouseMode(n int, on bool) {
	switch {
	case !on:
		t.modes.Mouse = MouseOff
	case n == 1000:
		t.modes.Mouse = MouseClicks
	case n == 1002:
		t.modes.Mouse = MouseButtons
	case n == 1003:
		t.modes.Mouse = MouseAll
	}
}

func (t *Terminal) mouseEncoding() {
	switch {
	case t.sgr:
		t.modes.MouseEncoding = MouseSGR
	case t.utf8:
		t.modes.MouseEncoding = MouseUTF8
	default:
		t.modes.MouseEncoding = MouseX10
	}
}

// setAlternate switches between the two screens. The cursor of 1049 comes back
// even when the alternate screen does not show, as in tmux.
func (t *Terminal) setAlternate(on, cursor bool) {
	if on {
		if t.alternate() {
			return
		}
		if cursor {
			t.saved.col, t.saved.line, t.saved.valid = t.col, t.line, true
		}
		t.saved.pen = t.pen
		t.saved.rows, t.saved.size = t.rows, t.size
		t.rows = t.newRows(t.size)
		t.hist.tail = false
		return
	}
	if cursor && t.saved.valid {
		t.col, t.line = t.saved.col, t.saved.line
		t.pen = t.saved.pen
		t.penChanged()
	}
	if t.alternate() {
		rows, size := t.saved.rows, t.saved.size
		t.saved.rows = nil
		now := t.size
		t.rows, t.size = rows, size
		t.line = min(t.line, size.Rows-1)
		t.fit(now)
	}
	t.col = min(t.col, t.size.Cols-1)
	t.line = min(t.line, t.size.Rows-1)
}
