package svg

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/nod-console/nod/backends/vt"
)

// The cell of an SVG picture, in its units, and what is around it.
const (
	cellWidth  = 8.4
	cellHeight = 18
	baseline   = 13.5
	margin     = 12
)

// Look is the terminal that a picture shows: its own colours, as SVG names them.
type Look struct {
	Ground, Ink string
	Palette     [16]string // the colours that terminals name
}

// The looks of a dark and of a light terminal.
var (
	Dark = Look{"#101418", "#d8dee4", [16]string{
		"#1c2128", "#dc4550", "#57ab5a", "#c69026", "#539bf5", "#b083f0", "#39c5cf", "#adbac7",
		"#636e7b", "#ff938a", "#6bc46d", "#daaa3f", "#6cb6ff", "#dcbdfb", "#56d4dd", "#ffffff",
	}}
	Light = Look{"#ffffff", "#24292f", [16]string{
		"#24292f", "#cf222e", "#116329", "#946800", "#0969da", "#8250df", "#1b7c83", "#d0d7de",
		"#57606a", "#a40e26", "#1a7f37", "#633c01", "#218bff", "#a475f9", "#3192aa", "#ffffff",
	}}
)

// picture is a snapshot that is being written.
type picture struct {
	*vt.Snapshot
	Look
	out *bufio.Writer
}

