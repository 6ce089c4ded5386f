package chat

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// viMotion is where a motion leads, whether the character there belongs to what an
// operator takes, and whether there is such a motion.
func (in *Input) viMotion(key string, n int) (row, offset int, inclusive, ok bool) {
	wasRow, was := in.row, in.offset
	defer func() { in.row, in.offset = wasRow, was }()
	step := func(to func() (int, int)) {
		for range n {
			in.row, in.offset = to()
		}
	}
	switch key {
	case "h":
		step(func() (int, int) {
			if in.offset == 0 {
				return in.row, 0
			}
			return in.left()
		})
	case "l", " ":
		step(func() (int, int) {
			if in.offset == len(in.line()) {
				return in.row, in.offset
			}
			return in.right()
		})
	case "w":
		step(in.viWord)
	case "b":
		step(in.viBack)
	case "e":
		step(in.viEnd)
		inclusive = true
	case "0":
		in.offset = 0
	case "^":
		in.offset = indentOf(in.line())
	case "$":
		in.row = min(in.row+n-1, len(in.lines)-1)
		in.offset = len(in.line())
	case "g":
		in.row, in.offset = 0, 0
	case "G":
		in.row = len(in.lines) - 1
		in.offset = indentOf(in.line())
	case "W", "B", "E":
		in.vi.big = true
		defer func() { in.vi.big = false }()
		return in.viMotion(strings.ToLower(key), n)
	default:
		offset, ok = in.viFind(key, n)
		return wasRow, offset, strings.ContainsAny(in.vi.way(key), "ft"), ok
	}
	return in.row, in.offset, inclusive, true
}

// way is the key by which a motion looks for a character: f, F, t or T; empty for others.
// A semicolon does again what was done last, and a comma the other way.
func (v *vi) way(key string) string {
	switch {
	case v.find == "":
	case key == v.find, key == ";":
		return v.find[:1]
	case key == ",":
		return strings.Map(otherCase, v.find[:1])
	}
	return ""
}

// characters are the offsets at which the characters of the line begin.
func (in *Input) characters() []int {
	var begins []int
	for o := 0; o < len(in.line()); _, o = in.rightOf(o) {
		begins = append(begins, o)
	}
	return begins
}

// viFind is where the n-th character of the line is that a motion looks for, or the place
// before it. One that was looked for before does not stop at the same character again.
func (in *Input) viFind(key string, n int) (offset int, ok bool) {
	way := in.vi.way(key)
	if way == "" {
		return in.offset, false
	}
	line, target := in.line(), in.vi.find[1:]
	begins := in.characters()
	at, _ := slices.BinarySearch(begins, in.offset)
	step := 1
	if way == "F" || way == "T" {
		step = -1
	}
	till := way == "t" || way == "T"
	is := func(i int) bool { return i >= 0 && i < len(begins) && strings.HasPrefix(line[begins[i]:], target) }
	i := at + step
	if till && key != in.vi.find && is(i) {
		i += step
	}
	for ; i >= 0 && i < len(begins); i += step {
		if !is(i) {
			continue
		}
		if n--; n > 0 {
			continue
		}
		if till {
			i -= step
		}
		return append(begins, len(line))[i], true
	}
	return in.offset, false
}

// viClass is what kind of character begins at the cursor: 0 for a gap, also for the end
// of a line, 1 for one of a word, 2 for others.
func (in *Input) viClass() int {
	r, _ := utf8.DecodeRuneInString(in.line()[in.offset:])
	switch {
	case in.offset == len(in.line()), unicode.IsSpace(r):
		return 0
	case in.vi.big, r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
		return 1
	}
	return 2
}

// atEnd reports whether the cursor stands behind everything.
func (in *Input) atEnd() bool { return in.row == len(in.lines)-1 && in.offset == len(in.line()) }

// viWord goes to the beginning of the next word.
func (in *Input) viWord() (int, int) {
	class := in.viClass()
	for class != 0 && in.viClass() == class {
		in.row, in.offset = in.right()
	}
	for in.viClass() == 0 && !in.atEnd() {
		in.row, in.offset = in.right()
	}
	return in.row, in.offset
}

// viBack goes to the beginning of the word before.
func (in *Input) viBack() (int, int) {
	for in.row > 0 || in.offset > 0 {
		in.row, in.offset = in.left()
		if in.viClass() != 0 {
			break
		}
	}
	for class := in.viClass(); in.offset > 0; {
		row, offset := in.row, in.offset
		if in.row, in.offset = in.left(); in.viClass() != class {
			in.row, in.offset = row, offset
			break
		}
	}
	return in.row, in.offset
}

// viEnd goes to the end of the word, or of the next one.
func (in *Input) viEnd() (int, int) {
	if !in.atEnd() {
		in.row, in.offset = in.right()
	}
	for in.viClass() == 0 && !in.atEnd() {
		in.row, in.offset = in.right()
	}
	for class := in.viClass(); !in.atEnd(); {
		row, offset := in.row, in.offset
		if in.row, in.offset = in.right(); in.viClass() != class {
			in.row, in.offset = row, offset
			break
		}
	}
	return in.row, in.offset
}
