package screen

import (
	"os"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/themes"
)

// Styles are a theme's roles as the terminal's styles. Rooms of the screen take
// a Styles value and never name a colour.
type Styles struct {
	Text, Muted, Accent, OK, Warn, Danger tcell.Style
	Border, Focus, Selection, Bar         tcell.Style
	Heading, Code, Link                   tcell.Style
	DiffAdd, DiffRemove                   tcell.Style
	TrustProd, TrustStage, TrustLab       tcell.Style
}

// NewStyles turns a theme into styles. With NO_COLOR set to anything, colours
// are left out and what had a background of its own is shown in reverse. A role
// without a background stands on that of the text, so that a theme can bring
// its own ground.
func NewStyles(t themes.Theme) Styles {
	colors := os.Getenv("NO_COLOR") == ""
	ground := t.Style(themes.Text).BG
	style := func(r themes.Role) tcell.Style {
		s := t.Style(r)
		switch {
		case colors && s.BG.Default():
			s.BG = ground
		case !colors && r == themes.Text:
			s.BG = themes.Color{} // it is what the others are the reverse of
		}
		return toStyle(s, colors)
	}
	return Styles{
		Text: style(themes.Text), Muted: style(themes.Muted), Accent: style(themes.Accent),
		OK: style(themes.OK), Warn: style(themes.Warn), Danger: style(themes.Danger),
		Border: style(themes.Border), Focus: style(themes.Focus),
		Selection: style(themes.Selection), Bar: style(themes.Bar),
		Heading: style(themes.Heading), Code: style(themes.Code), Link: style(themes.Link),
		DiffAdd: style(themes.DiffAdd), DiffRemove: style(themes.DiffRemove),
		TrustProd: style(themes.TrustProd), TrustStage: style(themes.TrustStage),
		TrustLab: style(themes.TrustLab),
	}
}

// Styles turns a theme into styles that this screen can show: those of [themes.Eight]
// on a terminal of eight colours, and of [themes.Rich] on one of 256 or more.
func (s *Screen) Styles(t themes.Theme) Styles {
	switch colors := s.Colors(); {
	case colors == 8:
		t = themes.Eight(t)
	case colors >= 256:
		t = themes.Rich(t)
	}
	return NewStyles(t)
}

// Trust is the style of a target's trust: "prod", "stage", "lab". Any other
// word is drawn plainly.
func (s Styles) Trust(trust string) tcell.Style {
	switch trust {
	case "prod":
		return s.TrustProd
	case "stage":
		return s.TrustStage
	case "lab":
		return s.TrustLab
	}
	return s.Text
}

func toStyle(s themes.Style, colors bool) tcell.Style {
	reverse := s.Reverse
	style := tcell.StyleDefault.Bold(s.Bold).Dim(s.Dim).Italic(s.Italic)
	if s.Underline {
		style = style.Underline(true)
	}
	if colors {
		style = style.Foreground(toColor(s.FG)).Background(toColor(s.BG))
	} else if !s.BG.Default() {
		reverse = true
	}
	return style.Reverse(reverse)
}

func toColor(c themes.Color) tcell.Color {
	if i, ok := c.Index(); ok {
		return tcell.PaletteColor(int(i))
	}
	if v, ok := c.RGB(); ok {
		return tcell.NewHexColor(int32(v))
	}
	return tcell.ColorDefault
}
