package vt

import (
	"bytes"
	"strconv"
)

// attribute sets and clears of SGR that are one bit each.
var (
	sgrSet = [64]Attr{
		1: Bold, 2: Dim, 3: Italic, 5: Blink, 6: Blink, 7: Reverse, 8: Hidden, 9: Strike, 53: Overline,
	}
	sgrClear = [64]Attr{
		22: Bold | Dim, 23: Italic, 25: Blink, 27: Reverse, 28: Hidden, 29: Strike, 55: Overline,
	}
)

// selectGraphics is SGR. A hyperlink stays: it is no rendition.
func (t *Terminal) selectGraphics(a *args) {
	p := &t.pen
	t.penChanged()
	if a.n == 0 {
		p.Style = Style{}
		return
	}
	for i := 0; i < a.n; i++ {
		n, ok := a.get(i, 0, 0)
		switch {
		case !ok:
			t.selectSub(a.sub(i))
		case n == 38 || n == 48 || n == 58:
			i = p.selectColor(n, a, i+1)
		default:
			p.selectOne(n)
		}
	}
}

func (p *pen) selectOne(n int) {
	switch {
	case n == 0:
		p.Style = Style{}
	case n == 4:
		p.UnderlineStyle = UnderlineSingle
	case n == 21:
		p.UnderlineStyle = UnderlineDouble
	case n == 24:
		p.UnderlineStyle = UnderlineNone
	case n >= 30 && n <= 49:
		p.selectPlain(n, 0)
	case n >= 90 && n <= 107:
		p.selectPlain(n, 8)
	case n == 59:
		p.Underline = Default
	case n < len(sgrSet):
		p.Attrs = p.Attrs&^sgrClear[n] | sgrSet[n]
	}
}

// selectPlain takes one of eight colours, which begin at first in the palette, or the default:
// what the last digit says, for the text by 30 and 90, for what is behind it by 40 and 100.
func (p *pen) selectPlain(n int, first uint8) {
	c := &p.Fg
	if n/10 == 4 || n/10 == 10 {
		c = &p.Bg
	}
	switch digit := uint8(n % 10); {
	case digit < 8:
		*c = Indexed(first + digit)
	case digit == 9 && first == 0:
		*c = Default
	}
}

// selectColor takes 38;5;n and 38;2;r;g;b. It returns the index of the last
// parameter that belongs to the colour. Three parts that are no colour are
// renditions of their own.
func (p *pen) selectColor(which int, a *args, i int) int {
	get := func(i int) int {
		if i >= a.n || a.value[i] < 0 {
			return -1
		}
		return int(a.value[i])
	}
	switch get(i) {
	case 2:
		if p.setRGB(which, get(i+1), get(i+2), get(i+3)) {
			return i + 3
		}
	case 5:
		p.setIndexed(which, get(i+1))
		return i + 1
	}
	return i
}

func (p *pen) color(which int) *Color {
	switch which {
	case 38:
		return &p.Fg
	case 48:
		return &p.Bg
	default:
		return &p.Underline
	}
}

// setIndexed selects the default where the number is none of the palette.
func (p *pen) setIndexed(which, n int) {
	switch c := p.color(which); {
	case n >= 0 && n <= 255:
		*c = Indexed(uint8(n))
	case which != 58:
		*c = Default
	}
}

func (p *pen) setRGB(which, r, g, b int) bool {
	if min(r, g, b) < 0 || max(r, g, b) > 255 {
		return false
	}
	*p.color(which) = RGB(uint8(r), uint8(g), uint8(b))
	return true
}

// maxSubs is how many sub-parameters a parameter has at the most, as in tmux.
const maxSubs = 7

// selectSub takes one parameter with sub-parameters: 4:3, 38:5:n, 38:2::r:g:b.
func (t *Terminal) selectSub(s []byte) {
	v, n, ok := subParameters(s)
	if !ok {
		return
	}
	p := &t.pen
	switch v[0] {
	case 4:
		if n == 2 && v[1] >= 0 && v[1] <= 5 {
			p.UnderlineStyle = uint8(v[1])
		}
	case 5:
		if v[1] == 3 && t.parser.capture {
			p.Attrs |= Overline // as capture-pane writes it
		}
	case 38, 48, 58:
		p.selectSubColor(&v, n)
	}
}

// subParameters splits a parameter. Those that are empty are -1; ok is false for too many, and
// for what is no number.
func subParameters(s []byte) (v [maxSubs]int, n int, ok bool) {
	for part := range bytes.SplitSeq(s, []byte{':'}) {
		if n == maxSubs {
			return v, n, false
		}
		v[n] = -1
		if len(part) > 0 {
			x, err := strconv.ParseInt(string(part), 10, 32)
			if err != nil {
				return v, n, false
			}
			v[n] = int(x)
		}
		n++
	}
	return v, n, true
}

// selectSubColor takes n sub-parameters that are a colour.
func (p *pen) selectSubColor(v *[maxSubs]int, n int) {
	switch v[1] {
	case 2:
		at := 3
		if n == 5 {
			at = 2
		}
		if n >= at+3 {
			p.setRGB(v[0], v[at], v[at+1], v[at+2])
		}
	case 5:
		if n >= 3 {
			p.setIndexed(v[0], v[2])
		}
	}
}
