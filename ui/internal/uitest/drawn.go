package uitest

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/themes"
	"github.com/nod-console/nod/ui/screen"
)

// Drawn is what something draws by itself in the default theme, as rows without
// the blanks at their ends. The second cell of a wide character is left out.
func Drawn(t testing.TB, cols, rows int, draw func(tcell.Screen, *screen.Styles)) []string {
	t.Helper()
	theme, err := themes.Load("")
	if err != nil {
		t.Fatal(err)
	}
	styles := screen.NewStyles(theme)
	s := tcell.NewSimulationScreen("UTF-8")
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	defer s.Fini()
	s.SetSize(cols, rows)
	draw(s, &styles)
	text := make([]string, rows)
	for y := range rows {
		for x := 0; x < cols; {
			str, _, width := s.Get(x, y)
			text[y] += str
			x += max(width, 1)
		}
		text[y] = strings.TrimRight(text[y], " ")
	}
	return text
}
