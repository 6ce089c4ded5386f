package mirror

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/ui/keys"
)

// strokes presses keys as the operator does: letters, and "<Up>" for the others.
func (s *stage) strokes(t *testing.T, text string) *stage {
	t.Helper()
	named := map[string]tcell.Key{
		"Up": tcell.KeyUp, "Down": tcell.KeyDown, "Left": tcell.KeyLeft, "Right": tcell.KeyRight,
		"Home": tcell.KeyHome, "End": tcell.KeyEnd, "PgUp": tcell.KeyPgUp, "PgDn": tcell.KeyPgDn,
		"Enter": tcell.KeyEnter, "Esc": tcell.KeyEscape, "Backspace": tcell.KeyBackspace2,
		"Ctrl-U": tcell.KeyCtrlU, "Ctrl-W": tcell.KeyCtrlW,
	}
	press := s.InputHandler()
	for text != "" {
		ev := tcell.NewEventKey(tcell.KeyRune, []rune(text)[0], tcell.ModNone)
		rest := string([]rune(text)[1:])
		if name, after, ok := strings.Cut(strings.TrimPrefix(text, "<"), ">"); ok && text[0] == '<' {
			key, known := named[name]
			if !known {
				t.Fatalf("no key is called %q", name)
			}
			ev, rest = tcell.NewEventKey(key, 0, tcell.ModNone), after
		}
		press(ev, func(tview.Primitive) {})
		text = rest
	}
	s.draw()
	return s
}

// words are what the bottom of the frame says.
func (s *stage) words() string {
	rows := s.rows()
	return strings.Trim(rows[len(rows)-1], "└┘─╚╝═ ")
}

// lit is the text whose cells have a style.
func (s *stage) lit(style tcell.Style) string {
	width, height := s.screen.Size()
	var b strings.Builder
	for y := range height {
		line := ""
		for x := 0; x < width; {
			text, st, w := s.screen.Get(x, y)
			if st == style {
				line += text
			}
			x += max(w, 1)
		}
		if line != "" {
			b.WriteString(line + "|")
		}
	}
	return b.String()
}

var (
	selected = tcell.StyleDefault.Background(tcell.ColorBlue)
	matched  = tcell.StyleDefault.Background(tcell.ColorYellow)
)

func reader(t *testing.T, width, height int, text string) *stage {
	t.Helper()
	s := newStage(t, width, height, vt.Size{Cols: width - 2, Rows: height - 2})
	s.SetStyles(Styles{Selection: selected, Match: matched})
	s.Focus(func(tview.Primitive) {})
	return s.write(text)
}

func TestKeyboardSelection(t *testing.T) {
	const poem = "one two three\r\nvier   \r\n日本語 text\r\ne\u0301👨\u200d👩\u200d👧x\r\n$ "
	long := strings.Repeat("0123456789", 5) // wraps after 38 columns
	cases := []struct{ name, text, keys, want string }{
		{"a word", poem, "<Up><Up><Up><Up>0vlly", "one"},
		{"backwards, without the blank at the end", poem, "<Up><Up><Up><Up>0lllvhhhy", "one"},
		{"with the space bar and arrows", poem, "<Up><Up><Up><Up>0 <Right><Right><Left>y", "on"},
		{"to the end of the line", poem, "kkkk0v$y", "one two three"},
		{"from word to word", poem, "kkkk0wvwhy", "two"},
		{"back by words", poem, "kkkk$vbby", "two three"},
		{"trailing blanks are dropped", poem, "kkk0kvjy", "one two three\nv"},
		{"blanks of a whole line, too", poem, "kkkV" + "y", "vier"},
		{"lines", poem, "kkkkVjy", "one two three\nvier"},
		{"lines, changed from characters", poem, "kkkkvjVy", "one two three\nvier"},
		{"wide characters are whole from their first half", poem, "kk0vly", "日本"},
		{"and from their second", poem, "kkkkkk0ljjvly", "日本"},
		{"graphemes are whole", poem, "k0vlly", "e\u0301👨\u200d👩\u200d👧x"},
		{"a wrapped line is one", long + "\r\n$ ", "kk0vjjhhy", long + "\n$"},
		{"steps go over the wrap", long + "\r\n$ ", "k0hvly", "78"},
		{"whole lines are whole across the wrap", long + "\r\n$ ", "kVy", long},
		{"blanks before a wrap are text", strings.Repeat("a ", 30) + "\r\n$ ", "kVy", strings.TrimRight(strings.Repeat("a ", 30), " ")},
		{"a column without room for a wide character is none", strings.Repeat("a", 37) + "日\r\n$ ", "kVy", strings.Repeat("a", 37) + "日"},
		{"to the end of everything", poem, "kkk0vGy", "vier\n日本語 text\ne\u0301👨\u200d👩\u200d👧x\n$"},
		{"from the top of everything", poem, "kkkk$vgy", "one two three"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := reader(t, 40, 10, c.text)
			s.strokes(t, c.keys)
			equal(t, s.copied, []string{c.want})
			if s.Selecting() || !strings.HasPrefix(s.words(), "copied ") {
				t.Errorf("selecting %v, the frame says %q", s.Selecting(), s.words())
			}
		})
	}
}

