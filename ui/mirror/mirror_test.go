package mirror

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends/vt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is a mirror on a simulated screen.
type stage struct {
	*Mirror
	screen tcell.SimulationScreen
	term   *vt.Terminal
	keys   []string
	copied []string
}

func newStage(t *testing.T, width, height int, pane vt.Size) *stage {
	t.Helper()
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(screen.Fini)
	screen.SetSize(width, height)
	s := &stage{
		Mirror: New(Styles{Notice: tcell.StyleDefault.Bold(true)}),
		screen: screen,
		term:   vt.New(pane, vt.Options{Scrollback: 100}),
	}
	s.SetRect(0, 0, width, height)
	s.OnKey(func(p []byte) { s.keys = append(s.keys, string(p)) })
	s.OnCopy(func(text string) error {
		s.copied = append(s.copied, text)
		return nil
	})
	return s
}

// write feeds the terminal and draws.
func (s *stage) write(text string) *stage {
	_, _ = s.term.Write([]byte(text))
	s.SetSnapshot(s.term.Snapshot())
	s.draw()
	return s
}

func (s *stage) draw() {
	s.screen.Clear()
	s.screen.HideCursor()
	s.Draw(s.screen)
	s.screen.Show()
}

// rows are the screen's lines without their trailing blanks.
func (s *stage) rows() []string {
	width, height := s.screen.Size()
	out := make([]string, height)
	for y := range out {
		var b strings.Builder
		for x := 0; x < width; {
			text, _, w := s.screen.Get(x, y)
			b.WriteString(text)
			x += max(1, w)
		}
		out[y] = strings.TrimRight(b.String(), " ")
	}
	return out
}

// inside are the lines within the frame.
func (s *stage) inside() []string {
	var out []string
	rows := s.rows()
	for _, r := range rows[1 : len(rows)-1] {
		runes := []rune(r)
		out = append(out, strings.TrimRight(string(runes[1:len(runes)-1]), " "))
	}
	return out
}

func (s *stage) press(key tcell.Key, mod tcell.ModMask) {
	s.InputHandler()(tcell.NewEventKey(key, 0, mod), func(tview.Primitive) {})
	s.draw()
}

func (s *stage) style(x, y int) tcell.Style {
	_, style, _ := s.screen.Get(x, y)
	return style
}

func equal(t *testing.T, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFrameSaysWhoseTerminalItIsAndHowItIs(t *testing.T) {
	s := newStage(t, 44, 4, vt.Size{Cols: 42, Rows: 2})
	s.SetTitle("ssh:web-1 · nod-ops/shared", "").SetState("typing, ^] leaves")
	s.write("deploy@web-1:~$ ")
	equal(t, s.rows(), []string{
		"┌─ ssh:web-1 · nod-ops/shared ─ live 42×2 ─┐",
		"│deploy@web-1:~$                           │",
		"│                                          │",
		"└─ typing, ^] leaves ──────────────────────┘",
	})
	s.SetTitle("local", "reconnecting")
	s.draw()
	if got, want := s.rows()[0], "┌─ local ─────────────────── reconnecting ─┐"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFrameWithoutAPicture(t *testing.T) {
	s := newStage(t, 20, 3, vt.Size{Cols: 18, Rows: 1})
	s.SetTitle("[red]local", "")
	s.draw()
	equal(t, s.rows(), []string{"┌─ [red]local ─────┐", "│no picture yet    │", "└──────────────────┘"})
	for _, size := range [][2]int{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {5, 2}} {
		s.SetRect(0, 0, size[0], size[1])
		s.write("x") // must not panic
		s.Scroll(-1)
	}
}

// TestTextIsNeverMarkup proves that neither tags nor characters that reorder
// text reach the screen as such.
func TestTextIsNeverMarkup(t *testing.T) {
	s := newStage(t, 24, 3, vt.Size{Cols: 22, Rows: 1})
	s.write("[red]x[\"\"]a\u202eb\u2066c\u00ad.")
	equal(t, s.inside(), []string{"[red]x[\"\"]abc" + unshown + "."})
}

func TestViewFollowsTheCursor(t *testing.T) {
	numbers := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d\r\n", i)
		}
		return b.String()
	}
	cases := []struct {
		name, in string
		want     []string
	}{
		{"short text stays at the top", "a\r\nb", []string{"a", "b", "", ""}},
		{"long text shows its end", numbers(9) + "$", []string{"6", "7", "8", "$"}},
		{"the cursor above pulls the view up", numbers(9) + "\x1b[3;1H", []string{"2", "3", "4", "5"}},
		{"a hidden cursor does not", numbers(9) + "end\x1b[?25l\x1b[3;1H", []string{"6", "7", "8", "end"}},
		{"a cursor right of the view pulls it right", "0123456789abcdefghij", []string{"89abcdefghij", "", "", ""}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, 18, 6, vt.Size{Cols: 40, Rows: 10})
			s.write(c.in)
			equal(t, s.inside(), c.want)
		})
	}
}

