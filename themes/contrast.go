package themes

import "math"

// Palettes of the sixteen ANSI colours, as 0xrrggbb, that terminals come with.
var (
	// xtermPalette is that of XTerm-col.ad, xterm's application defaults.
	xtermPalette = [16]uint32{
		0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
		0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
	}
	// linuxPalette is that of the Linux console (default_red and so on in its vt.c).
	linuxPalette = [16]uint32{
		0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa,
		0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
	}
	palettes = []*[16]uint32{&xtermPalette, &linuxPalette}
)

// contrast is that of WCAG 2 between two colours, from 1 to 21.
func contrast(a, b uint32) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// luminance is the relative luminance of WCAG 2, from 0 to 1.
func luminance(rgb uint32) float64 {
	channel := func(shift uint) float64 {
		x := float64(rgb>>shift&0xff) / 255
		if x <= 0.03928 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}

// distance is how different two colours look: the weighted distance that CompuPhase
// calls "redmean".
func distance(a, b uint32) float64 {
	channel := func(c uint32, shift uint) float64 { return float64(c >> shift & 0xff) }
	mean := (channel(a, 16) + channel(b, 16)) / 2
	r, g, bl := channel(a, 16)-channel(b, 16), channel(a, 8)-channel(b, 8), channel(a, 0)-channel(b, 0)
	return (2+mean/256)*r*r + 4*g*g + (2+(255-mean)/256)*bl*bl
}
