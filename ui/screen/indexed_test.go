package screen_test

import (
	"math"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/themes"
	"github.com/nod-console/nod/ui/screen"
)

// On a terminal of 256 colours, the nearest of which stand for those of a theme, text
// keeps a contrast of 4 to 1, and frames one of 3.
func TestThemesCanBeReadWith256Colours(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	palette := make([]tcell.Color, 0, 240)
	for i := 16; i < 256; i++ { // the first 16 are the terminal's own
		palette = append(palette, tcell.PaletteColor(i))
	}
	for _, name := range themes.Names() {
		theme, err := themes.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		s := screen.NewStyles(theme)
		if _, ground, _ := s.Text.Decompose(); !ground.IsRGB() {
			continue // the terminal's own colours
		}
		for role, style := range map[string]tcell.Style{
			"text": s.Text, "muted": s.Muted, "accent": s.Accent, "ok": s.OK, "warn": s.Warn, "danger": s.Danger, "code": s.Code, "link": s.Link,
			"selection": s.Selection, "bar": s.Bar, "diff.add": s.DiffAdd, "diff.remove": s.DiffRemove,
			"trust.prod": s.TrustProd, "trust.stage": s.TrustStage, "trust.lab": s.TrustLab, "border": s.Border, "focus": s.Focus,
		} {
			least := 4.0
			if role == "border" || role == "focus" {
				least = 3
			}
			fg, bg, _ := style.Decompose()
			if got := contrast(tcell.FindColor(fg, palette), tcell.FindColor(bg, palette)); got < least {
				t.Errorf("%s: %s has a contrast of %.2f, want %.1f", name, role, got, least)
			}
		}
	}
}

// contrast is that of WCAG 2.
func contrast(a, b tcell.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(c tcell.Color) float64 {
	channel := func(v int32) float64 {
		x := float64(v) / 255
		if x <= 0.03928 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	r, g, b := c.RGB()
	return 0.2126*channel(r) + 0.7152*channel(g) + 0.0722*channel(b)
}
