package screen_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"github.com/nod-console/nod/ui/screen"
)

func TestCleanShowsWhatWouldAct(t *testing.T) {
	cases := map[string]string{
		"plain":                 "plain",
		"a\x1b[31mb":            "a␛[31mb",
		"a\tb\r\n":              "a b␍␊",
		"x\x7f\x00":             "x␡␀",
		"\u202egnp.exe":         "�gnp.exe",
		"zero\u200bwidth\ufeff": "zero�width�",
		"c1\u009b31m":           "c1�31m",
		"bad\xff\xfe":           "bad��",
		"👩\u200d💻":              "👩\u200d💻",
		"日本語":                   "日本語",
	}
	for in, want := range cases {
		if got := screen.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestDrawKeepsToItsCells(t *testing.T) {
	cases := []struct {
		text  string
		width int
		used  int
		want  string
	}{
		{"hello", 10, 5, "hello"},
		{"hello", 3, 3, "hel"},
		{"日本", 3, 2, "日"},
		{"e\u0301a", 2, 2, "e\u0301a"},
		{"👩\u200d💻x", 3, 3, "👩\u200d💻x"},
		{"[red]x", 6, 6, "[red]x"},
		{"", 4, 0, ""},
	}
	for _, c := range cases {
		s := simulation(t, 12, 1)
		if used := screen.Draw(s, 1, 0, c.width, c.text, tcell.StyleDefault); used != c.used {
			t.Errorf("%q in %d cells used %d, want %d", c.text, c.width, used, c.used)
		}
		if got := row(s, 1, c.used); got != c.want {
			t.Errorf("%q drawn as %q, want %q", c.text, got, c.want)
		}
	}
}

func TestCutMarksWhatItCuts(t *testing.T) {
	cases := []struct {
		text  string
		width int
		want  string
	}{
		{"short", 5, "short"}, {"longer", 5, "long…"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"x", 0, ""},
	}
	for _, c := range cases {
		if got := screen.Cut(c.text, c.width); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "\x1b]52;c;x\a", "a\u202eb", "\xff", "日本👩\u200d💻"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		clean := screen.Clean(s)
		if !utf8.ValidString(clean) || screen.Clean(clean) != clean {
			t.Errorf("%q became %q", s, clean)
		}
		for _, r := range clean {
			if r < 0x20 || r >= 0x7f && r < 0xa0 {
				t.Errorf("%q keeps %U", s, r)
			}
		}
		if w := screen.Width(s); w != uniseg.StringWidth(clean) {
			t.Errorf("width of %q: %d", s, w)
		}
		if w := screen.Width(screen.Cut(s, 7)); w > 7 {
			t.Errorf("%q cut to %d cells", s, w)
		}
	})
}

func simulation(t testing.TB, w, h int) tcell.SimulationScreen {
	t.Helper()
	s := tcell.NewSimulationScreen("UTF-8")
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Fini)
	s.SetSize(w, h)
	return s
}

// row is the text of the first line's cells from x on.
func row(s tcell.Screen, x, cells int) string {
	text := ""
	for end := x + cells; x < end; {
		str, _, w := s.Get(x, 0)
		text += str
		x += w
	}
	return text
}

func TestFoldBreaksAtSpacesAndInLongWordsOnly(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"one two  three":   "one two|three",
		"abcdefghijklmnop": "abcdefgh|ijklmnop",
		"a abcdefghijk":    "a|abcdefgh|ijk",
		"日本語日本語 x":         "日本語日|本語 x",
	} {
		if got := strings.Join(screen.Fold(text, 8), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
