package themes

import (
	"fmt"
	"testing"
)

// seen are the colours of a style on a palette, as a terminal shows them: bold makes
// the first eight bright, as on xterm and on the Linux console, and dim takes a third.
// A default is what the terminal's text and ground are.
func seen(s Style, p *[16]uint32, text, ground uint32) (fg, bg uint32) {
	color := func(c Color, own uint32, bright bool) uint32 {
		i, ok := c.Index()
		switch {
		case c.Default():
			return own
		case ok && i < 8 && bright:
			return p[i+8]
		case ok && i < 16:
			return p[i]
		}
		return exact(c)
	}
	fg, bg = color(s.FG, text, s.Bold), color(s.BG, ground, false)
	if s.Dim {
		fg = fg>>16*2/3<<16 | (fg>>8&0xff)*2/3<<8 | (fg&0xff)*2/3
	}
	if s.Reverse {
		return bg, fg
	}
	return fg, bg
}

// TestTheTerminalsOwnColoursCanBeRead: what is read in "ansi" has a contrast of at least
// 4.5 to 1 (WCAG 2, level AA) on a dark ground, and in "ansi-light" on a light one, with
// sixteen colours and with eight.
func TestTheTerminalsOwnColoursCanBeRead(t *testing.T) {
	for _, c := range []struct {
		theme        string
		text, ground func(*[16]uint32) uint32
	}{
		{"ansi", func(p *[16]uint32) uint32 { return p[7] }, func(p *[16]uint32) uint32 { return p[0] }},
		{"ansi-light", func(p *[16]uint32) uint32 { return p[0] }, func(p *[16]uint32) uint32 { return p[15] }},
	} {
		theme, err := Load(c.theme)
		if err != nil {
			t.Fatal(err)
		}
		for name, p := range map[string]*[16]uint32{"xterm": &xtermPalette, "linux": &linuxPalette} {
			shown := map[string]Theme{"8": Eight(theme)}
			if name != "linux" { // the console has eight
				shown["16"] = theme
			}
			for colors, theme := range shown {
				for _, role := range Roles() {
					fg, bg := seen(theme.Style(role), p, c.text(p), c.ground(p))
					if got := contrast(fg, bg); got < 4.5 {
						t.Errorf("%s: %s of %s has a contrast of %.2f with %s colours", name, role, c.theme, got, colors)
					}
				}
			}
		}
	}
}

// TestEightColoursKeepFramesAndFocus: on a terminal of eight colours, every theme's
// frames, texts and marks can be told from what they stand on, and the frame with the
// focus and a chosen entry from the others.
func TestEightColoursKeepFramesAndFocus(t *testing.T) {
	for _, name := range Names() {
		theme, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		few := Eight(theme)
		for palette, p := range map[string]*[16]uint32{"xterm": &xtermPalette, "linux": &linuxPalette} {
			for _, dark := range []bool{true, false} {
				text, ground := p[7], p[0]
				if !dark {
					text, ground = p[0], p[15]
				}
				if few.Style(Text).BG.Default() && dark == (name == "ansi-light") {
					continue // it stands on the terminal's own
				}
				on := few.Style(Text).BG
				look := func(role Role) string {
					s := few.Style(role)
					if s.BG.Default() {
						s.BG = on
					}
					fg, bg := seen(s, p, text, ground)
					if got := contrast(fg, bg); got < leastContrast {
						t.Errorf("%s on %s: %s has a contrast of %.2f", name, palette, role, got)
					}
					for _, c := range []Color{s.FG, s.BG} {
						if i, ok := c.Index(); !c.Default() && (!ok || i > 7) {
							t.Errorf("%s: %s has a colour that is none of eight", name, role)
						}
					}
					return fmt.Sprint(fg, bg, s.Bold, s.Underline)
				}
				for _, role := range Roles() {
					look(role)
				}
				if look(Border) == look(Focus) {
					t.Errorf("%s on %s: the focus cannot be seen", name, palette)
				}
				if look(Selection) == look(Text) {
					t.Errorf("%s on %s: what is chosen cannot be seen", name, palette)
				}
			}
		}
	}
}
