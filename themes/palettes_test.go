package themes

import "testing"

// terminals are the colours that terminals come with, on a dark and on a light ground.
var terminals = []struct {
	name         string
	colors       *[16]uint32
	dark, light  [2]uint32 // text and ground
	boldIsBright bool      // the first eight are shown bright in bold
}{
	{"xterm", &xtermPalette, [2]uint32{0xe5e5e5, 0x000000}, [2]uint32{0x000000, 0xffffff}, true},
	{"Linux console", &linuxPalette, [2]uint32{0xaaaaaa, 0x000000}, [2]uint32{0x000000, 0xffffff}, true},
	{"kitty", &[16]uint32{
		0x000000, 0xcc0403, 0x19cb00, 0xcecb00, 0x0d73cc, 0xcb1ed1, 0x0dcdcd, 0xdddddd,
		0x767676, 0xf2201f, 0x23fd00, 0xfffd00, 0x1a8fff, 0xfd28ff, 0x14ffff, 0xffffff,
	}, [2]uint32{0xdddddd, 0x000000}, [2]uint32{0x000000, 0xffffff}, false},
	{"GNOME", &[16]uint32{
		0x171421, 0xc01c28, 0x26a269, 0xa2734c, 0x12488b, 0xa347ba, 0x2aa1b3, 0xd0cfcc,
		0x5e5c64, 0xf66151, 0x33d17a, 0xe9ad0c, 0x2a7bde, 0xc061cb, 0x33c7de, 0xffffff,
	}, [2]uint32{0xd0cfcc, 0x171421}, [2]uint32{0x171421, 0xffffff}, false},
	{"macOS", &[16]uint32{
		0x000000, 0xc23621, 0x25bc24, 0xadad27, 0x492ee1, 0xd338d3, 0x33bbc8, 0xcbcccd,
		0x818383, 0xfc391f, 0x31e722, 0xeaec23, 0x5833ff, 0xf935f8, 0x14f0f0, 0xe9ebeb,
	}, [2]uint32{0xf2f2f2, 0x000000}, [2]uint32{0x000000, 0xffffff}, true},
	{"foot", &[16]uint32{ // foot.ini(5) of 1.13
		0x222222, 0xcc9393, 0x7f9f7f, 0xd0bf8f, 0x6ca0a3, 0xdc8cc3, 0x93e0e3, 0xdcdccc,
		0x666666, 0xdca3a3, 0xbfebbf, 0xf0dfaf, 0x8cd0d3, 0xfcace3, 0xb3ffff, 0xffffff,
	}, [2]uint32{0xdcdccc, 0x111111}, [2]uint32{0x111111, 0xffffff}, false},
	{"alacritty", &[16]uint32{ // what 0.11 answers to OSC 4
		0x1d1f21, 0xcc6666, 0xb5bd68, 0xf0c674, 0x81a2be, 0xb294bb, 0x8abeb7, 0xc5c8c6,
		0x666666, 0xd54e53, 0xb9ca4a, 0xe7c547, 0x7aa6da, 0xc397d8, 0x70c0b1, 0xeaeaea,
	}, [2]uint32{0xc5c8c6, 0x1d1f21}, [2]uint32{0x1d1f21, 0xffffff}, false},
}

// TestTheDefaultCanBeReadOnRealTerminals: text has a contrast of at least 4.5 to 1 on the
// palettes that terminals come with, and frames of 3 to 1; where a palette has no such
// colour, it is said here how much it has.
func TestTheDefaultCanBeReadOnRealTerminals(t *testing.T) {
	permits := map[string]float64{
		"alacritty, ansi: muted":       4.4,
		"alacritty, ansi: danger":      3.9, // its bright red, beside the word HIGH
		"alacritty, ansi: diff.remove": 3.9, // beside the sign
	}
	for _, term := range terminals {
		for _, ground := range []struct {
			theme  string
			colors [2]uint32
		}{{"ansi", term.dark}, {"ansi-light", term.light}} {
			theme, err := Load(ground.theme)
			if err != nil {
				t.Fatal(err)
			}
			if term.name == "Linux console" { // which has eight
				theme = Eight(theme)
			} else {
				theme = Rich(theme)
			}
			for _, role := range Roles() {
				style := theme.Style(role)
				if !term.boldIsBright {
					style.Bold = false
				}
				least := 4.5
				if role == Border || role == Focus {
					least = 3
				}
				key := term.name + ", " + ground.theme + ": " + string(role)
				if has, known := permits[key]; known {
					least = has
				}
				fg, bg := seen(style, term.colors, ground.colors[0], ground.colors[1])
				if got := contrast(fg, bg); got < least {
					t.Errorf("%s has a contrast of %.2f, want %.1f", key, got, least)
				}
			}
		}
	}
}
