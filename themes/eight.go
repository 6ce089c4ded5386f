package themes

// leastContrast is what a colour keeps, at least, where only eight are left.
const leastContrast = 3

// Eight is a theme for a terminal of eight colours. Bright colours are those of the
// eight in bold, which is how such terminals show them. A colour of its own becomes the
// most similar of the eight that can be told from its background, on xterm and on the
// Linux console; a background that would become that of the text changes places with it.
// Dim is left out: the Linux console draws it in a grey that cannot be read. The frame
// that has the focus still differs from the others.
func Eight(t Theme) Theme {
	few := Theme{Name: t.Name, styles: make(map[Role]Style, len(t.styles))}
	own := t.Style(Text).BG
	ground := few8(own)
	for role, s := range t.styles {
		s.Dim = false
		bg := few8(s.BG)
		if !s.BG.Default() && s.BG != own && bg == ground {
			s.Reverse = !s.Reverse
		}
		under := bg
		if s.BG.Default() {
			under = ground
		}
		s.FG, s.Bold = readable(s.FG, under, s.Bold)
		s.BG = bg
		few.styles[role] = s
	}
	if border, focus := few.styles[Border], few.styles[Focus]; border == focus {
		focus.Bold = !focus.Bold
		few.styles[Focus] = focus
	}
	return few
}

// few8 is the most similar of the eight colours; the terminal's own stays it.
func few8(c Color) Color {
	if c.Default() {
		return c
	}
	if i, ok := c.Index(); ok && i < 16 {
		return Indexed(i % 8)
	}
	best, least := uint8(0), -1.0
	for i := range uint8(8) {
		if d := apart(exact(c), i); least < 0 || d < least {
			best, least = i, d
		}
	}
	return Indexed(best)
}

// readable is the most similar of the eight colours, plain or bold, that can be told
// from a background. What can be is not known on the terminal's own, and the sixteen are
// the terminal's affair there.
func readable(c, bg Color, bold bool) (fg Color, inBold bool) {
	if c.Default() {
		return c, bold
	}
	i, indexed := c.Index()
	if indexed && i < 16 {
		shown := i%8 + 8
		if i < 8 && !bold {
			shown = i
		}
		if bg.Default() || told(shown, bg) {
			return Indexed(i % 8), shown >= 8
		}
	}
	best, ok := most(exact(c), bg, 8, 16)
	if plain, found := most(exact(c), bg, 0, 8); found && (!ok || !bold && apart(exact(c), plain) <= apart(exact(c), best)) {
		best = plain
	}
	return Indexed(best % 8), best >= 8
}

// most is the most similar of the sixteen colours in a range; not found if none of them
// stands out from the background.
func most(rgb uint32, bg Color, from, to uint8) (best uint8, found bool) {
	for i := from; i < to; i++ {
		if (bg.Default() || told(i, bg)) && (!found || apart(rgb, i) < apart(rgb, best)) {
			best, found = i, true
		}
	}
	return best, found
}

// told reports whether a colour stands out from a background of the eight.
func told(fg uint8, bg Color) bool {
	under, _ := bg.Index()
	for _, p := range palettes {
		if contrast(p[fg], p[under]) < leastContrast {
			return false
		}
	}
	return true
}

// apart is how different a colour is from one of the sixteen.
func apart(rgb uint32, i uint8) float64 {
	sum := 0.0
	for _, p := range palettes {
		sum += distance(rgb, p[i])
	}
	return sum
}

// exact is a colour as 0xrrggbb: those of the 256 are a cube and a ramp of greys.
func exact(c Color) uint32 {
	if rgb, ok := c.RGB(); ok {
		return rgb
	}
	i, _ := c.Index()
	switch {
	case i < 16:
		return xtermPalette[i]
	case i >= 232:
		grey := uint32(8 + 10*int(i-232))
		return grey<<16 | grey<<8 | grey
	}
	level := func(n uint8) uint32 {
		if n == 0 {
			return 0
		}
		return 55 + 40*uint32(n)
	}
	i -= 16
	return level(i/36)<<16 | level(i/6%6)<<8 | level(i%6)
}
