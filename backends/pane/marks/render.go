package marks

import (
	"strings"
	"unicode/utf8"
)

// Render turns the bytes that a program wrote to its terminal into the text
// that a reader of that terminal would have got: escape sequences are gone,
// what a carriage return or a backspace had overwritten too. Plain output comes
// back exactly, with "\n" for the terminal's "\r\n".
func Render(raw []byte) string {
	r := resolver{}
	for i := 0; i < len(raw); {
		switch b := raw[i]; {
		case b == 0x1b:
			i += r.escape(raw[i:])
		case b < 0x20 || b == 0x7f:
			r.control(b)
			i++
		default:
			_, n := utf8.DecodeRune(raw[i:])
			r.put(string(raw[i : i+n]))
			i += n
		}
	}
	return r.String()
}

// Binary reports whether output holds what no program writes for a reader: a zero
// byte or the like, or what is no UTF-8. That it may be cut at its end does not count.
func Binary(raw []byte) bool {
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		switch {
		case !utf8.FullRune(raw):
			return false
		case r == utf8.RuneError && n == 1:
			return true
		case r < 0x07, r > 0x0f && r < 0x20 && r != 0x1b:
			return true
		}
		raw = raw[n:]
	}
	return false
}

// maxColumn bounds how far a sequence may move in a line.
const maxColumn = 10000

// resolver is a page without a right edge.
type resolver struct {
	done []string // lines that are finished; the cursor may come back to the last few
	line []string // the cells of the current line
	col  int
}

func (r *resolver) put(cell string) {
	if r.col < len(r.line) {
		r.line[r.col] = cell
	} else {
		r.pad(r.col)
		r.line = append(r.line, cell)
	}
	r.col++
}

func (r *resolver) pad(n int) {
	for len(r.line) < n {
		r.line = append(r.line, " ")
	}
}

func (r *resolver) control(b byte) {
	switch b {
	case '\n':
		r.done = append(r.done, strings.Join(r.line, ""))
		r.line, r.col = r.line[:0], 0
	case '\r':
		r.col = 0
	case '\b':
		r.col = max(0, r.col-1)
	case '\t':
		r.put("\t")
	}
}

func (r *resolver) String() string {
	var b strings.Builder
	for _, l := range r.done {
		b.WriteString(l)
		b.WriteByte('\n')
	}
	for _, c := range r.line {
		b.WriteString(c)
	}
	return b.String()
}

// escape handles the sequence at the beginning of p and returns its length. An
// unfinished one is dropped.
func (r *resolver) escape(p []byte) int {
	if len(p) < 2 {
		return len(p)
	}
	switch p[1] {
	case '[':
		return r.csi(p)
	case ']', 'P', 'X', '^', '_', 'k':
		return stringLength(p)
	}
	n := 1
	for n < len(p) && p[n] >= 0x20 && p[n] < 0x30 { // intermediates: charsets and the like
		n++
	}
	if n < len(p) && p[n] >= 0x30 && p[n] < 0x7f {
		n++
	}
	return n
}

// stringLength is the length of an OSC, DCS or the like, which ends with BEL or
// ST and is cut short by any other escape.
func stringLength(p []byte) int {
	for i := 2; i < len(p); i++ {
		switch p[i] {
		case 0x07:
			return i + 1
		case 0x18, 0x1a:
			return i + 1
		case 0x1b:
			if i+1 < len(p) && p[i+1] == '\\' {
				return i + 2
			}
			return i
		}
	}
	return len(p)
}

// csi handles the control sequences that move or erase within a line.
func (r *resolver) csi(p []byte) int {
	i := 2
	for i < len(p) && p[i] >= 0x20 && p[i] < 0x40 {
		i++
	}
	if i == len(p) {
		return i
	}
	arg := string(p[2:i])
	switch p[i] {
	case 'K':
		r.eraseLine(arg)
	case 'C':
		r.col = min(maxColumn, r.col+count(arg))
	case 'D':
		r.col = max(0, r.col-count(arg))
	case 'G':
		r.col = min(maxColumn, count(arg)-1)
	}
	if p[i] < 0x40 || p[i] > 0x7e { // a control character ends it unseen
		return i
	}
	return i + 1
}

func (r *resolver) eraseLine(arg string) {
	switch arg {
	case "", "0":
		r.line = r.line[:min(r.col, len(r.line))]
	case "1":
		for i := range min(r.col+1, len(r.line)) {
			r.line[i] = " "
		}
	case "2":
		r.line = r.line[:0]
	}
}

// count is a sequence's single parameter, 1 if it is left out.
func count(arg string) int {
	n := 0
	for _, c := range arg {
		if c < '0' || c > '9' || n > maxColumn {
			break
		}
		n = n*10 + int(c-'0')
	}
	return max(n, 1)
}
