package mirror

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"github.com/nod-console/nod/backends/vt"
)

// unshown stands for a character that cannot be drawn in its own columns.
const unshown = "\ufffd"

// maxKnown bounds the memory of character widths.
const maxKnown = 1 << 12

// painter draws cells of a terminal as cells of the screen.
type painter struct {
	text  tcell.Style
	known map[string]string // what to draw for a cell's text, by its width and text
}

func newPainter(text tcell.Style) painter {
	return painter{text: text, known: map[string]string{}}
}

// line draws the cells from column first on. What lies beyond them is blank.
func (p *painter) line(s tcell.Screen, x, y, width int, snap *vt.Snapshot, cells []vt.Cell, first int) {
	var style tcell.Style
	var last vt.Cell
	have := false
	for col := 0; col < width; {
		if first+col >= len(cells) {
			s.Put(x+col, y, " ", p.text)
			col++
			continue
		}
		c := cells[first+col]
		if !have || !c.SameStyle(last) {
			style, last, have = p.style(snap, c), c, true
		}
		w := c.Width()
		text := " "
		if w == 1 && col+1 < width {
			if flag := p.flag(snap, cells, first+col); flag != "" {
				s.Put(x+col, y, flag, style)
				col += 2
				continue
			}
		}
		if w == 0 || col+w > width { // a half of it is out of view
			w = 1
		} else if snap.Style(c).Attrs&vt.Hidden == 0 {
			text = p.shown(snap, c, w)
		}
		s.Put(x+col, y, text, style)
		if w == 2 && (text == " " || text == unshown) {
			s.Put(x+col+1, y, " ", style)
		}
		col += w
	}
}

// shown is what to draw for a cell: its text if tcell gives it the same width.
func (p *painter) shown(snap *vt.Snapshot, c vt.Cell, width int) string {
	r, more := snap.Rune(c)
	if !more && r < 0x300 && r >= 0x20 && r != 0xad {
		if r < 0x7f {
			return asciiText[r-0x20 : r-0x20+1]
		}
		return string(r)
	}
	text := snap.Text(c)
	key := text
	if width == 2 {
		key = "\x00" + text
	}
	if s, ok := p.known[key]; ok {
		return s
	}
	if len(p.known) >= maxKnown {
		clear(p.known)
	}
	s := fit(text, width)
	p.known[key] = s
	return s
}

// flag is the flag that begins at a cell: two regional indicators, which are two cells
// in many terminals, tmux 3.3 among them, and one character of two columns where they
// are drawn. It is empty if there is none. Indicators pair from the left.
func (p *painter) flag(snap *vt.Snapshot, cells []vt.Cell, i int) string {
	indicator := func(i int) (rune, bool) {
		if i < 0 || i >= len(cells) || cells[i].Width() != 1 {
			return 0, false
		}
		r, more := snap.Rune(cells[i])
		return r, !more && r >= 0x1f1e6 && r <= 0x1f1ff && snap.Style(cells[i]).Attrs&vt.Hidden == 0
	}
	left, is := indicator(i)
	right, too := indicator(i + 1)
	if !is || !too {
		return ""
	}
	before := 0
	for _, is := indicator(i - 1); is; _, is = indicator(i - 1 - before) {
		before++
	}
	flag := string(left) + string(right)
	if before%2 == 1 || fit(flag, 2) != flag {
		return ""
	}
	return flag
}

const asciiText = ` !"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_` + "`abcdefghijklmnopqrstuvwxyz{|}~"

// fit returns text without what could reorder or hide its neighbours, or less
// of it, so that tcell draws it in width columns.
func fit(text string, width int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) && r != '\u200d' || unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	same := func(s string) bool {
		cluster, rest, w, _ := uniseg.FirstGraphemeClusterInString(s, -1)
		return cluster != "" && rest == "" && w == width
	}
	if same(text) {
		return text
	}
	if r, _ := utf8.DecodeRuneInString(text); text != "" && same(string(r)) {
		return string(r)
	}
	return unshown
}

// style is the cell's style on the operator's screen. tcell knows no overline,
// and has hidden text drawn as blanks.
func (p *painter) style(snap *vt.Snapshot, c vt.Cell) tcell.Style {
	v := snap.Style(c)
	s := p.text
	if v.Fg != vt.Default {
		s = s.Foreground(color(v.Fg))
	}
	if v.Bg != vt.Default {
		s = s.Background(color(v.Bg))
	}
	if v.Attrs != 0 {
		s = s.Bold(v.Attrs&vt.Bold != 0).Dim(v.Attrs&vt.Dim != 0).Italic(v.Attrs&vt.Italic != 0).
			Blink(v.Attrs&vt.Blink != 0).Reverse(v.Attrs&vt.Reverse != 0).StrikeThrough(v.Attrs&vt.Strike != 0)
	}
	if v.UnderlineStyle != vt.UnderlineNone {
		// The two packages number the styles of SGR 4:n alike.
		s = s.Underline(tcell.UnderlineStyle(v.UnderlineStyle))
		if v.Underline != vt.Default {
			s = s.Underline(color(v.Underline))
		}
	}
	if link := snap.Link(c); link != "" {
		if v.UnderlineStyle == vt.UnderlineNone {
			s = s.Underline(true)
		}
		// The operator's terminal opens what is clicked on: nothing but pages.
		if strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://") {
			s = s.Url(link)
		}
	}
	return s
}

func color(c vt.Color) tcell.Color {
	switch c.Kind() {
	case vt.KindIndexed:
		return tcell.PaletteColor(int(c.Index()))
	case vt.KindRGB:
		r, g, b := c.RGB()
		return tcell.NewRGBColor(int32(r), int32(g), int32(b))
	default:
		return tcell.ColorDefault
	}
}

// blankRow reports whether a row shows no text.
func blankRow(cells []vt.Cell) bool {
	for _, c := range cells {
		if !c.Blank() {
			return false
		}
	}
	return true
}
