package show_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/nod-console/nod/agent/policy/show"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                 "",
		"ls -l /var":       "ls -l /var",
		"ls  -l":           "ls··-l",
		" ls ":             "·ls·",
		"a \nb":            "a·⟦U+000A⟧b",
		"\u202egnp.exe":    "⟦U+202E⟧gnp.exe",
		"\xff\x00\x7f":     "⟦ff⟧⟦U+0000⟧⟦U+007F⟧",
		"⟦U+202E⟧":         "⟦U+27E6⟧U+202E⟦U+27E7⟧",
		"·":                "⟦U+00B7⟧",
		"\x1b[31m":         "⟦U+001B⟧[31m",
		"rm -rf [red]/[-]": "rm -rf [red]/[-]",
		"\U0010ffff":       "⟦U+10FFFF⟧",
		"\ufffd":           "⟦U+FFFD⟧",
		"\ta\t b \t\tc":    "→a→·b·→→c",
		"→":                "⟦U+2192⟧",
	} {
		if got := show.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestRowsOfALongLineMarkWhereItGoesOn(t *testing.T) {
	rows := show.Rows(strings.Repeat("x", 30)+"\u202e\nend\n", 20)
	want := []struct {
		line  int
		first bool
		text  string
	}{
		{1, true, strings.Repeat("x", 20)}, {1, false, "xxxxxxxxxx⟦U+202E⟧"}, {2, true, "end"}, {3, true, ""},
	}
	if len(rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(rows), len(want))
	}
	for i, w := range want {
		if r := rows[i]; r.Line != w.line || r.First != w.first || r.Text() != w.text {
			t.Errorf("row %d: %d %v %q, want %v", i, r.Line, r.First, r.Text(), w)
		}
	}
}

func TestWhatFollowsATabStandsAtATabStop(t *testing.T) {
	for in, want := range map[string]string{
		"\tlisten 80;":          "→       listen 80;",
		"10.0.0.1\tweb":         "10.0.0.1→       web",
		"1234567\tx":            "1234567→x",
		"12345678\tx":           "12345678→       x",
		"\t\t x":                "→       →       ·x",
		"a\t":                   "a→",
		"123456789012\tx\u202e": "123456789012→   x\n⟦U+202E⟧",
		"123456789012\t\u202ex": "123456789012→\n⟦U+202E⟧x",
	} {
		var got []string
		for _, r := range show.Rows(in, 20) {
			got = append(got, r.Text())
		}
		if got := strings.Join(got, "\n"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// unrow gets the text back from its rows.
func unrow(t *testing.T, rows []show.Row) string {
	t.Helper()
	var lines []string
	for _, r := range rows {
		if r.First {
			lines = append(lines, "")
		}
		lines[len(lines)-1] += r.Text()
		if len(r.Cells) > 0 && r.Cells[0].Offset != r.Start || r.End-r.Start > len(r.Cells) {
			t.Fatalf("%q has the span %d to %d", r.Text(), r.Start, r.End)
		}
	}
	for i, l := range lines {
		s, err := show.Parse(l)
		if err != nil {
			t.Fatal(err)
		}
		lines[i] = s
	}
	return strings.Join(lines, "\n")
}

// FuzzEveryTextLooksDifferent proves injectivity: what is shown can be turned
// back into the text, so no two texts look the same.
func FuzzEveryTextLooksDifferent(f *testing.F) {
	for _, s := range []string{"", " ", "  ", "a b", "a  b \n c", "⟦ff⟧", "\xff", "·", "\u202e\u200b", "x\r\n", "\xed\xa0\x80", "\ta\t b\t\n\t \t→"} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		text := show.Text(s)
		back, err := show.Parse(text)
		if err != nil || back != s {
			t.Fatalf("%q is shown as %q, which reads %q, %v", s, text, back, err)
		}
		for _, r := range text {
			if r >= 0x7f && r != '⟦' && r != '⟧' && r != '·' && r != '→' || r < ' ' {
				t.Fatalf("%q is shown with %U", s, r)
			}
		}
		width %= 200
		rows := show.Rows(s, width)
		for i, r := range rows {
			if strings.HasSuffix(r.Text(), " ") || strings.HasPrefix(r.Text(), " ") {
				t.Fatalf("row %d of %q has a space at its end: %q", i, s, r.Text())
			}
			if len(r.Cells) > max(width, show.MinWidth) {
				t.Fatalf("a row of %d cells in %d", len(r.Cells), width)
			}
		}
		if got := unrow(t, rows); got != s {
			t.Fatalf("rows of %q read %q", s, got)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("⟦U+0041⟧")
	f.Add("⟦4⟧·")
	f.Add("→  ·→x")
	f.Fuzz(func(t *testing.T, text string) {
		plain := func(s string) string {
			return strings.ReplaceAll(regexp.MustCompile("→ +").ReplaceAllString(s, "→"), "·", " ")
		}
		if s, err := show.Parse(text); err == nil && plain(show.Text(s)) != plain(text) {
			t.Fatalf("%q parses to %q, which is shown as %q", text, s, show.Text(s))
		}
	})
}
