package guard

import (
	"strings"

	"github.com/nod-console/nod/backends/vt"
)

// between stands for lines that are as they were.
const between = "…"

// change is what is new in a terminal: the lines that differ from before, and those
// below them, with a sign for what is between them. It is everything on the screen where
// another screen shows now, or another size. Lines that the terminal has broken are whole.
func change(before, after *vt.Snapshot) string {
	var b blocks
	if before.Alternate != after.Alternate || before.Size != after.Size {
		for i := after.Scrolled; i < after.Lines(); i++ {
			b.line(after, i)
		}
		return b.text()
	}
	// A line has the same number in both: Lost and its index.
	shift := int(int64(after.Lost) - int64(before.Lost)) //nolint:gosec // numbers of lines
	for i := max(0, before.Scrolled-shift); i < after.Lines(); i++ {
		if was := i + shift; was < before.Lines() && after.LineText(i) != "" && alike(before, was, after, i) {
			b.gap()
			continue
		}
		b.line(after, i)
	}
	return b.text()
}

// alike reports whether two lines look the same. How they look besides their text counts
// only in full-screen programs, which choose by it; a shell colours its line anew.
func alike(before *vt.Snapshot, was int, after *vt.Snapshot, is int) bool {
	if before.LineText(was) != after.LineText(is) {
		return false
	}
	if !after.Alternate {
		return true
	}
	old, now := before.Line(was), after.Line(is)
	if len(old) != len(now) {
		return false
	}
	for x := range now {
		if before.Style(old[x]) != after.Style(now[x]) {
			return false
		}
	}
	return true
}

// blocks puts lines together.
type blocks struct {
	b       strings.Builder
	blank   int  // blank lines that only count before another one
	skipped bool // lines before the next one
	wrapped bool // the next line goes on with the last one
}

func (b *blocks) line(s *vt.Snapshot, i int) {
	text := s.LineText(i)
	if s.LineWrapped(i) {
		text = string(s.AppendText(nil, s.Line(i))) // its blanks are in the middle
	}
	switch {
	case b.wrapped && !b.skipped:
	case text == "":
		b.blank++
		return
	case b.b.Len() > 0:
		b.b.WriteString(strings.Repeat("\n", b.blank+1))
		if b.skipped {
			b.b.WriteString(between + "\n")
		}
	}
	b.blank, b.skipped, b.wrapped = 0, false, s.LineWrapped(i)
	b.b.WriteString(text)
}

func (b *blocks) gap() { b.skipped, b.blank, b.wrapped = true, 0, false }

func (b *blocks) text() string { return b.b.String() }