func TestColoursAndAttributes(t *testing.T) {
	s := newStage(t, 30, 4, vt.Size{Cols: 28, Rows: 2})
	s.write("\x1b[31;48;5;200mA\x1b[m\x1b[38;2;1;2;3mB\x1b[m\x1b[1;2;3;5;7;9mC\x1b[m\x1b[4:3;58;5;9mD\x1b[mE" +
		"\x1b[8msecret\x1b[m\x1b]8;;https://a.example/\aL\x1b]8;;file:///etc\aM\r\n")
	base := tcell.StyleDefault
	for x, want := range []tcell.Style{
		base.Foreground(tcell.PaletteColor(1)).Background(tcell.PaletteColor(200)),
		base.Foreground(tcell.NewRGBColor(1, 2, 3)),
		base.Bold(true).Dim(true).Italic(true).Blink(true).Reverse(true).StrikeThrough(true),
		base.Underline(tcell.UnderlineStyleCurly, tcell.PaletteColor(9)),
		base,
	} {
		if got := s.style(1+x, 1); got != want {
			t.Errorf("column %d: %+v, want %+v", x, got, want)
		}
	}
	if got := s.inside()[0]; got != "ABCDE      LM" {
		t.Errorf("%q", got)
	}
	if got, want := s.style(12, 1), base.Url("https://a.example/").Underline(true); got != want {
		t.Errorf("link: %+v, want %+v", got, want)
	}
	if got := s.style(13, 1); got != base.Underline(true) {
		t.Errorf("a link that is no web address: %+v", got)
	}
}

// TestColumnsStayInPlace proves that what tcell would draw wider or narrower
// than tmux displaces nothing.
func TestColumnsStayInPlace(t *testing.T) {
	for _, text := range []string{"日", "é", "e\u0301", "❤\ufe0f", "👨\u200d👩\u200d👧", "🇫🇷", "\u1100", "한", "1\ufe0f\u20e3", "👍🏽", "⌚", "ᄀ"} {
		s := newStage(t, 20, 3, vt.Size{Cols: 18, Rows: 1})
		s.write(text + "|")
		col := s.term.Snapshot().Cursor.Col
		if got, _, _ := s.screen.Get(col, 1); got != "|" {
			t.Errorf("%q: column %d is %q in %q", text, col-1, got, s.inside()[0])
		}
	}
}

// TestFlags proves that a flag shows as one, also where its halves are cells of their
// own, and that half of one at an edge does not pair with what is not its other half.
func TestFlags(t *testing.T) {
	for _, release := range []vt.Release{{Major: 3, Minor: 3}, {Major: 3, Minor: 7}} {
		s := newStage(t, 12, 3, vt.Size{Cols: 20, Rows: 1})
		s.term = vt.New(vt.Size{Cols: 20, Rows: 1}, vt.Options{Release: release})
		s.write("🇫🇷🇩🇪x🇫y\x1b[H")
		equal(t, s.rows()[1:2], []string{"│🇫🇷🇩🇪x�y   │"})
		s.write("\x1b[2Jabc🇫🇷🇩🇪🇫🇷xyz|\x1b[14G") // one column is out of view
		if got := s.rows()[1]; !strings.Contains(got, "🇩🇪🇫🇷xyz|") {
			t.Errorf("%v: %s", release, got)
		}
	}
}