func TestTheSelectionShowsAndSaysHowMuchItIs(t *testing.T) {
	s := reader(t, 60, 8, "alpha 日本 beta\r\ngamma\r\n$ ")
	s.strokes(t, "kk0llvllll")
	if got := s.lit(selected); got != "pha 日|" {
		t.Errorf("%q is marked", got)
	}
	if got := s.words(); got != "selecting 5 characters, y copies" {
		t.Errorf("the frame says %q", got)
	}
	s.strokes(t, "V")
	if got := s.lit(selected); got != "alpha 日本 beta|" {
		t.Errorf("%q is marked", got)
	}
	if got := s.words(); got != "selecting 1 line, y copies" {
		t.Errorf("the frame says %q", got)
	}
	s.strokes(t, "j")
	if got := s.words(); got != "selecting 2 lines, y copies" {
		t.Errorf("the frame says %q", got)
	}
	s.strokes(t, "y")
	if got := s.words(); got != "copied 2 lines" || s.lit(selected) != "" {
		t.Errorf("the frame says %q; marked %q", got, s.lit(selected))
	}
	s.OnCopy(func(string) error { return errors.New("too long") })
	if s.strokes(t, "Vy"); s.words() != "not copied: too long" {
		t.Errorf("the frame says %q", s.words())
	}
	s.strokes(t, "<Esc>")
	for _, c := range []struct{ keys, want string }{
		{"<Down><Down><Down>vy", "nothing copied: there are only blanks"}, {"v<Esc>", ""},
	} {
		if s.strokes(t, c.keys); s.words() != c.want {
			t.Errorf("after %s the frame says %q", c.keys, s.words())
		}
	}
}

// TestWhatIsReadStandsStill proves that what is marked is what is copied,
// whatever the program writes meanwhile.
func TestWhatIsReadStandsStill(t *testing.T) {
	s := reader(t, 60, 6, "first\r\nsecond\r\n$ ")
	s.strokes(t, "kk0V")
	for i := range 200 {
		s.write(fmt.Sprintf("\x1b[2J\x1b[Hnoise %d\r\n", i))
	}
	equal(t, s.inside(), []string{"first", "second", "$", ""})
	if !strings.Contains(s.rows()[0], "lines up, Esc returns") || !s.Held() {
		t.Errorf("%q", s.rows()[0])
	}
	s.strokes(t, "jy")
	equal(t, s.copied, []string{"first\nsecond"})
	s.strokes(t, "<Esc>")
	if s.Held() || !strings.Contains(s.rows()[0], "live 58×4") || s.inside()[0] != "noise 199" {
		t.Errorf("%q\n%q", s.rows()[0], s.inside())
	}
}

func TestEscBacksOutOneLevel(t *testing.T) {
	s := reader(t, 60, 5, strings.Repeat("word\r\n", 20))
	s.strokes(t, "/word<Enter>kv/x")
	for i, want := range []struct{ searching, selecting, held bool }{
		{false, true, true}, {false, false, true}, {false, false, false},
	} {
		if !s.Back() {
			t.Fatalf("level %d: nothing to back out of", i)
		}
		got := struct{ searching, selecting, held bool }{s.Searching(), s.Selecting(), s.Held()}
		if got != want {
			t.Errorf("level %d: %+v, want %+v", i, got, want)
		}
	}
	if s.Back() {
		t.Error("a level too many")
	}
	s.strokes(t, "<PgUp>")
	if !s.Back() || s.Scrolled() || s.Back() {
		t.Error("scrolling is a level, and one only")
	}
}

