package screen

import (
	"bytes"
	"strconv"
)

// bigFrame is the size in bytes from which on a frame is worth the brackets
// that keep a terminal from showing half of it (mode 2026) and a hidden cursor.
const bigFrame = 192

// squeezer takes out of a stream of terminal output what would not change the
// terminal: places where the cursor already is, attributes that already hold,
// a cursor that is hidden and shown again. Places and attributes are sent only
// when something is drawn with them.
type squeezer struct {
	cols int // the terminal's width; beyond it the cursor's place is not known

	// What the terminal is to be, and what it is.
	want, have state

	shape     string // the cursor's shape, if it was ever sent
	ascii     bool   // the character set is known to be ASCII
	bracketed bool   // a frame's opening bracket was sent

	out []byte
}

type state struct {
	row, col int
	placed   bool   // row and col are known
	sgr      string // parameters of all SGR sequences since the last reset
	styled   bool   // sgr is known
	shown    bool
	seen     bool // shown is known
}

// forget gives up what is known of the terminal's cursor: somebody else moved
// it.
func (q *squeezer) forget() { q.have.placed = false }

// squeeze returns what to send for p. The result is valid until the next call.
func (q *squeezer) squeeze(p []byte) []byte {
	q.out = q.out[:0]
	opened, closed := false, false
	for len(p) > 0 {
		n := token(p)
		t := p[:n]
		p = p[n:]
		switch {
		case t[0] != 0x1b && t[0] >= 0x20:
			q.text(t)
		case string(t) == "\x1b[?2026h":
			opened = true
		case string(t) == "\x1b[?2026l":
			closed = true
		case q.visibility(t), q.place(t), q.attributes(t), q.cursorShape(t):
		default:
			q.other(t)
		}
	}
	return q.finish(opened && len(q.out) >= bigFrame, closed)
}

// finish adds what was decided for the whole write: brackets and the cursor.
func (q *squeezer) finish(bracket, closed bool) []byte {
	if bracket {
		head := "\x1b[?2026h"
		if !q.have.seen || q.have.shown {
			head += "\x1b[?25l"
			q.have.seen, q.have.shown = true, false
		}
		q.out = append([]byte(head), q.out...)
		q.bracketed = true
	}
	if q.want.seen {
		if q.want.shown {
			q.moveTo()
		}
		if !q.have.seen || q.have.shown != q.want.shown {
			q.have.seen, q.have.shown = true, q.want.shown
			if q.want.shown {
				q.out = append(q.out, "\x1b[?25h"...)
			} else {
				q.out = append(q.out, "\x1b[?25l"...)
			}
		}
	}
	if closed && q.bracketed {
		q.out = append(q.out, "\x1b[?2026l"...)
		q.bracketed = false
	}
	return q.out
}

// text draws. Only printable ASCII has a width that every terminal agrees on,
// so after anything else the cursor's place is not known.
func (q *squeezer) text(t []byte) {
	q.moveTo()
	q.style()
	q.out = append(q.out, t...)
	for _, c := range t {
		if c >= 0x7f {
			q.have.placed, q.want.placed = false, false
			return
		}
	}
	q.have.col += len(t)
	if q.have.col >= q.cols {
		q.have.placed = false
	}
	q.want.placed, q.want.row, q.want.col = q.have.placed, q.have.row, q.have.col
}

// moveTo brings the cursor to where it is wanted.
func (q *squeezer) moveTo() {
	w, h := &q.want, &q.have
	if !w.placed || h.placed && w.row == h.row && w.col == h.col {
		return
	}
	if h.placed && h.row == w.row && w.col > h.col {
		q.out = append(q.out, "\x1b["...)
		if n := w.col - h.col; n > 1 {
			q.out = strconv.AppendInt(q.out, int64(n), 10)
		}
		q.out = append(q.out, 'C')
	} else {
		q.out = append(q.out, "\x1b["...)
		q.out = strconv.AppendInt(q.out, int64(w.row+1), 10)
		q.out = append(q.out, ';')
		q.out = strconv.AppendInt(q.out, int64(w.col+1), 10)
		q.out = append(q.out, 'H')
	}
	h.placed, h.row, h.col = true, w.row, w.col
}

// style sends the attributes that are wanted.
func (q *squeezer) style() {
	if !q.want.styled || q.have.styled && q.have.sgr == q.want.sgr {
		return
	}
	q.out = append(q.out, "\x1b["...)
	if rest, ok := cutPrefix(q.want.sgr, q.have.sgr); q.have.styled && ok && q.have.sgr != "" {
		q.out = append(q.out, rest[1:]...)
	} else if q.want.sgr != "" {
		if !q.have.styled || q.have.sgr != "" {
			q.out = append(q.out, "0;"...)
		}
		q.out = append(q.out, q.want.sgr...)
	}
	q.out = append(q.out, 'm')
	q.have.styled, q.have.sgr = true, q.want.sgr
}

