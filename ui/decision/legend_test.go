package decision_test

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
)

// The instructions fit every size in which something can be asked, and name only
// what the keys do now.
func TestTheInstructionsFitAndAreTrue(t *testing.T) {
	for _, size := range [][2]int{{30, 8}, {36, 22}, {40, 10}, {80, 24}, {120, 40}} {
		see := func(s *story, wanted, unwanted string) {
			t.Helper()
			if text := s.text(); !strings.Contains(text, wanted) || unwanted != "" && strings.Contains(text, unwanted) {
				t.Errorf("%v: want %q and no %q\n%s", size, wanted, unwanted, text)
			}
		}
		s := begin(t, size[0], size[1], keepable("touch x")).armed().read()
		see(s, "y approves", "")
		see(s.typed("e"), "Esc back", "y yes")
		see(s.press(tcell.KeyEscape).typed("d"), "Enter takes it", "y yes")
		see(s.press(tcell.KeyEscape).typed("x"), "x or Esc: back", "y yes")
		see(s.typed("x").typed("a").read(), "a writes", "y yes")
		s = begin(t, size[0], size[1], confirming("rm -r x")).armed().read()
		see(s, "type ", "")
		see(s.typed("y"), "Enter takes it", "y yes")
	}
}
