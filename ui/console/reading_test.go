package console_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/console"
)

var sizes = [][2]int{{40, 10}, {80, 24}, {120, 40}, {200, 60}}

// atEverySize tells a story at each size, with its last screen as a golden.
func atEverySize(t *testing.T, name string, story func(s *story)) {
	t.Helper()
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			s := prepare(t, size[0], size[1], nil)
			story(s)
			s.Golden(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]))
		})
	}
}

// logLines is a terminal with more than it can show.
func logLines() *terminal {
	var b strings.Builder
	for i := range 90 {
		level := "info"
		if i%20 == 7 {
			level = "error"
		}
		fmt.Fprintf(&b, "12:%02d %-5s unit-%d did 日本\r\n", i%60, level, i)
	}
	return newTerminal(b.String() + "\x1b]8;;https://a.example/runbook\arunbook\x1b]8;;\a\r\n$ ")
}

// onPane starts the console with the keyboard on a pane.
func (s *story) onPane(term *terminal) *story {
	s.console.AddPane(term.pane("%1", "local"))
	s.Run(s.console.Run)
	s.Idle().Press("Tab", "Tab").See("reading local")
	return s
}

func copied(t *testing.T, s *story, want ...string) {
	t.Helper()
	if got := s.Copied(); !slices.Equal(got, want) {
		t.Errorf("copied %q, want %q", got, want)
	}
}

func TestSearchingATerminal(t *testing.T) {
	atEverySize(t, "search", func(s *story) {
		s.onPane(logLines()).Press("/").Type("error").See("/error").See("searching local").See("unit-87")
		s.Press("Enter").See("match 5 of 5").Press("n", "n").See("match 3 of 5").See("unit-47")
	})
	atEverySize(t, "search-wrapped", func(s *story) {
		s.onPane(logLines()).Press("/").Type("error").Press("Enter", "N").See("wrapped to the top")
		s.Press("/").Type("nothing of the kind").See("not found")
		s.Press("Esc").See("unit-7 ").Press("n").See("match 5 of 5")
	})
}

func TestEscLeavesASearchAndThenThePane(t *testing.T) {
	s := prepare(t, 80, 24, nil).onPane(logLines())
	s.Press("/").Type("error").Press("Enter", "v", "/").Type("x")
	s.Press("Esc").See("selecting in local").Press("Esc").Gone("selecting").See("held")
	s.Press("Esc").Gone("held").See("reading local").Press("Esc").Gone("reading local")
	s.Type("n/v").See("> n/v")
}

func TestTwoEscsThatComeAtOnceAreTwo(t *testing.T) {
	s := prepare(t, 80, 24, nil).onPane(logLines())
	s.Press("/").Type("error").Press("Enter").See("held").Press("Alt-Esc").Gone("held").Gone("reading local")
}

func TestASearchLineSurvivesADialog(t *testing.T) {
	s := prepare(t, 120, 40, nil).onPane(logLines())
	s.Press("/").Type("err")
	answers := s.ask(t.Context(), request("1", "touch /tmp/one"))
	s.See("touch /tmp/one").See("/err")
	s.clock.Advance(time.Minute)
	s.decide("n").Gone("touch /tmp/one")
	if a := answer(t, answers); a.Approved {
		t.Errorf("%+v", a)
	}
	s.Type("or").See("/error").Paste(" unit-47").See("match 1 of 1")
}

func TestSelectingInATerminal(t *testing.T) {
	atEverySize(t, "select", func(s *story) {
		s.onPane(logLines()).Press("k", "k", "0", "v", "$").See("selecting 26 characters")
		s.Press("Down").See("selecting 2 lines, y copies").See("selecting in local")
	})
	s := prepare(t, 80, 24, nil).onPane(logLines())
	s.Press("y").See("═ nothing is selected ═").Press("n").See("═ nothing was searched for ═")
	s.Press("k", "k", "V", "k", "y").See("copied 2 lines")
	copied(t, s, "12:28 info  unit-88 did 日本\n12:29 info  unit-89 did 日本")
}

