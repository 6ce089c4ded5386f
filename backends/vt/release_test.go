package vt

import (
	"fmt"
	"testing"
)

// TestReleases holds the behaviours that differ between releases of tmux, as
// they were measured on 3.3a, 3.5a, 3.7c and 3.8 (TestSequencesEqualTmux with
// each of them first in PATH), for where only one of them is installed. A wanted
// text ends with the column of the cursor.
func TestReleases(t *testing.T) {
	releases := []Release{{3, 3}, {3, 5}, {3, 7}, {3, 8}}
	cases := []struct {
		name, in string
		want     [4]string
	}{
		{"skin tone", "👍🏽x", [4]string{"👍🏽x 5", "👍🏽x 3", "👍🏽x 3", "👍🏽x 3"}},
		{"skin tone alone", "a🏽x", [4]string{"a🏽x 4", "a🏽x 4", "a🏽x 4", "a🏽x 4"}},
		{"skin tone on what has none", "☃🏽x", [4]string{"☃🏽x 4", "☃🏽x 3", "☃🏽x 4", "☃🏽x 4"}},
		{"flags", "🇫🇷🇩🇪x", [4]string{"🇫🇷🇩🇪x 5", "🇫🇷🇩🇪x 3", "🇫🇷🇩🇪x 5", "🇫🇷🇩🇪x 5"}},
		{"variation selector", "❤\ufe0fx", [4]string{"❤\ufe0fx 2", "❤\ufe0fx 3", "❤\ufe0fx 3", "❤\ufe0fx 3"}},
		{"keycap", "1\ufe0f\u20e3x", [4]string{"1\ufe0f\u20e3x 2", "1\ufe0f\u20e3x 3", "1\ufe0f\u20e3x 3", "1\ufe0f\u20e3x 3"}},
		{"joiner, then ASCII", "a\u200dbc", [4]string{"abc 3", "a\u200dbc 3", "a\u200dbc 3", "a\u200dbc 3"}},
		{"joined", "👨\u200d👩x", [4]string{"👨\u200d👩x 3", "👨\u200d👩x 3", "👨\u200d👩x 3", "👨\u200d👩x 3"}},
		{"joiner at the margin", "\u200d日x", [4]string{"x 1", "日x 3", "日x 3", "日x 3"}},
		{"jamo", "\u1100\u1161\u11a8x", [4]string{"\u1100\u1161\u11a8x 3", "\u1100\u1161\u11a8x 3", "\u1100\u1161\u11a8x 3", "\u1100\u1161\u11a8x 3"}},
		{"filler", "a\u3164x", [4]string{"a\u3164x 4", "a\u3164x 4", "ax 2", "ax 2"}},
		{"REP", "日\x1b[2bx", [4]string{"日x 3", "日日日x 7", "日日日x 7", "日日日x 7"}},
		{"REP after a report", "ab\x1b[?5$p\x1b[2b", [4]string{"abbb 4", "abbb 4", "ab 2", "ab 2"}},
		{"no UTF-8", "a\xffb\xc3(", [4]string{"ab( 3", "ab( 3", "a\ufffdb\ufffd( 5", "a\ufffdb\ufffd( 5"}},
		{"unfinished", "a\xc3\rb", [4]string{"b 1", "b 1", "b\ufffd 1", "b\ufffd 1"}},
		{"beyond Unicode", "a\xf4\x90\x80\x80b", [4]string{"ab 2", "a\ufffdb 3", "a\ufffdb 3", "a\ufffdb 3"}},
		{"overwritten half", "日本\r\x1b[Ca", [4]string{" a本 2", " a本 2", " a本 2", " a本 2"}},
	}
	for _, c := range cases {
		for i, r := range releases {
			t.Run(fmt.Sprintf("%s, %d.%d", c.name, r.Major, r.Minor), func(t *testing.T) {
				term := New(Size{20, 2}, Options{Release: r})
				feed(term, c.in)
				checkInvariants(t, term)
				s := term.Snapshot()
				if got := fmt.Sprintf("%s %d", s.RowText(0), s.Cursor.Col); got != c.want[i] {
					t.Errorf("%q, want %q", got, c.want[i])
				}
			})
		}
	}
}

// TestWidenedAtTheEdge proves that a character made wide in the last column
// leaves a whole screen.
func TestWidenedAtTheEdge(t *testing.T) {
	for _, in := range []string{"\x1b[1;20H❤\ufe0f", "\x1b[1;20H❤\ufe0fx", "\x1b[1;19H❤日\x1b[1;20H\ufe0fx", "\x1b[1;18H❤日\x1b[1;19H\ufe0fx"} {
		term := New(Size{20, 2}, Options{Release: Release{3, 8}})
		feed(term, in)
		checkInvariants(t, term)
	}
}

// TestHalvedBackground proves that from 3.8 half of a wide character leaves its
// background behind.
func TestHalvedBackground(t *testing.T) {
	for minor, want := range map[int]Color{7: Default, 8: Indexed(1)} {
		for _, at := range []int{1, 2} { // where the character is cut
			term := New(Size{20, 2}, Options{Release: Release{3, minor}})
			feed(term, fmt.Sprintf("\x1b[41m日\x1b[m\x1b[1;%dHx", at))
			s := term.Snapshot()
			if got := s.Style(s.Row(0)[2-at]).Bg; got != want {
				t.Errorf("3.%d, cut at %d: background %v, want %v", minor, at, got, want)
			}
		}
	}
}
