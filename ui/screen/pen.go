package screen

import (
	"bytes"
	"strings"

	"github.com/gdamore/tcell/v2"
)

// look is how a style is written on the terminal.
type look struct {
	sgr  string // parameters of SGR behind a reset, joined by semicolons
	link string // opens a link (OSC 8); empty for none
}

const endLink = "\x1b]8;;\x1b\\"

// pen knows how the terminal draws now, and how it is changed.
type pen struct {
	known bool
	now   look
}

// write appends what makes the pen draw in a style, as little as does it.
func (p *pen) write(out []byte, want look) []byte {
	if p.known && p.now == want {
		return out
	}
	if !p.known || p.now.link != want.link {
		switch {
		case want.link != "":
			out = append(out, want.link...)
		case p.now.link != "":
			out = append(out, endLink...)
		}
	}
	if !p.known || p.now.sgr != want.sgr {
		out = append(out, "\x1b["...)
		if rest, ok := cutPrefix(want.sgr, p.now.sgr); p.known && ok {
			out = append(out, rest...)
		} else if p.known && ink(p.now.sgr) == len(p.now.sgr) && ink(want.sgr) > 0 {
			out = append(out, want.sgr...) // the one colour takes the other's place
		} else if want.sgr != "" {
			out = append(append(out, "0;"...), want.sgr...)
		}
		out = append(out, 'm')
	}
	p.known, p.now = true, want
	return out
}

// ink is the length of a colour of text, one of sixteen or of 256, at the beginning of
// parameters; 0 if they begin otherwise.
func ink(sgr string) int {
	first, rest, _ := strings.Cut(sgr, ";")
	switch {
	case len(first) == 2 && (first[0] == '3' || first[0] == '9') && first[1] < '8':
		return 2
	case first == "38" && strings.HasPrefix(rest, "5;"):
		number, _, _ := strings.Cut(rest[2:], ";")
		return len("38;5;") + len(number)
	}
	return 0
}

// cutPrefix cuts prefix off s where a parameter ends.
func cutPrefix(s, prefix string) (rest string, ok bool) {
	switch {
	case prefix == "":
		return s, s != ""
	case len(s) > len(prefix) && s[:len(prefix)] == prefix && s[len(prefix)] == ';':
		return s[len(prefix)+1:], true
	}
	return s, false
}

// encoder asks tcell how styles are written: which colours and attributes the
// terminal has is its knowledge. tcell draws a cell for each, and what it would send
// is kept from the terminal.
type encoder struct {
	inner tcell.Screen
	tty   *quietTTY
}

// mostTries bounds how often tcell is asked again: a screen that has ended draws nothing.
const mostTries = 8

// looks are those of styles, in order. Styles that stand beside each other must
// differ.
func (e *encoder) looks(styles []tcell.Style) []look {
	var looks []look
	for tries := 0; len(styles) > 0; tries++ {
		w, h := e.inner.Size()
		n := min(len(styles), w*h-1) // the last cell takes more than itself on some terminals
		if n < 1 {
			return append(looks, make([]look, len(styles))...)
		}
		drawn, alone := e.draw(styles[:n], w)
		if now, _ := e.inner.Size(); (now != w || !alone) && tries < mostTries {
			continue // tcell has drawn by itself, after a change of size
		}
		looks = append(looks, looksOf(drawn, n)...)
		styles = styles[n:]
	}
	return looks
}

// draw has tcell draw a cell in each style, and returns the frame; alone if it drew
// no other.
func (e *encoder) draw(styles []tcell.Style, width int) (frame []byte, alone bool) {
	for i, style := range styles {
		x, y := i%width, i/width
		sample := "x"
		if was, _, _ := e.inner.Get(x, y); was == sample {
			sample = "y" // a cell that did not change is not drawn
		}
		e.inner.Put(x, y, sample, style)
	}
	e.tty.takeDrawn()
	e.inner.Show()
	return e.tty.takeDrawn()
}

// looksOf reads the styles of the first n cells that a frame of tcell's draws.
func looksOf(drawn []byte, n int) []look {
	looks := make([]look, 0, n)
	var l look
	for len(drawn) > 0 && len(looks) < n {
		size := token(drawn)
		t := drawn[:size]
		drawn = drawn[size:]
		switch {
		case t[0] >= 0x20 && t[0] != 0x1b:
			looks = append(looks, l)
		case bytes.HasPrefix(t, []byte("\x1b]8;")):
			if l.link = string(t); l.link == endLink {
				l.link = ""
			}
		case len(t) >= 3 && t[1] == '[' && t[len(t)-1] == 'm':
			switch params := string(t[2 : len(t)-1]); {
			case params == "" || params == "0":
				l.sgr = ""
			case l.sgr == "":
				l.sgr = params
			default:
				l.sgr += ";" + params
			}
		}
	}
	return append(looks, make([]look, n-len(looks))...)
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
