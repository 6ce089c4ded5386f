package vt

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// checkInvariants holds for any state that any bytes can lead to.
func checkInvariants(t *testing.T, term *Terminal) {
	t.Helper()
	s := term.Snapshot()
	if c := s.Cursor; c.Col < 0 || c.Col > s.Size.Cols || c.Row < 0 || c.Row >= s.Size.Rows {
		t.Fatalf("cursor %+v outside of %+v", c, s.Size)
	}
	if term.top < 0 || term.top > term.bot || term.bot >= s.Size.Rows {
		t.Fatalf("region %d to %d of %d rows", term.top, term.bot, s.Size.Rows)
	}
	if s.Scrolled > term.opt.Scrollback || s.Lines() != s.Scrolled+s.Size.Rows {
		t.Fatalf("%d lines above the screen", s.Scrolled)
	}
	for y := range s.Size.Rows {
		if n := len(s.Row(y)); n != s.Size.Cols {
			t.Fatalf("row %d has %d cells", y, n)
		}
		checkWhole(t, s, y)
	}
	for i := range s.Lines() {
		for _, c := range s.Line(i) {
			s.Text(c)
			s.Style(c)
			s.Link(c)
			s.Rune(c)
		}
		s.LineWrapped(i)
	}
	if len(s.Title) > maxTitle || len(term.parser.str) > maxString {
		t.Fatalf("title of %d, string of %d bytes", len(s.Title), len(term.parser.str))
	}
}

func checkWhole(t *testing.T, s *Snapshot, y int) {
	t.Helper()
	row := s.Row(y)
	for x := 0; x < len(row); x++ {
		switch row[x].Width() {
		case 0:
			t.Fatalf("row %d, column %d: a second half alone in %q", y, x, s)
		case 2:
			if x++; x == len(row) || row[x].Width() != 0 {
				t.Fatalf("row %d, column %d: a first half alone in %q", y, x-1, s)
			}
		}
	}
}

// sameState compares two terminals in everything that later output depends on.
func sameState(t *testing.T, a, b *Terminal) {
	t.Helper()
	if x, y := dump(a.Snapshot()), dump(b.Snapshot()); x != y {
		t.Fatalf("the screens differ:\n%s\n%s", x, y)
	}
	internals := func(t *Terminal) string {
		return fmt.Sprint(t.top, t.bot, t.tabs, t.charsets, t.decsc.col, t.decsc.line, t.last, t.join,
			t.parser.state, t.parser.runeWant, t.modes, t.titles)
	}
	if x, y := internals(a), internals(b); x != y {
		t.Fatalf("the states differ:\n%s\n%s", x, y)
	}
}

// FuzzWrite proves that no bytes break the terminal, and that it does not
// matter how they are cut. ops resizes in between.
func FuzzWrite(f *testing.F) {
	for _, c := range sequences {
		f.Add([]byte(c.in), uint16(3))
	}
	r := rand.New(rand.NewPCG(9, 9))
	for range 20 {
		f.Add(mixture(r, 60), uint16(r.IntN(1<<16)))
	}
	f.Fuzz(func(t *testing.T, p []byte, cut uint16) {
		if len(p) > 1<<16 {
			return
		}
		opt := Options{Scrollback: 20, Reflow: cut&1 == 1, Reply: func([]byte) {}, Bell: func() {},
			Release: Release{3, int(cut>>1) % 10}}
		if cut&(1<<15) != 0 {
			opt.Widths = NewWidths(map[rune]int{0x378: 0, '日': 1, flagMin: 2}, int(cut>>1)%3)
		}
		whole, split := New(Size{17, 5}, opt), New(Size{17, 5}, opt)
		_, _ = whole.Write(p)
		for i := 0; i < len(p); {
			n := min(1+int(cut>>(i%13))%5, len(p)-i)
			_, _ = split.Write(p[i : i+n])
			i += n
		}
		sameState(t, whole, split)
		checkInvariants(t, whole)
		half := p[len(p)/2:]
		for _, size := range []Size{{3, 2}, {40, 9}, {1, 1}, {17, 5}} {
			whole.Resize(size)
			checkInvariants(t, whole)
			_, _ = whole.Write(half)
			checkInvariants(t, whole)
		}
		whole.sweep(quantise)
		checkInvariants(t, whole)
	})
}

// FuzzSeed proves that no capture breaks the terminal.
func FuzzSeed(f *testing.F) {
	f.Add("20|6|3|1|1|0|0|0|0|1|0|4294967295|4294967295|0|5|0|0|0|0|0|||0|12|8,16|a|title", []byte("\x1b[31mred\n\x0eqq\x0f"), []byte("\x1b[3"))
	f.Add("20|6|20|9|1|1|1|1|1|0|1|3|2|4|2|1|1|1|1|1|1|bar|0|12|8,16,99|t", []byte("日本"), []byte("\x1b]0;x\n"))
	f.Add("40|6|3|1|1|0|0|0|0|1|0|4294967295|4294967295|0|5|0|0|0|0|0|0|default|0|0|8,16|title", []byte("a\tb\t\t\t\t\tc\td\n\xe6\x97\xa5\t\t"), []byte("\x1bP"))
	f.Fuzz(func(t *testing.T, state string, screen, pending []byte) {
		s, err := ParseSeed(state)
		if err != nil || s.Size.Cols > 300 || s.Size.Rows > 300 {
			return
		}
		s.Lines, s.Pending = splitLines(screen), pending
		term := New(Size{20, 6}, Options{Scrollback: 20, Release: Release{3, len(screen) % 10}})
		feed(term, "\x1b[31mhello\r\n日本\x1b[?1049hx")
		for _, fresh := range []bool{false, true} {
			s.Fresh = fresh
			term.Seed(s)
			checkInvariants(t, term)
		}
		s.Saved, s.Scrollback = s.Lines, s.Lines
		term.Seed(s)
		feed(term, "after\x1b[?1049l\r\nmore")
		checkInvariants(t, term)
	})
}

func splitLines(p []byte) (lines [][]byte) {
	start := 0
	for i, b := range p {
		if b == '\n' {
			lines = append(lines, p[start:i])
			start = i + 1
		}
	}
	return append(lines, p[start:])
}
