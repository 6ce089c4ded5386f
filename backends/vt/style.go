package vt

// Color is a terminal colour: the default of the terminal, one of 256 palette
// entries, or 24 bits of red, green and blue. The zero value is [Default].
type Color uint32

// Default is the terminal's own foreground or background.
const Default Color = 0

const (
	colorIndexed Color = 1 << 24
	colorRGB     Color = 2 << 24
)

// ColorKind says how a [Color] is given.
type ColorKind uint8

// The kinds of colour.
const (
	KindDefault ColorKind = iota
	KindIndexed
	KindRGB
)

// Indexed returns entry n of the 256-colour palette; 0 to 7 are the classic
// colours, 8 to 15 their bright forms.
func Indexed(n uint8) Color { return colorIndexed | Color(n) }

// RGB returns a 24-bit colour.
func RGB(r, g, b uint8) Color {
	return colorRGB | Color(r)<<16 | Color(g)<<8 | Color(b)
}

// Kind says how the colour is given.
func (c Color) Kind() ColorKind {
	switch c & (colorIndexed | colorRGB) {
	case colorIndexed:
		return KindIndexed
	case colorRGB:
		return KindRGB
	default:
		return KindDefault
	}
}

// Index returns the palette entry of a [KindIndexed] colour.
func (c Color) Index() uint8 { return uint8(c) }

// RGB returns the three parts of a [KindRGB] colour.
func (c Color) RGB() (r, g, b uint8) { return uint8(c >> 16), uint8(c >> 8), uint8(c) }

// Attr is a set of text attributes.
type Attr uint16

// The text attributes. Underline is told by [Style.UnderlineStyle].
const (
	Bold Attr = 1 << iota
	Dim
	Italic
	Blink
	Reverse
	Hidden
	Strike
	Overline
)

// The values of [Style.UnderlineStyle], as in SGR 4:n.
const (
	UnderlineNone uint8 = iota
	UnderlineSingle
	UnderlineDouble
	UnderlineCurly
	UnderlineDotted
	UnderlineDashed
)

// Style is how a cell looks. The zero value is the terminal's default.
type Style struct {
	Fg, Bg, Underline Color
	Attrs             Attr
	UnderlineStyle    uint8
}

// pen is a Style together with the hyperlink that text written now belongs to.
type pen struct {
	Style
	link uint32 // index into tables.links, 0 = none
}