func TestSearch(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "line %02d\r\n", i)
	}
	b.WriteString("Übergröße 日本語 tail\r\n" + strings.Repeat("x", 55) + "needle" + strings.Repeat("y", 5) + "\r\n$ ")
	s := reader(t, 60, 8, b.String())
	at := func(want, row string) {
		t.Helper()
		if got := s.words(); got != want {
			t.Errorf("the frame says %q, want %q", got, want)
		}
		if row == "" {
			return
		}
		_, y, _ := s.screen.GetCursor()
		if got := s.inside()[y-1]; !strings.Contains(got, row) {
			t.Errorf("the cursor is in %q, want %q", got, row)
		}
	}
	s.strokes(t, "/line 3")
	at("/line 3  match 10 of 10", "")
	s.strokes(t, "<Enter>")
	at("match 10 of 10", "line 39")
	if got := s.lit(selected); got != "line 3|" {
		t.Errorf("chosen: %q", got)
	}
	if got := s.lit(matched); strings.Count(got, "line 3|") < 1 {
		t.Errorf("matched: %q", got)
	}
	s.strokes(t, "nn")
	at("match 8 of 10", "line 37")
	s.strokes(t, "N")
	at("match 9 of 10", "line 38")
	s.strokes(t, "NN")
	at("match 1 of 10, wrapped to the top", "line 30")
	s.strokes(t, "n")
	at("match 10 of 10, wrapped to the end", "line 39")
	s.strokes(t, "/nowhere")
	at("/nowhere  not found", "")
	s.strokes(t, "<Esc>")
	at("match 10 of 10, wrapped to the end", "line 39")
	s.strokes(t, "/nowhere<Enter>")
	at(`"nowhere" is not found`, "")
	s.strokes(t, "<End>/TAIL<Ctrl-U>tail of<Ctrl-W><Backspace><Enter>")
	at("match 1 of 1", "tail")
	s.strokes(t, "/übergrö<Enter>")
	at("match 1 of 1", "Übergröße")
	s.strokes(t, "/übergrÖ<Enter>")
	at(`"übergrÖ" is not found`, "")
	s.strokes(t, "<End>/本語<Enter>")
	at("match 1 of 1", "日本語")
	if got := s.lit(selected); got != "本語|" {
		t.Errorf("chosen: %q", got)
	}
	s.strokes(t, "<End>/needle<Enter>") // it goes on in the next row
	at("match 1 of 1", "xxx")
	if got := s.lit(selected); got != "nee|dle|" {
		t.Errorf("chosen: %q", got)
	}
	s.strokes(t, "<Esc>")
	if s.Held() {
		t.Error("still held")
	}
	s.write("another needle\r\n").strokes(t, "n")
	at("match 2 of 2", "another needle")
	s.strokes(t, "<End>/<Enter>")
	at("match 2 of 2", "another needle")
	s.strokes(t, "/<Enter>y") // no selection: nothing is copied
	equal(t, s.copied, nil)
}

func TestSearchLine(t *testing.T) {
	s := reader(t, 30, 5, "abc\r\n")
	s.strokes(t, "/<Enter>")
	if got := s.words(); got != "nothing to search for" {
		t.Errorf("%q", got)
	}
	s.strokes(t, "/e\u0301x<Backspace><Backspace>")
	if got := s.words(); got != "/" {
		t.Errorf("%q", got)
	}
	s.PasteHandler()("two\nlines", func(tview.Primitive) {})
	s.draw()
	if got := s.words(); got != "/two  not found" {
		t.Errorf("%q", got)
	}
	s.strokes(t, "<Ctrl-U>"+strings.Repeat("long ", 20)+"end")
	if got := s.words(); !strings.Contains(got, "end") {
		t.Errorf("%q does not show its end", got)
	}
	if len(s.keys) > 0 {
		t.Errorf("the program got %q", s.keys)
	}
}

