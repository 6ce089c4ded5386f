package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/internal/uitest"
)

// edges are the columns in which frames begin in a row of the screen.
func edges(row string) (at []int) {
	for x, r := range []rune(row) {
		if r == '┌' || r == '╔' {
			at = append(at, x)
		}
	}
	return at
}

// tops are the rows in which frames begin in the last column that has any.
func tops(s *uitest.UI) (at []int) {
	for y, row := range strings.Split(s.Text(), "\n") {
		if strings.HasSuffix(row, "┐") || strings.HasSuffix(row, "╗") {
			at = append(at, y)
		}
	}
	return at
}

func sees(t *testing.T, what string, got, want []int) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestAPaneIsResizedAndMoved(t *testing.T) {
	atEverySize(t, "resized", func(s *story) {
		s.many(4)
		s.Run(s.console.Run)
		s.Idle().Press("Tab", "<", "Tab", "+", "}", ">").See("t3").See("2/4 local · ops/t3")
	})
}

func TestChatAndPanesAreDivided(t *testing.T) {
	s := prepare(t, 120, 40, nil)
	term := s.many(1)[0]
	s.Run(s.console.Run)
	sees(t, "at first", edges(s.Idle().Row(1)), []int{0, 54})
	s.Press("Tab", ">")
	sees(t, "a wider chat", edges(s.Row(1)), []int{0, 58})
	s.Press("Tab", ">", ">")
	sees(t, "a wider terminal", edges(s.Row(1)), []int{0, 50})
	wait(t, func() bool { _, size := term.got(); return size == "68×36" }, func() string { _, size := term.got(); return size })
	// It stops where a part would be of no use.
	for range 30 {
		s.Press(">")
	}
	sees(t, "the widest terminal", edges(s.See("what is beside it is at its least width").Row(1)), []int{0, 34})
	for range 30 {
		s.Press("<")
	}
	sees(t, "the narrowest terminal", edges(s.See("═ at its least width ═").Row(1)), []int{0, 96})
	s.Press("=")
	sees(t, "reset", edges(s.Row(1)), []int{0, 54})
	// Where something is written, words do it. The division holds at other sizes.
	s.Press("Esc").Type("/wider").Press("Enter", "Enter")
	sees(t, "by a word", edges(s.Row(1)), []int{0, 58})
	s.Resize(200, 60)
	sees(t, "on a large screen", edges(s.Row(1)), []int{0, 96})
	s.Resize(80, 24)
	sees(t, "on a small one", edges(s.Row(1)), []int{0, 38})
	s.Type("/reset-sizes").Press("Enter", "Enter").Resize(200, 60)
	sees(t, "reset by a word", edges(s.Row(1)), []int{0, 90})
}

func TestPanesInAGridAreResized(t *testing.T) {
	s := prepare(t, 200, 60, nil)
	s.many(4)
	s.Run(s.console.Run)
	s.Idle().Press("Tab", "Tab")
	sees(t, "columns", edges(s.Row(1)), []int{0, 90, 145})
	sees(t, "rows", tops(s.UI), []int{1, 30})
	s.Press(">", "+")
	sees(t, "columns", edges(s.Row(1)), []int{0, 90, 149})
	sees(t, "rows", tops(s.UI), []int{1, 32})
	sees(t, "columns of the other row", edges(s.Row(32))[1:], []int{145})
	s.Press("Tab", ">") // the last in its row grows to the left
	sees(t, "columns", edges(s.Row(1)), []int{0, 90, 145})
	s.Press("Tab", "+", "-", "-") // and the one in the last row upwards
	sees(t, "rows", tops(s.UI), []int{1, 34})
	for range 30 {
		s.Press("-")
	}
	s.See(" at its least height")
	sees(t, "rows", tops(s.UI), []int{1, 53})
	// Another number of panes has sizes of its own.
	p := newTerminal("fresh").pane("fresh", "local · ops/fresh")
	s.console.AddPane(p)
	s.See("5/5 local")
	s.Idle()
	sees(t, "rows of five", tops(s.UI), []int{1, 20, 39})
	s.console.RemovePane("fresh")
	s.Gone("5/5 local").See("4/4 local")
	s.Idle()
	sees(t, "rows of four again", tops(s.UI), []int{1, 53})
	s.Press("=")
	sees(t, "reset", tops(s.UI), []int{1, 30})
}

func TestAPaneMovesAndTheKeyboardWithIt(t *testing.T) {
	s := prepare(t, 80, 24, nil)
	s.many(4)
	s.Run(s.console.Run)
	s.Idle().Press("Tab", "Tab", "Tab").See("[2 t0]").Press("{").See("[1 t0]").See("1/4 local · ops/t0").Press("{").See("it is the first one")
	s.Press("}", "}", "}").See("[4 t0]").See("reading local · ops/t0").See(" 1 t3  2 t1  3 t2 ").Press("}").See("it is the last one")
	s.Press("Ctrl-O").See("zoomed").Press("{").See("[3 t0]") // the row of names shows it
	s.Press("Ctrl-O", "Esc").Type("/move-back").Press("Enter", "Enter").See("[2 t0]")
}

func TestWhatCannotBeDividedSaysWhy(t *testing.T) {
	s := begin(t, 120, 40, nil)
	s.Type("/wider").Press("Enter", "Enter").See("/wider: there is no terminal yet")
	s.many(1)
	s.See("ops/t0").Press("Tab", "Tab").See("reading local · ops/t0")
	s.Press("}").See("there is only one terminal").Press("+").See("no terminal above or below it").Press("Ctrl-O", "=").See("only one part is shown while it is zoomed")
	s.Press("Ctrl-O").Resize(79, 24).Press("<").See("the screen is too small for that")
	s.Resize(120, 40).Press("Ctrl-P").Type("taller").See("(no terminal above or below it")
}

func TestTheBorderIsDraggedWithTheMouse(t *testing.T) {
	s := prepare(t, 120, 40, func(o *console.Options) { o.Mouse = true })
	s.many(2)
	s.Run(s.console.Run)
	s.Idle().Drag(53, 10, 70, 12)
	sees(t, "to the right", edges(s.Row(1)), []int{0, 71})
	s.Drag(71, 30, 10, 30)
	sees(t, "as far as it goes", edges(s.Row(1)), []int{0, 34})
	s.Mouse(60, 20, tcell.Button1).Mouse(60, 20, tcell.ButtonNone)
	sees(t, "let go", edges(s.Row(1)), []int{0, 34})
	if got := s.Copied(); len(got) != 0 {
		t.Errorf("copied %q", got)
	}
	// A dialog over the narrowest chat can be read, and answered.
	answers := s.ask(t.Context(), request("1", "touch /tmp/one"))
	s.See("touch /tmp/one").See("y approve")
	s.clock.Advance(time.Minute)
	s.decide("y")
	if a := answer(t, answers); !a.Approved {
		t.Errorf("%+v", a)
	}
}
