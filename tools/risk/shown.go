package risk

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// longest is how much of a piece of the text a sentence holds, in characters as
// they are shown.
const longest = 40

// shown prepares a piece of the text for a sentence.
func shown(s string) string { return rendered(s, longest) }

// rendered shows a piece of the text as package agent/policy/show does, of which
// this is a small part: printable ASCII as it is, everything else as a sign, so
// that nothing looks like what it is not. "…" stands for what is not known by
// reading, and for what is left out behind the given length.
func rendered(s string, length int) string {
	s = strings.ReplaceAll(s, ifsMark, " ")
	if len(s) <= length && plainASCII(s) {
		return s
	}
	var b strings.Builder
	for at, cells := 0, 0; at < len(s); {
		sign, n := signAt(s, at)
		if cells += utf8.RuneCountInString(sign); cells > length {
			b.WriteString("…")
			break
		}
		b.WriteString(sign)
		at += n
	}
	return b.String()
}

// signAt is how the character at a place is shown, and how many bytes it has.
func signAt(s string, at int) (sign string, n int) {
	r, n := utf8.DecodeRuneInString(s[at:])
	switch {
	case r == hole:
		return "…", n
	case r == '\t':
		return "→", n
	case r == utf8.RuneError && n <= 1:
		return fmt.Sprintf("⟦%02x⟧", s[at]), n
	case r < ' ' || r >= 0x7f:
		return fmt.Sprintf("⟦U+%04X⟧", r), n
	case r == ' ' && (at == 0 || at == len(s)-1 || strings.IndexByte(" \t\n", s[at-1]) >= 0 || strings.IndexByte(" \t\n", s[at+1]) >= 0):
		return "·", n
	}
	return s[at : at+n], n
}

// plainASCII reports whether a text is shown as it is.
func plainASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < ' ' || c >= 0x7f || c == ' ' && (i == 0 || i == len(s)-1 || s[i-1] == ' ') {
			return false
		}
	}
	return true
}
