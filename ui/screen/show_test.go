package screen_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"pgregory.net/rapid"

	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/ui/screen"
)

// sketch is a screen with parts side by side, each a list of lines of which the last
// are shown, as a chat and a terminal beside it.
type sketch struct {
	parts  []sketchPart
	footer string
	cursor [2]int // column, row
}

type sketchPart struct {
	x, y, width, height int
	lines               []string
	styles              []tcell.Style
	top                 int // the first line on the screen
}

func (k *sketch) draw(s *screen.Screen) {
	s.Clear()
	w, h := s.Size()
	screen.Fill(s, 0, 0, w, 1, "─", tcell.StyleDefault.Reverse(true))
	for _, p := range k.parts {
		screen.Frame(s, p.x, p.y, p.width, p.height, "part", "", tcell.StyleDefault.Dim(true))
		for row := range p.height - 2 {
			if i := p.top + row; i >= 0 && i < len(p.lines) {
				screen.Draw(s, p.x+1, p.y+1+row, p.width-2, p.lines[i], p.styles[i])
			}
		}
	}
	screen.Draw(s, 0, h-1, w, k.footer, tcell.StyleDefault)
	if k.cursor[0] < 0 {
		s.HideCursor()
	} else {
		s.ShowCursor(k.cursor[0], k.cursor[1])
	}
}

var (
	someText = rapid.SampledFrom([]string{
		"", " ", "a", "word", "two words", "日本", "日本語 in the middle 日", "é", "e\u0301", "│", "─────", "✓ done", "x y",
		"a line that is longer than what there is room for in any part of this screen, by far", "    set in", "👩\u200d💻", "🇩🇪", "⚠️", "한국어", "tab→", "ﬁ",
	})
	someStyle = rapid.Custom(func(t *rapid.T) tcell.Style {
		style := tcell.StyleDefault.Bold(rapid.Bool().Draw(t, "bold")).Reverse(rapid.IntRange(0, 4).Draw(t, "reverse") == 0)
		switch rapid.IntRange(0, 5).Draw(t, "colour") {
		case 0:
			style = style.Foreground(tcell.PaletteColor(rapid.IntRange(0, 255).Draw(t, "index")))
		case 1:
			style = style.Background(tcell.NewHexColor(rapid.Int32Range(0, 1<<24-1).Draw(t, "rgb")))
		case 2:
			style = style.Underline(tcell.UnderlineStyleCurly, tcell.ColorRed)
		case 3:
			style = style.Url("https://example.com/x")
		}
		return style
	})
)

// TestEveryFrameLooksAsIfDrawnAnew draws random frames, of which each follows from the
// one before as those of a console do: lines are added, parts scroll up and down, text
// changes anywhere. What the terminal shows after each is what a terminal shows that
// got nothing but this frame.
func TestEveryFrameLooksAsIfDrawnAnew(t *testing.T) {
	terms := []string{"xterm-256color", "linux"}
	if os.Getenv("NOD_E2E") != "" {
		terms = append(terms, "tmux-256color", "screen", "xterm", "vt220")
	}
	for _, term := range terms {
		t.Run(term, func(t *testing.T) {
			useTerm(t, term)
			rapid.Check(t, func(rt *rapid.T) { sameAsAnew(t, rt) })
		})
	}
}

func sameAsAnew(t *testing.T, rt *rapid.T) {
	size := vt.Size{Cols: rapid.IntRange(24, 70).Draw(rt, "cols"), Rows: rapid.IntRange(6, 30).Draw(rt, "rows")}
	dev := newTTY(size.Cols, size.Rows)
	s := open(t, dev)
	defer s.Fini()
	shown := vt.New(size, vt.Options{})
	half := size.Cols / 2
	k := &sketch{parts: []sketchPart{{x: 0, y: 1, width: half, height: size.Rows - 2}, {x: half, y: 1, width: size.Cols - half, height: size.Rows - 2}}}
	for range rapid.IntRange(1, 12).Draw(rt, "frames") {
		k.change(rt, size)
		k.draw(s)
		s.Show()
		write(t, shown, dev.taken())
		if diff := difference(anew(t, k, size), shown.Snapshot()); diff != "" {
			rt.Fatal(diff)
		}
	}
}

// change is what happens between two frames.
func (k *sketch) change(rt *rapid.T, size vt.Size) {
	p := &k.parts[rapid.IntRange(0, len(k.parts)-1).Draw(rt, "part")]
	switch rapid.IntRange(0, 7).Draw(rt, "what") {
	case 0, 1, 2: // more text; the end is followed
		for range rapid.IntRange(1, 12).Draw(rt, "lines") {
			p.lines = append(p.lines, fmt.Sprint(someText.Draw(rt, "text"), someText.Draw(rt, "more"), len(p.lines)%7))
			p.styles = append(p.styles, someStyle.Draw(rt, "style"))
		}
		p.top = max(0, len(p.lines)-(p.height-2))
	case 3, 4: // scrolled by hand
		p.top = min(max(0, p.top+rapid.IntRange(-6, 6).Draw(rt, "by")), len(p.lines))
	case 5:
		if len(p.lines) > 0 {
			i := rapid.IntRange(0, len(p.lines)-1).Draw(rt, "line")
			p.lines[i], p.styles[i] = someText.Draw(rt, "text"), someStyle.Draw(rt, "style")
		}
	case 6:
		k.footer += someText.Draw(rt, "text")
	case 7:
		k.footer, p.lines, p.styles, p.top = "", nil, nil, 0
	}
	k.cursor = [2]int{rapid.IntRange(-1, size.Cols-1).Draw(rt, "column"), rapid.IntRange(0, size.Rows-1).Draw(rt, "row")}
}

