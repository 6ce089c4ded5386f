package chooser_test

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/chooser"
	"github.com/nod-console/nod/ui/internal/uitest"
	"github.com/nod-console/nod/ui/screen"
)

func some() *chooser.Chooser {
	return chooser.New("things", "Enter takes it", []chooser.Row{
		{Name: "a", Text: "show this help", Note: "F1, /help"},
		{Name: "b", Text: "interrupt the turn", Note: "Ctrl-C", Reason: "nothing is running"},
		{Name: "c", Text: "change the colours", Note: "/theme"},
		{Name: "d", Text: "quit\x1b[2J", Note: "/quit"},
		{Name: "e", Text: "Überblick 漢字", Note: "-"},
	})
}

func press(c *chooser.Chooser, k tcell.Key) chooser.Event {
	return c.Key(tcell.NewEventKey(k, 0, tcell.ModNone))
}

func typed(c *chooser.Chooser, text string) (last chooser.Event) {
	for _, r := range text {
		last = c.Key(tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone))
	}
	return last
}

func drawn(t *testing.T, c *chooser.Chooser, w, h int) []string {
	t.Helper()
	return uitest.Drawn(t, w, h, func(s tcell.Screen, styles *screen.Styles) { c.Draw(s, 0, 0, w, h, styles) })
}

func TestEnterChoosesWhatIsMarked(t *testing.T) {
	c := some()
	if e := press(c, tcell.KeyEnter); e.What != chooser.Chosen || e.Row.Name != "a" {
		t.Errorf("%+v", e)
	}
	if e := press(c, tcell.KeyUp); e.What != chooser.Nothing {
		t.Errorf("above the first: %+v", e)
	}
	if e := press(c, tcell.KeyDown); e.What != chooser.Moved || e.Row.Name != "b" {
		t.Errorf("%+v", e)
	}
	if e := press(c, tcell.KeyEnter); e.What != chooser.Nothing {
		t.Errorf("chosen although it cannot be: %+v", e)
	}
	if e := press(c, tcell.KeyEnd); e.Row.Name != "e" {
		t.Errorf("%+v", e)
	}
	c.Mark("c")
	if e := press(c, tcell.KeyEnter); e.Row.Name != "c" {
		t.Errorf("marked: %+v", e)
	}
	if e := press(c, tcell.KeyEscape); e.What != chooser.Closed {
		t.Errorf("%+v", e)
	}
}

func TestWhatIsTypedFiltersByTextAndNote(t *testing.T) {
	c := some()
	for typing, want := range map[string]string{"clrs": "c", "theme": "c", "he": "a", "eme": "c", "F1": "a", "qui": "d", "漢": "e", "SHOW HELP": "a"} {
		typed(c, typing)
		if e := press(c, tcell.KeyEnter); e.Row.Name != want {
			t.Errorf("%q marks %+v, want %s", typing, e, want)
		}
		if e := press(c, tcell.KeyEscape); e.What == chooser.Closed {
			t.Errorf("Esc closed the list before it emptied the filter")
		}
	}
	typed(c, "zzzz")
	if e := press(c, tcell.KeyEnter); e.What != chooser.Nothing {
		t.Errorf("%+v", e)
	}
	if rows := drawn(t, c, 60, 9); !strings.Contains(rows[7], "nothing fits") {
		t.Errorf("%q", rows)
	}
	press(c, tcell.KeyCtrlU)
	c.Insert("colours\nand more")
	c.Insert(strings.Repeat("x", 300))
	if e := press(c, tcell.KeyEnter); e.Row.Name != "c" {
		t.Errorf("after a paste: %+v", e)
	}
}

func TestNewRowsKeepWhatIsMarked(t *testing.T) {
	c := some()
	press(c, tcell.KeyDown)
	press(c, tcell.KeyDown)
	c.Set([]chooser.Row{{Name: "z", Text: "new"}, {Name: "c", Text: "change the colours"}})
	if e := press(c, tcell.KeyEnter); e.Row.Name != "c" {
		t.Errorf("%+v", e)
	}
	c.Set(nil)
	if e := press(c, tcell.KeyEnter); e.What != chooser.Nothing {
		t.Errorf("%+v", e)
	}
}

func TestDrawing(t *testing.T) {
	c := some()
	press(c, tcell.KeyDown)
	rows := drawn(t, c, 60, 9)
	for i, want := range []string{"things", ">", "  show this help", "› interrupt the turn (nothing is running)", "change", "quit␛[2J", "Überblick", "Enter takes it"} {
		if !strings.Contains(rows[i], want) {
			t.Errorf("row %d is %q, want %q", i, rows[i], want)
		}
	}
	if !strings.HasSuffix(rows[2], "F1, /help │") {
		t.Errorf("the note is not at the right: %q", rows[2])
	}
	press(c, tcell.KeyEnd)
	if rows := drawn(t, c, 40, 6); !strings.Contains(strings.Join(rows, "\n"), "› Überblick") {
		t.Errorf("the marked row is not shown: %q", rows)
	}
	for w := range 12 {
		drawn(t, c, w+1, w/2+1)
	}
	typed(c, "cc")
	drawn(t, c, 12, 5)
}

// TestWhatWasFoundStandsOut: also in a row that is cut.
func TestWhatWasFoundStandsOut(t *testing.T) {
	c := chooser.New("things", "", []chooser.Row{
		{Name: "other", Text: "Terminal x", Lead: 8},
		{Name: "new", Text: "New terminal  open another one, here or where you say that it is to be", Lead: 12},
	})
	typed(c, "term")
	uitest.Drawn(t, 30, 6, func(s tcell.Screen, styles *screen.Styles) {
		c.Draw(s, 0, 0, 30, 6, styles)
		accent, _, _ := styles.Accent.Decompose()
		at := map[string]bool{}
		for x := range 30 {
			text, style, _ := s.Get(x, 3)
			if fg, _, _ := style.Decompose(); fg == accent && strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz") {
				at[text] = true
			}
		}
		if len(at) != 4 || !at["t"] || !at["e"] || !at["r"] || !at["m"] {
			t.Errorf("these stand out: %v", at)
		}
	})
}

// TestTheNearestComesFirst: by the name before by the rest, what can be chosen before what
// cannot, and both before scattered letters.
func TestTheNearestComesFirst(t *testing.T) {
	row := func(name, text, reason string) chooser.Row {
		return chooser.Row{Name: name, Text: name + "  " + text, Lead: len(name), Reason: reason}
	}
	c := chooser.New("commands", "", []chooser.Row{
		row("Terse hints", "more in a line", ""), row("Open", "another terminal", ""), row("Move terminal", "on", "there is one"),
		row("Terminal", "type there", ""), row("Close terminal", "end it", ""), row("Terminals", "all", "none"),
	})
	c.Insert("termin")
	rows := drawn(t, c, 60, 10)
	for i, want := range []string{"Terminal ", "Close terminal", "Open", "Terminals", "Move terminal", "Terse hints"} {
		if !strings.Contains(rows[2+i], want) {
			t.Errorf("row %d is %q, want %s", i, rows[2+i], want)
		}
	}
}
