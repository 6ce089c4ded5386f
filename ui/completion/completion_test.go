package completion_test

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/completion"
	"github.com/nod-console/nod/ui/internal/uitest"
	"github.com/nod-console/nod/ui/screen"
)

func TestTheWordBeforeTheCursor(t *testing.T) {
	name := func(text string, start int) completion.Word {
		return completion.Word{Kind: completion.Name, Text: text, Start: start}
	}
	quoted := func(text string, start int) completion.Word {
		return completion.Word{Kind: completion.Name, Text: text, Start: start, Quoted: true}
	}
	for before, want := range map[string]completion.Word{
		"":                                {},
		"/":                               {Kind: completion.Command},
		"/sta":                            {Kind: completion.Command, Text: "sta"},
		"/theme ":                         {Kind: completion.Argument, Of: "theme", Start: 7},
		"/theme dr":                       {Kind: completion.Argument, Of: "theme", Text: "dr", Start: 7},
		"/steer look at":                  {},
		"/etc/passwd is odd":              {},
		"/Users":                          {},
		" /sta":                           {},
		"look at @":                       name("", 8),
		"look at @etc/ho":                 name("etc/ho", 8),
		"(@~/x":                           name("~/x", 1),
		"mail me@example.org":             {},
		"@a b":                            {},
		`see @"my dir/fi`:                 quoted("my dir/fi", 4),
		`see @"my dir/fi" and`:            {},
		`see @"my dir/fi" an @b`:          name("b", 20),
		`x@"a b`:                          {},
		"日本 @語":                           name("語", 7),
		strings.Repeat("x", 5000) + "@a":  {},
		strings.Repeat("x", 5000) + " @a": name("a", 5001),
		"@" + strings.Repeat("x", 5000):   {},
	} {
		w, ok := completion.At(before, 0, true)
		if w != want || ok != (want.Kind != completion.None) {
			t.Errorf("%.40q: %+v %v, want %+v", before, w, ok, want)
		}
	}
	if w, ok := completion.At("/sta", 0, false); ok {
		t.Errorf("a line among others: %+v", w)
	}
}

func FuzzWord(f *testing.F) {
	f.Add(`look @"a b`, true)
	f.Add("\xff @\xff", false)
	f.Fuzz(func(t *testing.T, before string, only bool) {
		w, ok := completion.At(before, 3, only)
		if !ok {
			return
		}
		if w.Start > len(before) || !strings.HasSuffix(before, w.Text) {
			t.Errorf("%+v", w)
		}
	})
}

func found(names ...string) (f completion.Found) {
	for _, n := range names {
		f.All = append(f.All, completion.Candidate{Text: n, Put: "/" + n})
	}
	return f
}

func TestTheMenuIsForOneWord(t *testing.T) {
	var m completion.Menu
	w, _ := completion.At("@a", 0, true)
	if !m.Begin(w) || m.Open() {
		t.Error("an empty menu is open")
	}
	m.Set(found(), true)
	if _, _, ok := m.Take(); ok || !m.Open() {
		t.Error("it does not wait")
	}
	other := w
	other.Text = "ab"
	if m.Add(other, found("late")) || len(drawn(t, &m)) != 1 {
		t.Error("candidates of another word are taken")
	}
	if !m.Add(w, found("one", "two")) {
		t.Error("what was wanted is not told")
	}
	if m.Add(w, found("twice")) {
		t.Error("they came twice")
	}
	if c, at, ok := m.Take(); !ok || c.Put != "/one" || at != w || m.Chosen() {
		t.Errorf("%+v %+v %v", c, at, ok)
	}
	m.Move(-1)
	if c, _, _ := m.Take(); c.Put != "/two" || !m.Chosen() {
		t.Errorf("%+v", c)
	}
	m.Dismiss()
	if m.Begin(other) || m.Open() {
		t.Error("it comes back while the same word is written")
	}
	m.Close()
	if m.Begin(other) {
		t.Error("something in front makes it come back")
	}
	other.Start = 7
	if !m.Begin(other) {
		t.Error("it does not come back for another word")
	}
}

func drawn(t *testing.T, m *completion.Menu) []string {
	t.Helper()
	rows := uitest.Drawn(t, 30, 6, func(s tcell.Screen, styles *screen.Styles) { m.Draw(s, 0, 6, 30, 4, styles) })
	var shown []string
	for _, r := range rows {
		if r = strings.TrimRight(r, " "); r != "" {
			shown = append(shown, r)
		}
	}
	return shown
}

func TestDrawing(t *testing.T) {
	var m completion.Menu
	w, _ := completion.At("@a", 0, true)
	m.Begin(w)
	f := found("a\x1b[2J", "ab", "überlänge", "日本語", "abc")
	f.All[1].Note, f.Note = "folder", "1 is left out"
	m.Set(f, false)
	want := []string{"› a␛[2J", "  ab                   folder", "  überlänge", "  1 is left out        2 more"}
	if got := drawn(t, &m); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q, want %q", got, want)
	}
	for range 3 {
		m.Move(1)
	}
	if got := drawn(t, &m); !strings.Contains(strings.Join(got, "|"), "› 日本語") {
		t.Errorf("what is marked is not shown: %q", got)
	}
	for width := range 12 {
		uitest.Drawn(t, 12, 6, func(s tcell.Screen, styles *screen.Styles) { m.Draw(s, 0, width/2, width, width, styles) })
	}
}