func TestWideCellsAtTheEdges(t *testing.T) {
	s := newStage(t, 7, 3, vt.Size{Cols: 20, Rows: 1})
	s.write("日本語\x1b[H")
	equal(t, s.rows()[1:2], []string{"│日本 │"})
}

func TestCursor(t *testing.T) {
	s := newStage(t, 20, 4, vt.Size{Cols: 18, Rows: 2})
	s.write("ab\x1b[41mc\x1b[D")
	if _, _, visible := s.screen.GetCursor(); visible {
		t.Error("a mirror without the focus has the real cursor")
	}
	if _, _, attrs := s.style(3, 1).Decompose(); attrs&tcell.AttrReverse == 0 {
		t.Error("the cursor is not painted")
	}
	s.Focus(func(tview.Primitive) {})
	s.draw()
	if x, y, visible := s.screen.GetCursor(); x != 3 || y != 1 || !visible {
		t.Errorf("cursor %d,%d visible %v", x, y, visible)
	}
	s.write("\x1b[?25l")
	if _, _, visible := s.screen.GetCursor(); visible {
		t.Error("a hidden cursor shows")
	}
}

func TestScrollback(t *testing.T) {
	s := newStage(t, 60, 5, vt.Size{Cols: 58, Rows: 3})
	for i := range 20 {
		s.write(fmt.Sprintf("line %d\r\n", i))
	}
	equal(t, s.inside(), []string{"line 18", "line 19", ""})
	s.press(tcell.KeyPgUp, 0)
	equal(t, s.inside(), []string{"line 16", "line 17", "line 18"})
	if !strings.Contains(s.rows()[0], " 2 lines above live, End returns ") {
		t.Errorf("%q", s.rows()[0])
	}
	for i := 20; i < 40; i++ { // the picture stands still
		s.write(fmt.Sprintf("line %d\r\n", i))
	}
	equal(t, s.inside(), []string{"line 16", "line 17", "line 18"})
	s.press(tcell.KeyHome, 0)
	equal(t, s.inside(), []string{"line 0", "line 1", "line 2"})
	for i := 40; i < 140; i++ { // what it shows is dropped
		s.write(fmt.Sprintf("line %d\r\n", i))
	}
	equal(t, s.inside(), []string{"line 38", "line 39", "line 40"})
	s.press(tcell.KeyEnd, 0)
	equal(t, s.inside(), []string{"line 138", "line 139", ""})
	if s.Scrolled() {
		t.Error("still scrolled")
	}
	s.press(tcell.KeyPgUp, 0)
	s.press(tcell.KeyPgDn, 0)
	if s.Scrolled() || !strings.Contains(s.rows()[0], "live 58×3") {
		t.Errorf("%q", s.rows()[0])
	}
}

func TestTypingGoesToTheProgram(t *testing.T) {
	s := newStage(t, 20, 4, vt.Size{Cols: 18, Rows: 2})
	s.write("\x1b[?1h\x1b[?2004h\r\n\n\n")
	s.press(tcell.KeyUp, 0)
	if len(s.keys) > 0 {
		t.Errorf("keys %q without typing", s.keys)
	}
	s.SetTyping(true)
	if s.Scrolled() {
		t.Error("typing into a picture that is not live")
	}
	s.press(tcell.KeyUp, 0)
	s.press(tcell.KeyPgUp, 0)
	s.press(tcell.KeyPgUp, tcell.ModShift)
	if !s.Scrolled() {
		t.Error("shift and PgUp do not scroll")
	}
	s.press(tcell.KeyEnter, 0)
	s.PasteHandler()("two\nlines\x1b[201~", func(tview.Primitive) {})
	want := []string{"\x1bOA", "\x1b[5~", "\r", "\x1b[200~two\rlines[201~\x1b[201~"}
	equal(t, s.keys, want)
	if s.Scrolled() {
		t.Error("a key did not bring the live picture back")
	}
}

