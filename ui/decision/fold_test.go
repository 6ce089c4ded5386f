package decision_test

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
)

// What is between findings can be folded, which is no way round reading it: nothing is
// approved before every row has been on the screen, folded or not.
func TestWhatIsFoldedHasNotBeenSeen(t *testing.T) {
	for _, size := range sizes {
		s := begin(t, size[0], size[1], run(strings.Repeat("echo a line of a script\n", 60)+"reboot\n"+strings.Repeat("echo another line\n", 60)+"rm -rf /srv/old"))
		s.armed().typed("f").sees("⋯ ")
		if size[0] >= 80 {
			s.sees("reboot")
		}
		if size[1] >= 24 {
			s.sees("f unfold")
		}
		for range 40 {
			s.press(tcell.KeyPgDn)
		}
		s.typed("y")
		s.waits("what is folded was not on the screen")
		s.sees("f,")
		s.typed("f").press(tcell.KeyHome)
		for pages := 0; strings.Contains(s.text(), "more below"); pages++ {
			if pages > 500 {
				t.Fatal("no end")
			}
			s.press(tcell.KeyPgDn)
		}
		s.typed("f") // folded again: what was seen stays seen
		s.typed("y")
		if !s.answer().Approved {
			t.Errorf("%v: denied", size)
		}
	}
}

// Tab goes from finding to finding, and folding keeps the place.
func TestTabGoesFromFindingToFinding(t *testing.T) {
	s := begin(t, 80, 24, run("reboot\n"+strings.Repeat("echo a line of a script\n", 60)+"rm -rf /srv/old\n"+strings.Repeat("echo another line\n", 60)))
	s.armed().sees("Tab next finding")
	s.press(tcell.KeyTab).sees("rm -rf /srv/old")
	s.typed("f").sees("rm -rf /srv/old")
	s.typed("f").sees("rm -rf /srv/old")
}
