package recording

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

// ground and ink are the default colours.
const ground, ink = "#101418", "#d8dee4"

// ExportSVG writes a picture as SVG. It needs nothing but a font of fixed width.
func ExportSVG(w io.Writer, s *vt.Snapshot) error {
	out := bufio.NewWriter(w)
	width := 2*margin + cellWidth*float64(s.Size.Cols)
	height := 2*margin + cellHeight*s.Size.Rows
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%.1f" height="%d" viewBox="0 0 %.1f %d">`+"\n", width, height, width, height)
	fmt.Fprintf(out, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", ground)
	fmt.Fprintf(out, `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="%s">`+"\n", ink)
	for y := range s.Size.Rows {
		svgRow(out, s, y)
	}
	if c := s.Cursor; c.Visible {
		x, y := svgPlace(min(c.Col, s.Size.Cols-1), c.Row)
		fmt.Fprintf(out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s" fill-opacity="0.5"/>`+"\n", x, y, cellWidth, cellHeight, ink)
	}
	fmt.Fprint(out, "</g>\n</svg>\n")
	return out.Flush()
}

func svgPlace(col, row int) (x, y float64) {
	return margin + cellWidth*float64(col), margin + cellHeight*float64(row)
}

// svgRow writes the pieces of a row that look alike.
func svgRow(out *bufio.Writer, s *vt.Snapshot, y int) {
	cells := s.Row(y)
	for from := 0; from < len(cells); {
		to := from + 1
		for to < len(cells) && (cells[to].SameStyle(cells[from]) || cells[to].Width() == 0) {
			to++
		}
		svgPiece(out, s, cells[from:to], from, y)
		from = to
	}
}

// svgPiece writes cells of one style: what is behind them, and their text. Each
// character that is not plain stands by itself, so that no font can displace
// the others.
func svgPiece(out *bufio.Writer, s *vt.Snapshot, cells []vt.Cell, col, row int) {
	style := s.Style(cells[0])
	fg, bg := svgColor(style.Fg, ink), svgColor(style.Bg, "")
	if style.Attrs&vt.Reverse != 0 {
		if bg == "" {
			bg = ground
		}
		fg, bg = bg, fg
	}
	x, y := svgPlace(col, row)
	if bg != "" {
		fmt.Fprintf(out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"/>`+"\n", x, y, cellWidth*float64(len(cells)), cellHeight, bg)
	}
	if style.Attrs&vt.Hidden != 0 {
		return
	}
	attributes := svgAttributes(style, fg)
	lined := style.UnderlineStyle != vt.UnderlineNone || style.Attrs&(vt.Strike|vt.Overline) != 0
	for from := 0; from < len(cells); {
		if cells[from].Blank() && !lined {
			from++
			continue
		}
		to := from + max(cells[from].Width(), 1)
		for plain(s, cells[from]) && to < len(cells) && plain(s, cells[to]) {
			to++
		}
		for to > from+1 && cells[to-1].Blank() && !lined {
			to--
		}
		text := string(s.AppendText(nil, cells[from:to]))
		at, _ := svgPlace(col+from, row)
		fmt.Fprintf(out, `<text x="%.1f" y="%.1f" textLength="%.1f" xml:space="preserve"%s>%s</text>`+"\n",
			at, y+baseline, cellWidth*float64(to-from), attributes, svgText(text))
		from = to
	}
}

func plain(s *vt.Snapshot, c vt.Cell) bool {
	r, more := s.Rune(c)
	return !more && r >= 0x20 && r < 0x7f
}

func svgAttributes(style vt.Style, fg string) string {
	var b strings.Builder
	if fg != ink {
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

// svgText is text that XML takes for nothing else.
func svgText(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0xfffe || r == 0xffff {
			return 0xfffd
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// palette are the sixteen colours that terminals name.
var palette = [16]string{
	"#1c2128", "#f47067", "#57ab5a", "#c69026", "#539bf5", "#b083f0", "#39c5cf", "#adbac7",
	"#636e7b", "#ff938a", "#6bc46d", "#daaa3f", "#6cb6ff", "#dcbdfb", "#56d4dd", "#ffffff",
}

// svgColor is a colour; standard for the terminal's own.
func svgColor(c vt.Color, standard string) string {
	switch c.Kind() {
	case vt.KindRGB:
		r, g, b := c.RGB()
		return fmt.Sprintf("#%02x%02x%02x", r, g, b)
	case vt.KindIndexed:
		n := int(c.Index())
		switch {
		case n < len(palette):
			return palette[n]
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
