package decision

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// diff is what a unified diff says of its lines, besides their text.
type diff struct {
	lines []diffLine
	last  int // the highest line number of a file
}

// diffLine is a line of a diff.
type diffLine struct {
	number   int  // in the file: the new one, or for a removed line the old one; 0: none
	from, to int  // offsets in the diff of the words that have changed
	first    bool // of a run of changed lines
}

// readDiff reads a unified diff, of one file or more.
func readDiff(text string) diff {
	var d diff
	old, now := 0, 0
	var removed, added []diffText
	pair := func() {
		if len(removed) == len(added) {
			for i := range removed {
				d.changed(removed[i], added[i])
			}
		}
		removed, added = nil, nil
	}
	offset := 0
	inHunk := false
	for i, line := range strings.Split(text, "\n") {
		l := diffLine{}
		var a, b, c, e int
		switch {
		case strings.HasPrefix(line, "@@"):
			pair()
			if n, _ := fmt.Sscanf(line, "@@ -%d,%d +%d,%d", &a, &b, &c, &e); n == 4 {
				old, now, inHunk = a, c, true
			} else if n, _ = fmt.Sscanf(line, "@@ -%d +%d", &a, &c); n == 2 {
				old, now, inHunk = a, c, true
			}
		case !inHunk:
		case strings.HasPrefix(line, "-"):
			if len(added) > 0 {
				pair()
			}
			l.number, l.first = old, len(removed) == 0
			old++
			removed = append(removed, diffText{i, offset, line})
		case strings.HasPrefix(line, "+"):
			l.number, l.first = now, len(removed)+len(added) == 0
			now++
			added = append(added, diffText{i, offset, line})
		case strings.HasPrefix(line, " "), line == "" && offset < len(text):
			pair()
			l.number = now
			old, now = old+1, now+1
		}
		d.last = max(d.last, l.number)
		d.lines = append(d.lines, l)
		offset += len(line) + 1
	}
	pair()
	return d
}

// diffText is a removed or added line: which one, and where it begins.
type diffText struct {
	line, offset int
	text         string
}

// changed marks the words that are not the same in two lines, if enough of them is.
func (d *diff) changed(before, after diffText) {
	a, b := before.text[1:], after.text[1:]
	from := commonPrefix(a, b)
	for from > 0 && (inWord(a, from) || inWord(b, from)) {
		from--
	}
	to := commonSuffix(a[from:], b[from:])
	for to > 0 && (inWord(a, len(a)-to) || inWord(b, len(b)-to)) {
		to--
	}
	if a == b || 3*(from+to) < len(a) || from+to == 0 {
		return
	}
	d.lines[before.line].from, d.lines[before.line].to = before.offset+1+from, before.offset+1+len(a)-to
	d.lines[after.line].from, d.lines[after.line].to = after.offset+1+from, after.offset+1+len(b)-to
}

// commonPrefix is how many bytes two texts begin with in common, in whole characters.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}

// commonSuffix is how many bytes two texts end with in common, in whole characters.
func commonSuffix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(a[len(a)-n]) {
		n--
	}
	return n
}

// inWord reports whether an offset is within a word.
func inWord(s string, at int) bool {
	if at <= 0 || at >= len(s) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	return word(before) && word(after)
}

func word(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
