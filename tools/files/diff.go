package files

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/pmezard/go-difflib/difflib"
)

const (
	// diffContext is the number of unchanged lines around a change.
	diffContext = 3
	// maxCompared is the number of differing lines on a side up to which a
	// shortest difference is looked for; its effort can grow with the square.
	maxCompared = 1_000
)

// Diff is the difference between two contents of a file in the unified format.
// It is empty if there is none.
func Diff(path string, old, new []byte) string { return unified(path, old, new, true) }

// unified is the difference between two contents in the unified format. It is
// empty if there is none.
func unified(path string, old, new []byte, existed bool) string {
	from, to := splitLines(string(old)), splitLines(string(new))
	changes := compare(from, to)
	if len(changes) == 0 {
		return ""
	}
	var b strings.Builder
	if strings.ContainsFunc(path, unicode.IsControl) {
		path = strconv.Quote(path) // it would write lines of its own
	}
	name := path
	if !existed {
		name = "/dev/null"
	}
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", name, path)
	for _, h := range hunks(changes, len(from)) {
		writeHunk(&b, h, from, to)
	}
	return b.String()
}

// splitLines cuts a text behind each line feed.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// change says that the lines from i1 to i2 become those from j1 to j2.
type change struct{ i1, i2, j1, j2 int }

// compare returns the changes in order.
func compare(from, to []string) []change {
	start := 0
	for start < len(from) && start < len(to) && from[start] == to[start] {
		start++
	}
	end := 0
	for end < len(from)-start && end < len(to)-start && from[len(from)-1-end] == to[len(to)-1-end] {
		end++
	}
	a, b := from[start:len(from)-end], to[start:len(to)-end]
	if len(a) == 0 && len(b) == 0 {
		return nil
	}
	if len(a) > maxCompared || len(b) > maxCompared {
		return []change{{start, start + len(a), start, start + len(b)}}
	}
	var changes []change
	for _, op := range difflib.NewMatcherWithJunk(a, b, false, nil).GetOpCodes() {
		if op.Tag != 'e' {
			changes = append(changes, change{start + op.I1, start + op.I2, start + op.J1, start + op.J2})
		}
	}
	return changes
}

// hunk is a group of changes with their context.
type hunk struct {
	changes []change
	i1, i2  int // lines of the old text, with context
	j1, j2  int // lines of the new text
}

// hunks groups changes whose contexts touch; old is the number of old lines.
func hunks(changes []change, old int) []hunk {
	var all []hunk
	for _, c := range changes {
		before := min(diffContext, c.i1)
		after := min(diffContext, old-c.i2)
		next := hunk{[]change{c}, c.i1 - before, c.i2 + after, c.j1 - before, c.j2 + after}
		if n := len(all); n > 0 && next.i1 <= all[n-1].i2 {
			last := &all[n-1]
			last.changes = append(last.changes, c)
			last.i2, last.j2 = next.i2, next.j2
			continue
		}
		all = append(all, next)
	}
	return all
}

func writeHunk(b *strings.Builder, h hunk, from, to []string) {
	fmt.Fprintf(b, "@@ -%s +%s @@\n", lineRange(h.i1, h.i2), lineRange(h.j1, h.j2))
	at := h.i1
	for _, c := range h.changes {
		writeLines(b, ' ', from[at:c.i1])
		writeLines(b, '-', from[c.i1:c.i2])
		writeLines(b, '+', to[c.j1:c.j2])
		at = c.i2
	}
	writeLines(b, ' ', from[at:h.i2])
}

// lineRange is "first,count", counted from 1; an empty range names the line
// before it.
func lineRange(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func writeLines(b *strings.Builder, sign byte, lines []string) {
	for _, l := range lines {
		b.WriteByte(sign)
		b.WriteString(l)
		if !strings.HasSuffix(l, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
