package themes_test

import (
	"slices"
	"testing"

	"github.com/nod-console/nod/themes"
)

func TestTheGroundDecides(t *testing.T) {
	for name, want := range map[string][3]string{ // on an unknown, a dark and a light ground
		"":       {"ansi", "ansi", "ansi-light"},
		"ansi":   {"ansi", "ansi", "ansi-light"},
		"auto":   {"ansi", "dark", "light"},
		"nord":   {"nord", "nord", "nord"},
		"nobody": {"nobody", "nobody", "nobody"},
	} {
		for g, file := range want {
			got := themes.On(name, themes.Ground(g))
			if got != file {
				t.Errorf("%q on ground %d is %q, want %q", name, g, got, file)
			}
			if name != "nobody" && !slices.Contains(themes.Names(), got) {
				t.Errorf("there is no %q", got)
			}
		}
		if want[0] != want[2] != themes.FollowsGround(name) {
			t.Errorf("%q follows the ground: %v", name, themes.FollowsGround(name))
		}
	}
	if theme, err := themes.Load(themes.Auto); err != nil || theme.Name != themes.DefaultName {
		t.Errorf("%q, %v", theme.Name, err)
	}
}

// Yellow and cyan cannot be read on white.
func TestTheLightDefaultLeavesOutWhatALightGroundSwallows(t *testing.T) {
	theme, err := themes.Load(themes.On("", themes.LightGround))
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range themes.Roles() {
		s := theme.Style(role)
		i, ok := s.FG.Index()
		if s.BG.Default() && (ok && !slices.Contains([]uint8{1, 2, 4, 5}, i) || !ok && !s.FG.Default()) {
			t.Errorf("%s: %+v", role, s)
		}
	}
}
