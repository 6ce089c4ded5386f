package mcp

import (
	"fmt"
	"strings"
	"unicode"
)

// clean makes a server's text harmless to a terminal: whatever is no plain character, no
// tab and no new line is written as its number.
func clean(text string) string {
	if !strings.ContainsFunc(text, strange) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if strange(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func strange(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return !unicode.IsPrint(r) && r != '\u00a0'
}

// short is a text in one line of at most n characters.
func short(text string, n int) string {
	text = strings.Join(strings.Fields(clean(text)), " ")
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

// Count is a number with its noun: "1 tool", "2 tools".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