func TestDraggingOverATerminal(t *testing.T) {
	atEverySize(t, "drag", func(s *story) {
		s.onPane(logLines())
		w, _ := s.Screen().Size()
		left := 1 // of the picture
		if w >= 80 {
			left = max(w*45/100, 38) + 1
		}
		s.Drag(left+6, 2, left+10, 3).See("copied 2 lines")
	})
	s := prepare(t, 80, 24, nil).onPane(newTerminal("one two\r\nthree"))
	s.Press("^", "Esc").Drag(39, 2, 41, 2).See("copied 3 characters").See("> ask")
	copied(t, s, "one")
	s.Drag(39, 2, 2, 40) // it ends far outside: the pane keeps the mouse
	s.See("copied 2 lines")
	s.Mouse(5, 5, tcell.WheelUp).Mouse(5, 21, tcell.Button1).Mouse(5, 21, tcell.ButtonNone).Gone("reading local")
}

// TestADragThatADialogCutsShortCopiesNothing proves that the next click is an
// ordinary one, too.
func TestADragThatADialogCutsShortCopiesNothing(t *testing.T) {
	s := prepare(t, 120, 40, nil).onPane(logLines())
	s.Mouse(60, 3, tcell.Button1).Mouse(60, 5, tcell.Button1).See("selecting 3 lines")
	answers := s.ask(t.Context(), request("1", "touch /tmp/one"))
	s.See("touch /tmp/one").Mouse(60, 6, tcell.Button1).Mouse(60, 6, tcell.ButtonNone)
	s.clock.Advance(time.Minute)
	s.decide("n").Gone("touch /tmp/one")
	answer(t, answers)
	s.Mouse(5, 37, tcell.Button1).Mouse(5, 37, tcell.ButtonNone).Type("x").See("> x").Gone("reading local")
	copied(t, s)
}

func TestZoom(t *testing.T) {
	atEverySize(t, "zoom", func(s *story) {
		s.onPane(logLines()).Press("Ctrl-O").See("zoomed").Gone("chat")
	})
	s := prepare(t, 120, 40, nil).onPane(logLines())
	s.Press("Ctrl-O").See("reading local, zoomed").Press("Tab").Gone("unit-87").See("ask for something")
	s.See("zoomed").Press("Ctrl-O").See("chat").See("unit-87").Gone("zoomed")
	s.Press("Ctrl-]").See("typing into local").Press("Ctrl-]").Press("Ctrl-O").Gone("─ local").Press("Ctrl-]")
	s.See("typing into local, zoomed").Gone("chat")
}

func TestPanesStandInAGrid(t *testing.T) {
	terms := func(s *story, n int) {
		for i := range n {
			p := newTerminal(fmt.Sprintf("this is terminal %d\r\n$ ", i)).pane(fmt.Sprint(i), fmt.Sprintf("t%d", i))
			if i == 1 {
				p.Type = nil
			}
			s.console.AddPane(p)
		}
		s.Run(s.console.Run)
	}
	atEverySize(t, "grid", func(s *story) {
		terms(s, 4)
		s.Idle().Press("Tab", "Tab", "Tab").See("for reading only").See("reading t1").See("2/4 t1")
	})
	s := prepare(t, 200, 60, nil)
	terms(s, 6)
	s.Idle().Press("Tab").Golden("grid-of-six-200x60")
	for i := range 6 {
		s.Press("Tab").See(fmt.Sprintf("reading t%d", i))
	}
	s.Press("Tab").Gone("reading t").Press("Shift-Tab").See("reading t5")
	s = prepare(t, 80, 24, nil)
	terms(s, 9)
	s.Idle().Gone("9/9 t8").Press("Shift-Tab").See("9/9 t8").Gone("1/9 t0")
	s.Press("Tab", "Tab", "Tab", "Tab").Press("Enter").See("t1 is for reading only").Gone("typing into")
}

func TestLinksInATerminal(t *testing.T) {
	atEverySize(t, "link", func(s *story) {
		s.onPane(logLines()).Press("k", "0").See("o copies https://a.example/").Press("o").See("copied https://a.exam")
	})
	s := prepare(t, 80, 24, func(o *console.Options) { o.Mouse = true }).onPane(logLines())
	s.Press("o").See("copied https://a.example/runbook")
	copied(t, s, "https://a.example/runbook")
	if _, _, attrs := s.Style(39, 10).Decompose(); attrs&tcell.AttrUnderline == 0 {
		t.Errorf("the link is not underlined:\n%s", s.Text())
	}
}