func TestMouse(t *testing.T) {
	s := newStage(t, 20, 4, vt.Size{Cols: 18, Rows: 2})
	s.write("1\r\n2\r\n3\r\n4")
	mouse := func(action tview.MouseAction, x, y int) bool {
		handled, _ := s.MouseHandler()(action, tcell.NewEventMouse(x, y, 0, 0), func(tview.Primitive) { s.Focus(nil) })
		s.draw()
		return handled
	}
	if !mouse(tview.MouseScrollUp, 3, 2) || !s.Scrolled() {
		t.Error("the wheel does not scroll")
	}
	mouse(tview.MouseScrollDown, 3, 2)
	if mouse(tview.MouseLeftDown, 30, 2) || s.HasFocus() {
		t.Error("a click outside is taken")
	}
	mouse(tview.MouseLeftDown, 3, 2)
	if !s.HasFocus() {
		t.Error("a click does not take the focus")
	}
	s.SetTyping(true)
	s.write("\x1b[?1002;1006h")
	mouse(tview.MouseLeftDown, 3, 2)
	mouse(tview.MouseMove, 4, 2)
	mouse(tview.MouseLeftUp, 4, 2)
	mouse(tview.MouseMove, 5, 2)
	mouse(tview.MouseScrollUp, 1, 1)
	mouse(tview.MouseLeftDown, 0, 0) // on the frame
	equal(t, s.keys, []string{"\x1b[<0;3;2M", "\x1b[<32;4;2M", "\x1b[<0;4;2m", "\x1b[<64;1;1M"})
}

func BenchmarkDraw(b *testing.B) {
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		b.Fatal(err)
	}
	defer screen.Fini()
	screen.SetSize(122, 42)
	term := vt.New(vt.Size{Cols: 120, Rows: 40}, vt.Options{})
	for i := range 40 {
		line := fmt.Sprintf("\x1b[%dm%s 日本語 ─┼─\x1b[m\r\n", 30+i%8, strings.Repeat("some text ", 9))
		_, _ = term.Write([]byte(line))
	}
	m := New(Styles{}).SetSnapshot(term.Snapshot())
	m.SetRect(0, 0, 122, 42)
	b.ReportAllocs()
	for b.Loop() {
		m.Draw(screen)
	}
}

// TestTrustStandsOnEveryFrame proves that nothing on a frame takes the place of what
// says how much the machine matters, and that it has its own colour.
func TestTrustStandsOnEveryFrame(t *testing.T) {
	red := tcell.StyleDefault.Foreground(tcell.ColorRed)
	for width := 11; width < 60; width++ {
		for name, change := range map[string]func(s *stage){
			"live":      func(*stage) {},
			"typing":    func(s *stage) { s.SetTyping(true).SetState("typing, ^] leaves"); s.Focus(func(tview.Primitive) {}) },
			"not live":  func(s *stage) { s.SetTitle("ssh:web-1.example.com · nod-ops/shared", "not live") },
			"above":     func(s *stage) { s.press(tcell.KeyPgUp, 0) },
			"searching": func(s *stage) { s.InputHandler()(tcell.NewEventKey(tcell.KeyRune, '/', 0), func(tview.Primitive) {}) },
		} {
			s := newStage(t, width, 4, vt.Size{Cols: 40, Rows: 2})
			s.SetTitle("ssh:web-1.example.com · nod-ops/shared", "").SetTrust("●prod", red)
			s.write("1\r\n2\r\n3\r\n4\r\n5")
			s.draw()
			change(s)
			s.draw()
			if row := s.rows()[0]; !strings.Contains(row, " ●prod ") || s.style(4, 0) != red {
				t.Errorf("%d columns, %s: %q", width, name, row)
			}
		}
	}
}