func TestCursorKeysScrollAtTheEdges(t *testing.T) {
	s := newStage(t, 22, 5, vt.Size{Cols: 60, Rows: 3})
	s.Focus(func(tview.Primitive) {})
	for i := range 9 {
		s.write(fmt.Sprintf("%d %s%d\r\n", i, strings.Repeat(" ", 50), i))
	}
	s.strokes(t, "<PgUp><Up>") // the first row in view is 5
	equal(t, []string{s.inside()[0][:1]}, []string{"4"})
	s.strokes(t, "<Down><Down><Down>")
	equal(t, []string{s.inside()[0][:1]}, []string{"5"})
	s.strokes(t, "$")
	if got := s.inside()[2]; !strings.HasSuffix(got, "7") {
		t.Errorf("the end of the line is not in view: %q", got)
	}
	s.strokes(t, "0")
	equal(t, []string{s.inside()[0][:1]}, []string{"5"})
}

func TestLinks(t *testing.T) {
	s := reader(t, 60, 6, "\x1b]8;;https://a.example/\aone\x1b]8;;\a and \x1b]8;;file:///etc/motd\atwo\x1b]8;;\a\r\nplain\r\n")
	s.strokes(t, "o")
	equal(t, s.copied, []string{"file:///etc/motd"})
	if got := s.words(); got != "copied file:///etc/motd" {
		t.Errorf("%q", got)
	}
	s.strokes(t, "kk0")
	if got := s.words(); got != "o copies https://a.example/" {
		t.Errorf("%q", got)
	}
	s.strokes(t, "oj")
	equal(t, s.copied, []string{"file:///etc/motd", "https://a.example/"})
	s.strokes(t, "<Esc>").write("\x1b[2J")
	if s.strokes(t, "o"); s.words() != "there is no link in view" {
		t.Errorf("%q", s.words())
	}
	s.write("\x1b[H\x1b]8;;https://b.example/\alink\x1b]8;;\a")
	for _, mod := range []tcell.ModMask{tcell.ModCtrl, tcell.ModAlt} {
		s.copied = nil
		s.MouseHandler()(tview.MouseLeftDown, tcell.NewEventMouse(3, 1, tcell.Button1, mod), func(tview.Primitive) {})
		s.MouseHandler()(tview.MouseLeftUp, tcell.NewEventMouse(3, 1, 0, mod), func(tview.Primitive) {})
		equal(t, s.copied, []string{"https://b.example/"})
	}
	s.MouseHandler()(tview.MouseLeftDown, tcell.NewEventMouse(30, 1, tcell.Button1, tcell.ModCtrl), func(tview.Primitive) {})
	if s.draw(); s.words() != "there is no link" || s.Held() {
		t.Errorf("%q", s.words())
	}
}

func TestDragging(t *testing.T) {
	s := reader(t, 60, 5, "one\r\ntwo\r\n日本語\r\nfour\r\nfive\r\n$ ")
	mouse := func(action tview.MouseAction, x, y int, buttons tcell.ButtonMask) tview.Primitive {
		t.Helper()
		_, capture := s.MouseHandler()(action, tcell.NewEventMouse(x, y, buttons, 0), func(tview.Primitive) {})
		s.draw()
		return capture
	}
	equal(t, s.inside(), []string{"four", "five", "$"})
	if mouse(tview.MouseLeftDown, 4, 1, tcell.Button1) == nil {
		t.Fatal("a press does not catch the mouse")
	}
	mouse(tview.MouseMove, 4, 0, tcell.Button1) // above the frame: it scrolls
	mouse(tview.MouseMove, 2, 0, tcell.Button1)
	if got := s.inside()[0]; got != "two" {
		t.Errorf("the first row is %q", got)
	}
	if got := s.words(); got != "selecting 3 lines, y copies" {
		t.Errorf("%q", got)
	}
	s.write("noise\r\n")
	if mouse(tview.MouseLeftUp, 70, 90, 0) != nil {
		t.Error("the mouse is not let go")
	}
	equal(t, s.copied, []string{"wo\n日本語\nfour"})
	if got := s.words(); got != "copied 3 lines" || s.lit(selected) != "wo|日本語|four|" {
		t.Errorf("%q, marked %q", got, s.lit(selected))
	}
	mouse(tview.MouseLeftDown, 3, 2, tcell.Button1) // a click takes the mark away
	mouse(tview.MouseLeftUp, 3, 2, 0)
	if s.Selecting() || len(s.copied) != 1 {
		t.Error("a click selects")
	}
	s.strokes(t, "<Esc>")
	if mouse(tview.MouseLeftDown, 3, 2, tcell.Button1); !s.Held() {
		t.Error("the picture can change under a drag")
	}
	if mouse(tview.MouseLeftUp, 3, 2, 0); s.Held() {
		t.Error("a click holds the picture")
	}
	mouse(tview.MouseLeftDown, 3, 2, tcell.Button1)
	mouse(tview.MouseMove, 4, 2, tcell.Button1)
	if mouse(tview.MouseMove, 8, 2, 0) != nil || len(s.copied) != 1 {
		t.Error("a button that was let go elsewhere still drags")
	}
	s.strokes(t, "<Esc><Esc>")
	s.SetTyping(true)
	mouse(tview.MouseLeftDown, 1, 1, tcell.Button1)
	mouse(tview.MouseMove, 2, 1, tcell.Button1)
	if mouse(tview.MouseLeftUp, 2, 1, 0); len(s.copied) != 2 || s.Held() || s.copied[1] != "fi" {
		t.Errorf("while typing: %q, held %v", s.copied, s.Held())
	}
}