// cutPrefix cuts prefix off s where a parameter ends.
func cutPrefix(s, prefix string) (rest string, ok bool) {
	if len(s) > len(prefix) && s[:len(prefix)] == prefix && s[len(prefix)] == ';' {
		return s[len(prefix):], true
	}
	return s, false
}

// visibility takes note of sequences that show and hide the cursor, and drops
// those that only make it blink or give it a shape (the last two are the Linux
// console's): that is the operator's taste.
func (q *squeezer) visibility(t []byte) bool {
	switch string(t) {
	case "\x1b[?25l":
		q.want.shown, q.want.seen = false, true
	case "\x1b[?25h", "\x1b[?12;25h":
		q.want.shown, q.want.seen = true, true
	case "\x1b[?12l", "\x1b[?12h", "\x1b[34h", "\x1b[34l", "\x1b[?0c", "\x1b[?1c":
	default:
		return false
	}
	return true
}

// place takes note of where the cursor is to go (CUP).
func (q *squeezer) place(t []byte) bool {
	if len(t) < 3 || t[1] != '[' || t[len(t)-1] != 'H' {
		return false
	}
	row, col := 1, 1
	if params := t[2 : len(t)-1]; len(params) > 0 {
		r, c, ok := bytes.Cut(params, []byte{';'})
		if !ok {
			return false
		}
		var err1, err2 error
		row, err1 = strconv.Atoi(string(r))
		col, err2 = strconv.Atoi(string(c))
		if err1 != nil || err2 != nil {
			return false
		}
	}
	q.want.placed, q.want.row, q.want.col = true, row-1, col-1
	return true
}

// attributes takes note of SGR sequences, and of the resets around them.
func (q *squeezer) attributes(t []byte) bool {
	switch string(t) {
	case "\x1b(B", "\x0f": // back to ASCII
		if !q.ascii {
			q.ascii = true
			q.out = append(q.out, t...)
		}
		return true
	case "\x1b(0", "\x0e": // line drawing
		q.ascii = false
	}
	if len(t) < 3 || t[1] != '[' || t[len(t)-1] != 'm' || t[2] == '>' || t[2] == '?' {
		return false
	}
	params := string(t[2 : len(t)-1])
	switch {
	case params == "" || params == "0":
		q.want.styled, q.want.sgr = true, ""
	case !q.want.styled:
		return false
	case q.want.sgr == "":
		q.want.sgr = params
	default:
		q.want.sgr += ";" + params
	}
	return true
}

// cursorShape drops a shape that the cursor already has (DECSCUSR).
func (q *squeezer) cursorShape(t []byte) bool {
	if len(t) < 4 || string(t[len(t)-2:]) != " q" {
		return false
	}
	if q.shape == string(t) {
		return true
	}
	q.shape = string(t)
	q.out = append(q.out, t...)
	return true
}

// other passes on what is not understood.
func (q *squeezer) other(t []byte) {
	if len(t) > 1 && t[1] == ']' { // an OSC changes neither place nor attributes
		q.out = append(q.out, t...)
		return
	}
	q.moveTo()
	q.style()
	q.out = append(q.out, t...)
	if string(t) == "\x1b[2J" || string(t) == "\x1b[J" { // erasing leaves the cursor alone
		return
	}
	q.have.placed, q.want.placed = false, false
	q.have.styled = false
}

// token is the length of the first token of p: a run of text, a control
// character, or a whole escape sequence. A sequence that p does not hold to its
// end is one token with what there is.
func token(p []byte) int {
	if p[0] != 0x1b {
		if p[0] < 0x20 {
			return 1
		}
		ascii := p[0] < 0x7f
		n := 1
		for n < len(p) && p[n] >= 0x20 && p[n] != 0x1b && (p[n] < 0x7f) == ascii {
			n++
		}
		return n
	}
	if len(p) == 1 {
		return 1
	}
	switch p[1] {
	case '[':
		for n := 2; n < len(p); n++ {
			if p[n] >= 0x40 && p[n] <= 0x7e {
				return n + 1
			}
		}
		return len(p)
	case ']', 'P', 'X', '^', '_':
		for n := 2; n < len(p); n++ {
			if p[n] == 0x07 {
				return n + 1
			}
			if p[n] == 0x1b && n+1 < len(p) && p[n+1] == '\\' {
				return n + 2
			}
		}
		return len(p)
	case '(', ')', '*', '+', '#', '%', ' ':
		return min(3, len(p))
	}
	return 2
}