// Write writes the picture of a terminal.
func Write(w io.Writer, snapshot *vt.Snapshot, look Look) error {
	out := bufio.NewWriter(w)
	s := picture{snapshot, look, out}
	width := 2*margin + cellWidth*float64(s.Size.Cols)
	height := 2*margin + cellHeight*s.Size.Rows
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%.1f" height="%d" viewBox="0 0 %.1f %d">`+"\n", width, height, width, height)
	fmt.Fprintf(out, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", s.Ground)
	fmt.Fprintf(out, `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="%s">`+"\n", s.Ink)
	for y := range s.Size.Rows {
		s.row(y)
	}
	if c := s.Cursor; c.Visible {
		x, y := place(min(c.Col, s.Size.Cols-1), c.Row)
		fmt.Fprintf(out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s" fill-opacity="0.5"/>`+"\n", x, y, cellWidth, cellHeight, s.Ink)
	}
	fmt.Fprint(out, "</g>\n</svg>\n")
	return out.Flush()
}

func place(col, row int) (x, y float64) {
	return margin + cellWidth*float64(col), margin + cellHeight*float64(row)
}

// row writes the pieces of a row that look alike.
func (s picture) row(y int) {
	cells := s.Row(y)
	for from := 0; from < len(cells); {
		to := from + 1
		for to < len(cells) && (cells[to].SameStyle(cells[from]) || cells[to].Width() == 0) {
			to++
		}
		s.piece(cells[from:to], from, y)
		from = to
	}
}

// piece writes cells of one style: what is behind them, and their text. Each
// character that is not plain stands by itself, so that no font can displace
// the others.
func (s picture) piece(cells []vt.Cell, col, row int) {
	style := s.Style(cells[0])
	fg, bg := s.color(style.Fg, s.Ink), s.color(style.Bg, "")
	if style.Attrs&vt.Reverse != 0 {
		if bg == "" {
			bg = s.Ground
		}
		fg, bg = bg, fg
	}
	x, y := place(col, row)
	if bg != "" {
		fmt.Fprintf(s.out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s" shape-rendering="crispEdges"/>`+"\n", x, y, cellWidth*float64(len(cells)), cellHeight, bg)
	}
	if style.Attrs&vt.Hidden != 0 {
		return
	}
	attributes := s.attributes(style, fg)
	lined := style.UnderlineStyle != vt.UnderlineNone || style.Attrs&(vt.Strike|vt.Overline) != 0
	for from := 0; from < len(cells); {
		if cells[from].Blank() && !lined {
			from++
			continue
		}
		if n := s.frame(cells[from:], col+from, row, style, fg); n > 0 {
			from += n
			continue
		}
		to := from + s.plainRun(cells[from:])
		for to > from+1 && cells[to-1].Blank() && !lined {
			to--
		}
		text := string(s.AppendText(nil, cells[from:to]))
		at, _ := place(col+from, row)
		fmt.Fprintf(s.out, `<text x="%.1f" y="%.1f" textLength="%.1f" xml:space="preserve"%s>%s</text>`+"\n",
			at, y+baseline, cellWidth*float64(to-from), attributes, escape(text))
		from = to
	}
}

// plainRun is how many cells the first character takes, with all that follow it if they are
// plain.
func (s picture) plainRun(cells []vt.Cell) int {
	n := max(cells[0].Width(), 1)
	for s.plain(cells[0]) && n < len(cells) && s.plain(cells[n]) {
		n++
	}
	return n
}

// arms are the halves of a line that a frame's character consists of: up, right, down
// and left of the cell's middle.
var arms = map[rune][4]bool{
	'─': {false, true, false, true}, '│': {true, false, true, false},
	'┌': {false, true, true, false}, '┐': {false, false, true, true},
	'└': {true, true, false, false}, '┘': {true, false, false, true},
	'├': {true, true, true, false}, '┤': {true, false, true, true},
	'┬': {false, true, true, true}, '┴': {true, true, false, true}, '┼': {true, true, true, true},
}

// frame draws a frame's character, and equal ones behind it, from edge to edge of their
// cells, which no font does. It returns how many there were.
func (s picture) frame(cells []vt.Cell, col, row int, style vt.Style, fg string) int {
	r, more := s.Rune(cells[0])
	a, ok := arms[r]
	if !ok || more {
		return 0
	}
	n := 1
	for ; r == '─' && n < len(cells); n++ {
		if next, more := s.Rune(cells[n]); next != r || more {
			break
		}
	}
	x, y := place(col, row)
	width := cellWidth * float64(n)
	middle, center := x+width/2, y+cellHeight/2
	fmt.Fprintf(s.out, `<path d="`)
	for i, end := range [4]string{
		fmt.Sprintf("V%.1f", y), fmt.Sprintf("H%.1f", x+width), fmt.Sprintf("V%.1f", y+cellHeight), fmt.Sprintf("H%.1f", x),
	} {
		if a[i] {
			fmt.Fprintf(s.out, "M%.1f %.1f%s", middle, center, end)
		}
	}
	fmt.Fprintf(s.out, `" stroke="%s"`, fg)
	if style.Attrs&vt.Dim != 0 {
		fmt.Fprint(s.out, ` opacity="0.6"`)
	}
	fmt.Fprintln(s.out, "/>")
	return n
}

func (s picture) plain(c vt.Cell) bool {
	r, more := s.Rune(c)
	return !more && r >= 0x20 && r < 0x7f
}

func (s picture) attributes(style vt.Style, fg string) string {
	var b strings.Builder
	if fg != s.Ink {
		fmt.Fprintf(&b, ` fill="%s"`, fg)
	}
	if style.Attrs&vt.Bold != 0 {
		b.WriteString(` font-weight="bold"`)
	}
	if style.Attrs&vt.Italic != 0 {
		b.WriteString(` font-style="italic"`)
	}
	if style.Attrs&vt.Dim != 0 {
		b.WriteString(` opacity="0.6"`)
	}
	var lines []string
	for _, l := range []struct {
		on   bool
		name string
	}{
		{style.UnderlineStyle != vt.UnderlineNone, "underline"},
		{style.Attrs&vt.Strike != 0, "line-through"},
		{style.Attrs&vt.Overline != 0, "overline"},
	} {
		if l.on {
			lines = append(lines, l.name)
		}
	}
	if lines != nil {
		fmt.Fprintf(&b, ` text-decoration="%s"`, strings.Join(lines, " "))
	}
	return b.String()
}

// escape is text that XML takes for nothing else.
func escape(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0xfffe || r == 0xffff {
			return 0xfffd
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// color is a colour; standard for the terminal's own.
func (s picture) color(c vt.Color, standard string) string {
	switch c.Kind() {
	case vt.KindRGB:
		r, g, b := c.RGB()
		return fmt.Sprintf("#%02x%02x%02x", r, g, b)
	case vt.KindIndexed:
		n := int(c.Index())
		switch {
		case n < len(s.Palette):
			return s.Palette[n]
		case n >= 232:
			v := 8 + 10*(n-232)
			return fmt.Sprintf("#%02x%02x%02x", v, v, v)
		}
		steps := [6]int{0, 95, 135, 175, 215, 255}
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", steps[n/36], steps[n/6%6], steps[n%6])
	}
	return standard
}
