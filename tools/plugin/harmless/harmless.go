// Package harmless makes what plugins and servers say fit to be shown and to be given to a
// model: nothing in it commands a terminal, hides or turns other text around.
package harmless

import (
	"fmt"
	"strings"
	"unicode"
)

// Text is a text in which whatever is no plain character, no tab and no new line is written
// as its number. Bytes that are not UTF-8 are U+FFFD.
func Text(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
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

// Line is a text in one line of at most n characters.
func Line(text string, n int) string {
	text = strings.Join(strings.Fields(Text(text)), " ")
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

// Value is a value as json.Unmarshal gives it, with all its texts and keys made harmless.
func Value(v any) any {
	switch v := v.(type) {
	case string:
		return Text(v)
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = Value(v[i])
		}
		return all
	case map[string]any:
		all := make(map[string]any, len(v))
		for k := range v {
			all[Text(k)] = Value(v[k])
		}
		return all
	}
	return v
}
