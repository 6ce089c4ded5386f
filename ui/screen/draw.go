package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
)

// Draw draws text in one line of at most width cells and returns the number of
// cells used. A character that would be cut in two is left out. The text is
// cleaned on the way.
func Draw(s tcell.Screen, x, y, width int, text string, style tcell.Style) int {
	used := 0
	text = Clean(text)
	for state := -1; text != "" && used < width; {
		var cluster string
		var w int
		if n := plain(text); n > 0 {
			cluster, text, w, state = text[:1], text[1:], 1, -1
		} else {
			cluster, text, w, state = uniseg.FirstGraphemeClusterInString(text, state)
		}
		if w == 0 {
			continue
		}
		if used+w > width {
			break
		}
		s.Put(x+used, y, cluster, style)
		used += w
	}
	return used
}

// plain is 1 if text starts with an ASCII character that nothing can combine
// with, else 0.
func plain(text string) int {
	if text[0] >= 0x20 && text[0] < 0x7f && (len(text) == 1 || text[1] < 0x80) {
		return 1
	}
	return 0
}

// Fill draws one character over a rectangle.
func Fill(s tcell.Screen, x, y, width, height int, c string, style tcell.Style) {
	for row := y; row < y+height; row++ {
		for col := x; col < x+width; col++ {
			s.Put(col, row, c, style)
		}
	}
}

// Width is the number of cells that Draw would use for text.
func Width(text string) int {
	ascii := true
	for i := 0; i < len(text); i++ {
		if text[i] >= 0x7f || text[i] < 0x20 {
			ascii = false
			break
		}
	}
	if ascii {
		return len(text)
	}
	return uniseg.StringWidth(Clean(text))
}

// Cut shortens text to at most width cells, with an ellipsis where something
// was cut off.
func Cut(text string, width int) string {
	if width <= 0 {
		return ""
	}
	if Width(text) <= width {
		return text
	}
	var b strings.Builder
	used := 0
	for state, rest := -1, Clean(text); rest != ""; {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used+w > width-1 {
			break
		}
		b.WriteString(cluster)
		used += w
	}
	return b.String() + "…"
}

// Clean replaces everything in text that would do something other than show
// itself: control characters become their signs (␛), characters that reorder
// or hide text, and bytes that are not UTF-8, become "�". A tab becomes one
// space: expand tabs first where columns matter. Clean(Clean(s)) == Clean(s).
func Clean(text string) string {
	i := firstUnclean(text)
	if i < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 8)
	b.WriteString(text[:i])
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\t':
			b.WriteByte(' ')
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune('\u2421')
		case unclean(r):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

func firstUnclean(text string) int {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c < 0x20 || c == 0x7f {
			return i
		}
		if c < 0x80 {
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if (r == utf8.RuneError && n == 1) || unclean(r) {
			return i
		}
		i += n - 1
	}
	return -1
}

// unclean reports characters above ASCII that must not reach a terminal: C1
// controls, and formats such as bidirectional overrides. The zero-width joiner
// is part of emoji, and a soft hyphen is drawn by nobody.
func unclean(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r < 0xa0:
		return true
	case r == '\u200d' || r == '\u00ad':
		return false
	case r == '\u2028' || r == '\u2029':
		return true
	case r >= 0xe0020 && r <= 0xe007f:
		return false // tags: flags of regions
	}
	return unicode.Is(unicode.Cf, r)
}

// Fold breaks text into lines of at most width cells: at spaces, which it takes
// together, and within a word only where that is too long for a line.
func Fold(text string, width int) []string {
	width = max(width, 1)
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case Width(line)+1+Width(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
		for Width(line) > width {
			cut := strings.TrimSuffix(Cut(line, width+1), "…")
			if cut == "" || !strings.HasPrefix(line, cut) {
				break // a character wider than the line, or one that is drawn as another
			}
			lines = append(lines, cut)
			line = line[len(cut):]
		}
	}
	return append(lines, line)
}