// anew is a terminal that got this frame alone.
func anew(t *testing.T, k *sketch, size vt.Size) *vt.Snapshot {
	t.Helper()
	dev := newTTY(size.Cols, size.Rows)
	s := open(t, dev)
	defer s.Fini()
	k.draw(s)
	s.Show()
	shown := vt.New(size, vt.Options{})
	write(t, shown, dev.taken())
	return shown.Snapshot()
}

func write(t *testing.T, w *vt.Terminal, text string) {
	t.Helper()
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

func difference(a, b *vt.Snapshot) string {
	if a.Cursor.Visible != b.Cursor.Visible {
		return fmt.Sprintf("cursor visible: %v, want %v", b.Cursor.Visible, a.Cursor.Visible)
	}
	if a.Cursor.Visible && (a.Cursor.Col != b.Cursor.Col || a.Cursor.Row != b.Cursor.Row) {
		return fmt.Sprintf("cursor at %d,%d, want %d,%d", b.Cursor.Col, b.Cursor.Row, a.Cursor.Col, a.Cursor.Row)
	}
	if a.Alternate != b.Alternate {
		return "one terminal shows its alternate screen"
	}
	for y := range a.Size.Rows {
		ra, rb := a.Row(y), b.Row(y)
		for x := range ra {
			if a.Text(ra[x]) != b.Text(rb[x]) || a.Style(ra[x]) != b.Style(rb[x]) {
				return fmt.Sprintf("at %d,%d: %q %+v, want %q %+v in\n%s\n%s", x, y, b.Text(rb[x]), b.Style(rb[x]), a.Text(ra[x]), a.Style(ra[x]), b, a)
			}
		}
	}
	return ""
}

// TestScrolledTextCostsItsNewLines scrolls a part of the screen beside another one that
// stands still. Only the line that came in is drawn.
func TestScrolledTextCostsItsNewLines(t *testing.T) {
	for _, term := range []string{"xterm-256color", "tmux-256color", "linux"} {
		useTerm(t, term)
		dev := newTTY(120, 40)
		s := open(t, dev)
		k := &sketch{parts: []sketchPart{{x: 0, y: 1, width: 60, height: 38}, {x: 60, y: 1, width: 60, height: 38}}, cursor: [2]int{3, 39}}
		text := 0
		for i := range 200 {
			line := strings.Repeat(fmt.Sprint("word ", i, " "), 6)
			text += len(line)
			k.parts[0].lines, k.parts[0].styles = append(k.parts[0].lines, line), append(k.parts[0].styles, tcell.StyleDefault)
			k.parts[0].top = max(0, i+1-36)
			k.draw(s)
			s.Show()
		}
		if sent := len(dev.taken()); sent > 3*text {
			t.Errorf("%s: %d bytes were sent for %d bytes of text", term, sent, text)
		}
	}
}

// TestWhatStandsBesideAPartMakesItsMovementDear: the frames do not, and neither does a
// prompt; text does.
func TestWhatStandsBesideAPartMakesItsMovementDear(t *testing.T) {
	useTerm(t, "xterm-256color")
	s := open(t, newTTY(120, 40))
	k := &sketch{parts: []sketchPart{{x: 0, y: 1, width: 60, height: 38}, {x: 60, y: 1, width: 60, height: 38}}}
	for i := range 36 {
		line := strings.Repeat(fmt.Sprint("word ", i*i, " "), 6)
		k.parts[0].lines, k.parts[0].styles = append(k.parts[0].lines, line), append(k.parts[0].styles, tcell.StyleDefault)
	}
	cheap := func(want bool, beside string) {
		t.Helper()
		k.draw(s)
		s.Show()
		if got := s.MovesCheaply(1, 2, 58, 36); got != want {
			t.Errorf("beside %s: %v, want %v", beside, got, want)
		}
	}
	cheap(true, "nothing")
	k.parts[1].lines, k.parts[1].styles = []string{"ready$ "}, []tcell.Style{{}}
	cheap(true, "a prompt")
	k.parts[1] = sketchPart{x: 60, y: 1, width: 60, height: 38, lines: k.parts[0].lines, styles: k.parts[0].styles}
	cheap(false, "text")
	if !s.MovesCheaply(0, 2, 120, 36) {
		t.Error("what is as wide as the screen has nothing beside it")
	}
}

// TestTcellsOwnFramesStayAway: after a change of size tcell repaints by itself, with
// cells that nobody drew.
func TestTcellsOwnFramesStayAway(t *testing.T) {
	useTerm(t, "xterm-256color")
	dev := newTTY(80, 24)
	s := open(t, dev)
	frame(s, "x")
	dev.taken()
	dev.setSize(90, 30)
	for w, _ := s.Screen.Size(); w != 90; w, _ = s.Screen.Size() {
		pollUntil(t, s)
	}
	if got := dev.taken(); got != "" {
		t.Errorf("tcell has drawn %q", got)
	}
}
