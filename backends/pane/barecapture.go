package pane

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/nod-console/nod/backends/vt"
)

// captureSnapshot is what tmux's capture-pane (3.3a) makes of a screen. hidden is
// the one that does not show, or nil.
func captureSnapshot(screen, hidden *vt.Snapshot, opt CaptureOptions) Capture {
	var c Capture
	from := screen
	if opt.Alternate && hidden != nil {
		from = hidden
	} else if opt.Alternate {
		c.Notices = append(c.Notices, "no alternate screen: this is the only one there is")
	}
	last := from.Lines() - 1
	top, bottom := captureLine(opt.Start, from, from.Scrolled, 0), captureLine(opt.End, from, last, last)
	if bottom < top {
		top, bottom = bottom, top
	}
	w := captureWriter{s: from, opt: opt}
	for i := top; i <= bottom; i++ {
		w.line(i)
	}
	c.Text = strings.TrimSuffix(string(w.b), "\n") + "\n"
	if !opt.TrailingSpaces {
		c.Text = trimmed(c.Text)
	}
	return c
}

// maxCaptureLine is the largest line number that capture-pane takes.
const maxCaptureLine = 32767

// captureLine is the index of the line with a number as [CaptureOptions] has
// them; normal is that of none, and edge that of "-".
func captureLine(number string, s *vt.Snapshot, normal, edge int) int {
	if number == "-" {
		return edge
	}
	n, err := strconv.Atoi(number)
	if err != nil || n > maxCaptureLine {
		return normal
	}
	return min(max(s.Scrolled+n, 0), s.Lines()-1)
}

// captureWriter writes lines in the form of capture-pane.
type captureWriter struct {
	s    *vt.Snapshot
	opt  CaptureOptions
	b    []byte
	last vt.Style // of the cell before, also of the line before
}

func (w *captureWriter) line(i int) {
	cells := w.s.Line(i)
	begin := len(w.b)
	for _, c := range cells[:written(cells, w.s.Size.Cols)] {
		if c.Width() == 0 {
			continue
		}
		if w.opt.Escapes {
			w.style(w.s.Style(c))
		}
		if text := w.s.Text(c); w.opt.EscapeNonPrintable && text == `\` {
			w.b = append(w.b, `\\`...)
		} else {
			w.b = append(w.b, text...)
		}
	}
	if !w.opt.JoinWrapped && !w.opt.TrailingSpaces {
		w.b = append(w.b[:begin], bytes.TrimRight(w.b[begin:], " ")...)
	}
	if !w.opt.JoinWrapped || !w.s.LineWrapped(i) {
		w.b = append(w.b, '\n')
	}
}

// written is how many cells of a line have been written: the background of an
// erased end is not captured. Blanks that are left of an erase are, by tmux, but
// they are not known any more.
func written(cells []vt.Cell, cols int) int {
	n := min(len(cells), cols)
	for n > 0 && cells[n-1].Empty() {
		n--
	}
	return n
}

// attributes are in the order in which capture-pane has them.
var attributes = []struct {
	has  func(vt.Style) bool
	code string
}{
	{attribute(vt.Bold), "1"}, {attribute(vt.Dim), "2"}, {attribute(vt.Italic), "3"},
	{underline(vt.UnderlineSingle), "4"},
	{attribute(vt.Blink), "5"}, {attribute(vt.Reverse), "7"}, {attribute(vt.Hidden), "8"}, {attribute(vt.Strike), "9"},
	{underline(vt.UnderlineDouble), "4:2"}, {underline(vt.UnderlineCurly), "4:3"},
	{underline(vt.UnderlineDotted), "4:4"}, {underline(vt.UnderlineDashed), "4:5"},
	{attribute(vt.Overline), "5:3"}, // so it is written, and read by nobody
}

func attribute(a vt.Attr) func(vt.Style) bool {
	return func(s vt.Style) bool { return s.Attrs&a != 0 }
}

func underline(u uint8) func(vt.Style) bool {
	return func(s vt.Style) bool { return s.UnderlineStyle == u }
}

// style writes what turns the style of the cell before into s.
func (w *captureWriter) style(s vt.Style) {
	last := w.last
	w.last = s
	if s == last {
		return
	}
	var codes []string
	reset := last.Underline != vt.Default && s.Underline == vt.Default
	for _, a := range attributes {
		reset = reset || a.has(last) && !a.has(s)
	}
	if reset {
		codes = append(codes, "0")
	}
	for _, a := range attributes {
		if a.has(s) && (reset || !a.has(last)) {
			codes = append(codes, a.code)
		}
	}
	w.sgr(codes)
	w.color(s.Fg, last.Fg, reset, 30, "39")
	w.color(s.Bg, last.Bg, reset, 40, "49")
	w.color(s.Underline, last.Underline, reset, 50, "")
}

// color writes a colour that differs, or that a reset has taken away. base is
// the code of the first of the classic colours.
func (w *captureWriter) color(c, last vt.Color, reset bool, base int, none string) {
	if c == last && !reset {
		return
	}
	switch c.Kind() {
	case vt.KindDefault:
		if none != "" {
			w.sgr([]string{none})
		}
	case vt.KindIndexed:
		n := int(c.Index())
		switch {
		case n < 8 && base != 50:
			w.sgr([]string{strconv.Itoa(base + n)})
		case n < 16 && base != 50:
			w.sgr([]string{strconv.Itoa(base + 60 + n - 8)})
		default:
			w.sgr([]string{strconv.Itoa(base + 8), "5", strconv.Itoa(n)})
		}
	case vt.KindRGB:
		r, g, b := c.RGB()
		w.sgr([]string{strconv.Itoa(base + 8), "2", strconv.Itoa(int(r)), strconv.Itoa(int(g)), strconv.Itoa(int(b))})
	}
}

func (w *captureWriter) sgr(codes []string) {
	if len(codes) == 0 {
		return
	}
	if w.opt.EscapeNonPrintable {
		w.b = append(w.b, `\033[`...)
	} else {
		w.b = append(w.b, "\x1b["...)
	}
	w.b = append(append(w.b, strings.Join(codes, ";")...), 'm')
}
