package help

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/themes"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/screen"
)

// However narrow the screen is, every key and every word of the table can be
// scrolled to.
func TestEverythingCanBeReadAtAnySize(t *testing.T) {
	theme, err := themes.Load("")
	if err != nil {
		t.Fatal(err)
	}
	styles := screen.NewStyles(theme)
	for _, size := range [][2]int{{40, 10}, {66, 20}, {80, 24}, {120, 40}, {200, 60}} {
		sim := tcell.NewSimulationScreen("UTF-8")
		if err := sim.Init(); err != nil {
			t.Fatal(err)
		}
		sim.SetSize(size[0], size[1])
		o := &Overlay{}
		var seen strings.Builder
		for last := -1; last != o.top; {
			last = o.top
			o.Draw(sim, 0, 0, size[0], size[1], keys.Facts{}, &styles)
			for y := 1; y < size[1]-1; y++ {
				for x := 2; x < size[0]-2; x++ {
					text, _, _ := sim.Get(x, y)
					seen.WriteString(text)
				}
				seen.WriteString(" ")
			}
			o.Scroll(size[1] / 2) // less than it shows: no line is left out
		}
		words := map[string]bool{}
		for _, word := range strings.Fields(seen.String()) {
			words[strings.Trim(word, "()")] = true
		}
		for _, g := range o.Keys.Groups(keys.Facts{}) {
			for _, e := range g.Entries {
				for _, word := range strings.Fields(e.Keys + " " + e.Text + " " + e.Reason) {
					if !words[strings.Trim(word, "()")] {
						t.Errorf("%v: %q of %q cannot be read", size, word, e.Text)
					}
				}
			}
		}
		sim.Fini()
	}
}
