package vt

import "unicode/utf8"

// Release is a release of tmux. The zero value stands for 3.3.
type Release struct{ Major, Minor int }

// quirks are the ways in which later releases differ from 3.3a.
type quirks struct {
	clusters bool // 3.4: characters combine by what is in the cell before
	repeats  bool // 3.5: REP repeats any character
	replaces bool // 3.6: what is no UTF-8 shows as U+FFFD
	pairs    bool // 3.6: clusters know which characters go together, and jamo
	wholes   bool // 3.6: a second half in the first column is no exception
	reports  bool // 3.7: DECRQM is known
	tints    bool // 3.8: a wide cell that is cut in half leaves its background
}

func (r Release) quirks() quirks {
	from := func(minor int) bool { return r.Major > 3 || r.Major == 3 && r.Minor >= minor }
	return quirks{
		clusters: from(4), repeats: from(5), replaces: from(6), pairs: from(6), wholes: from(6), reports: from(7), tints: from(8),
	}
}

const (
	variation16   = '\ufe0f' // makes an emoji of what is before it
	replacement   = '\ufffd'
	hangulFiller  = '\u3164'
	flagMin       = 0x1f1e6 // regional indicators
	flagMax       = 0x1f1ff
	skinMin       = 0x1f3fb // skin tones
	skinMax       = 0x1f3ff
	joinerInBytes = "\u200d"
)

func isFlag(r rune) bool { return r >= flagMin && r <= flagMax }
func isSkin(r rune) bool { return r >= skinMin && r <= skinMax }

// cluster adds r, of w columns, to the character before the cursor if tmux from
// 3.4 would, and reports whether r is done with: added, or dropped for want of
// something to combine with.
func (t *Terminal) cluster(r rune, w int) bool {
	alone := w == 0 || r == zwj || r == variation16 // makes no sense by itself
	if r == hangulFiller && t.quirks.pairs {
		return true
	}
	x, ok := t.beginsBefore()
	if !ok {
		return alone
	}
	s := text(t.tab.graphemes, t.rows[t.line].cells[x])
	wide := r == variation16
	if !alone {
		joins, widens, drop := t.joins(s, r)
		if !joins {
			return drop
		}
		wide = widens
	}
	if len(s)+len(string(r)) > maxGrapheme {
		return alone
	}
	t.extend(x, s+string(r), wide)
	return true
}

// beginsBefore is where the character begins that ends right before the cursor; ok is false
// if there is none, or only a part of one.
func (t *Terminal) beginsBefore() (x int, ok bool) {
	if t.col == 0 {
		return 0, false
	}
	cells := t.rows[t.line].cells
	x = t.col - 1
	if x > 0 && cells[x].isPad() {
		x--
	}
	before := cells[x]
	return x, !before.isPad() && before.Width() == t.col-x
}

// extend gives the character that begins at x another text, and makes it wide if it has to be
// and there is room for it.
func (t *Terminal) extend(x int, s string, wide bool) {
	row := t.edit(t.line)
	before := row.cells[x]
	glyph := glyphLong | before.glyph&glyphWide | t.tab.grapheme(s)
	if wide && before.Width() == 1 && (t.col < t.size.Cols || !t.quirks.pairs) {
		glyph |= glyphWide
		row.broken = true // what was behind it may have been the first half of something
		if t.col < t.size.Cols {
			row.cells[t.col] = t.padOf(before)
			t.col++
		} else {
			t.col = t.size.Cols - 1
		}
	}
	row.cells[x].glyph = glyph
}

// padOf is the second half of a cell that becomes wide.
func (t *Terminal) padOf(c Cell) Cell {
	pad := Cell{glyph: glyphPad}
	if bg := t.tab.pens[c.style].Bg; t.quirks.tints && bg != Default {
		pad.style = t.tab.pen(pen{Style: Style{Bg: bg}})
	}
	return pad
}

// joins says whether r, which takes up room, joins the text of the cell before
// it, whether it makes that wide, and if not, whether it is dropped.
func (t *Terminal) joins(s string, r rune) (joins, widens, drop bool) {
	joined := len(s) >= len(joinerInBytes) && s[len(s)-len(joinerInBytes):] == joinerInBytes
	first, last := ends(s)
	if !t.quirks.pairs {
		if isFlag(r) || isSkin(r) {
			return len(s) > 1, true, false
		}
		return joined, false, false
	}
	switch jamoOf(r) {
	case leadingJamo:
		return false, false, false
	case vowelJamo:
		ok := jamoOf(last) == leadingJamo
		return ok, false, !ok
	case trailingJamo:
		ok := jamoOf(last) == vowelJamo
		return ok, false, !ok
	}
	if isFlag(r) && isFlag(first) && len(s) == utf8.RuneLen(first) || isSkin(r) && takesSkin(first) || isSkin(first) && takesSkin(r) {
		return true, true, false
	}
	return joined, false, false
}

// ends returns the first and the last character of s.
func ends(s string) (first, last rune) {
	first, _ = utf8.DecodeRuneInString(s)
	last, _ = utf8.DecodeLastRuneInString(s)
	return first, last
}

type jamo uint8

const (
	noJamo jamo = iota
	leadingJamo
	vowelJamo
	trailingJamo
)

// jamoOf tells the kinds of Hangul jamo (Unicode, chapter 18.6).
func jamoOf(r rune) jamo {
	switch {
	case r < 0x1100:
	case r <= 0x115f, r >= 0xa960 && r <= 0xa97c:
		return leadingJamo
	case r <= 0x11a7, r >= 0xd7b0 && r <= 0xd7c6:
		return vowelJamo
	case r <= 0x11ff, r >= 0xd7cb && r <= 0xd7fb:
		return trailingJamo
	}
	return noJamo
}

// skinTakers are the emoji that tmux lets a skin tone change, from 3.6.
var skinTakers = [][2]rune{
	{0x1f44b, 0x1f450}, {0x1f466, 0x1f469}, {0x1f46e, 0x1f46e}, {0x1f470, 0x1f478}, {0x1f47c, 0x1f47c},
	{0x1f481, 0x1f483}, {0x1f485, 0x1f487}, {0x1f4aa, 0x1f4aa}, {0x1f575, 0x1f575}, {0x1f57a, 0x1f57a},
	{0x1f590, 0x1f590}, {0x1f595, 0x1f596}, {0x1f645, 0x1f647}, {0x1f64b, 0x1f64f}, {0x1f6b4, 0x1f6b6},
	{0x1f926, 0x1f926}, {0x1f937, 0x1f939}, {0x1f93d, 0x1f93e}, {0x1f9b5, 0x1f9b6}, {0x1f9b8, 0x1f9b9},
	{0x1f9cd, 0x1f9cf}, {0x1f9d1, 0x1f9df},
}

func takesSkin(r rune) bool {
	for _, s := range skinTakers {
		if r <= s[1] {
			return r >= s[0]
		}
	}
	return false
}

// spoilt stands for a character that is no UTF-8, or was not finished.
func (t *Terminal) spoilt() {
	t.parser.runeWant = 0
	if t.quirks.replaces && !t.parser.capture {
		t.print(replacement)
	}
	t.last = 0
}
