package screen_test

import (
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/themes"
	"github.com/nod-console/nod/ui/screen"
)

func TestStylesFollowTheTheme(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	theme, err := themes.Load("dark")
	if err != nil {
		t.Fatal(err)
	}
	s := screen.NewStyles(theme)
	fg, bg, attrs := s.TrustProd.Decompose()
	if fg != tcell.NewHexColor(0xffffff) || bg != tcell.NewHexColor(0xb3261e) || attrs&tcell.AttrBold == 0 {
		t.Errorf("trust.prod: %v on %v, %v", fg, bg, attrs)
	}
	if s.Trust("prod") != s.TrustProd || s.Trust("") != s.Text {
		t.Error("trust words do not lead to their styles")
	}
}

func TestNoColorKeepsOnlyWeightAndReverse(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	for _, name := range themes.Names() {
		theme, err := themes.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		s := screen.NewStyles(theme)
		for _, style := range []tcell.Style{s.Text, s.Danger, s.Selection, s.TrustProd, s.Link} {
			if fg, bg, _ := style.Decompose(); fg != tcell.ColorDefault || bg != tcell.ColorDefault {
				t.Errorf("%s: a colour in spite of NO_COLOR", name)
			}
		}
		if _, _, attrs := s.TrustProd.Decompose(); attrs&tcell.AttrReverse == 0 {
			t.Errorf("%s: trust.prod does not stand out", name)
		}
	}
}