func TestReadingWithoutAPicture(t *testing.T) {
	s := newStage(t, 20, 4, vt.Size{Cols: 18, Rows: 2})
	for _, c := range keys.All() {
		s.Do(c.ID) // must not panic
		s.Back()
	}
	s.draw()
	s.SetRect(0, 0, 1, 1)
	s.write("text")
	for _, c := range keys.All() {
		s.Do(c.ID)
		s.Back()
	}
	s.draw()
}

// FuzzReading presses all keys in many
// orders on text with wraps and wide characters.
func FuzzReading(f *testing.F) {
	f.Add("one\r\n日本語 \x1b[31mtwo", "kvjjly/o\x02nNVG0$wbg")
	f.Add(strings.Repeat("wrapped 日", 40), "/日\x02nnnnvgy")
	ids := []keys.ID{
		keys.Up, keys.Down, keys.Left, keys.Right, keys.WordLeft, keys.WordRight, keys.LineStart, keys.LineEnd,
		keys.PageUp, keys.PageDown, keys.Top, keys.Bottom, keys.Mark, keys.MarkLines, keys.Copy, keys.Link,
		keys.Search, keys.Send, keys.SearchNext, keys.SearchPrevious, keys.DeleteWord,
	}
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		f.Fatal(err)
	}
	defer screen.Fini()
	screen.SetSize(24, 6)
	f.Fuzz(func(t *testing.T, text, pressed string) {
		term := vt.New(vt.Size{Cols: 30, Rows: 5}, vt.Options{Scrollback: 50})
		_, _ = term.Write([]byte(text))
		m := New(Styles{}).SetSnapshot(term.Snapshot())
		m.SetRect(0, 0, 24, 6)
		m.OnCopy(func(string) error { return nil })
		for _, r := range pressed {
			switch {
			case int(r) < len(ids):
				m.Do(ids[r])
			case m.Searching():
				m.insert(string(r))
			default:
				m.InputHandler()(tcell.NewEventKey(tcell.KeyRune, r, 0), func(tview.Primitive) {})
			}
			m.Draw(screen)
			if s := m.read.held; s != nil {
				if c := m.read.cursor; c.line < 0 || c.line >= s.Lines() || c.col < 0 || c.col >= s.Size.Cols {
					t.Fatalf("after %q the cursor is at %+v", r, c)
				}
			}
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	term := vt.New(vt.Size{Cols: 120, Rows: 40}, vt.Options{Scrollback: 10_000})
	for i := range 10_100 {
		_, _ = fmt.Fprintf(term, "%d %s\r\n", i, strings.Repeat("some text ", 11))
	}
	s := term.Snapshot()
	for _, pattern := range []string{"9999 some", "e"} {
		b.Run(pattern, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if len(findAll(s, pattern)) == 0 {
					b.Fatal("nothing found")
				}
			}
		})
	}
}
