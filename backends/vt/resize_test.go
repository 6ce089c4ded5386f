package vt

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestReflow(t *testing.T) {
	const line = "abcdefghijklmnopqrstuvwxyz"
	cases := []struct {
		name     string
		in       string
		size     Size
		want     string
		col, row int
	}{
		{"narrower", line + "\r\n$ ", Size{10, 6}, "abcdefghij\nklmnopqrst\nuvwxyz\n$\n\n\n", 2, 3},
		{"wider", line + "\r\n$ ", Size{26, 6}, line + "\n$\n\n\n\n\n", 2, 1},
		{"lower", "a\r\nb\r\nc\r\n$ ", Size{20, 2}, "c\n$\n", 2, 1},
		{"lower, blank below", "a\r\n$ ", Size{20, 2}, "a\n$\n", 2, 1},
		{"lower, text below", "a\r\nb\r\nc\r\nd\x1b[2;2H", Size{20, 2}, "b\nc\n", 1, 0},
		{"wide characters", "x日本語日本語日本語\r\n$ ", Size{6, 6}, "x日本\n語日本\n語日本\n語\n$\n\n", 2, 4},
		{"cursor inside", line + "\x1b[1;15H", Size{10, 6}, "abcdefghij\nklmnopqrst\nuvwxyz\n\n\n\n", 4, 1},
		{"cursor behind the text", "ab\x1b[1;15H", Size{10, 6}, "ab\n\n\n\n\n\n", 9, 0},
		{"alternate screen is cut", "\x1b[?1049h" + line, Size{10, 6}, "abcdefghij\nuvwxyz\n\n\n\n\n", 6, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			term := New(Size{20, 6}, Options{Scrollback: 100, Reflow: true})
			feed(term, "\x1b[H"+c.in)
			term.Resize(c.size)
			checkInvariants(t, term)
			s := term.Snapshot()
			if s.String() != c.want || s.Cursor.Col != c.col || s.Cursor.Row != c.row {
				t.Errorf("got %q, cursor %d,%d, want %q, %d,%d", s, s.Cursor.Col, s.Cursor.Row, c.want, c.col, c.row)
			}
		})
	}
}

// TestMainScreenIsReflowedAfterTheAlternate proves that a resize under a
// full-screen program reaches the text below it.
func TestMainScreenIsReflowedAfterTheAlternate(t *testing.T) {
	term := New(Size{20, 6}, Options{Scrollback: 100, Reflow: true})
	feed(term, "abcdefghijklmnopqrstuvwxyz\x1b[?1049h")
	term.Resize(Size{40, 4})
	feed(term, "\x1b[?1049l!")
	if got := term.Snapshot().RowText(0); got != "abcdefghijklmnopqrstuvwxyz!" {
		t.Errorf("%q", got)
	}
}

// TestResizeKeepsText proves that narrowing and widening again loses nothing,
// whatever was written.
func TestResizeKeepsText(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	words := []string{"alpha", "日本語", "e\u0301", " ", "🙂", "longer-words-than-the-screen-is-wide", "\r\n"}
	for range 50 {
		term := New(Size{30, 6}, Options{Scrollback: 1000, Reflow: true})
		for range 60 {
			feed(term, words[r.IntN(len(words))])
		}
		before := unwrapped(term.Snapshot())
		for range 5 {
			term.Resize(Size{2 + r.IntN(60), 1 + r.IntN(20)})
			checkInvariants(t, term)
		}
		if after := unwrapped(term.Snapshot()); after != before {
			t.Fatalf("before\n%s\nafter\n%s", before, after)
		}
	}
}

// unwrapped is all text with the lines as they were written.
func unwrapped(s *Snapshot) string {
	var b strings.Builder
	for i := range s.Lines() {
		for _, c := range s.Line(i) {
			if c != (Cell{}) {
				b.WriteString(s.Text(c))
			}
		}
		if !s.LineWrapped(i) {
			b.WriteByte('\n')
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
