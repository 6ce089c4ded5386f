// Package show renders text that must be read exactly: what a command is, to
// the byte, before somebody approves it.
//
// Distinct texts look different. Printable ASCII is drawn as it is, a tab as "→",
// every other character as ⟦U+202E⟧, a byte that is not UTF-8 as ⟦ff⟧. A space is
// drawn as a space only between two characters that are neither blank nor an end
// of the line; all others are drawn as "·". What these signs are made of (⟦, ⟧,
// · and →) is not ASCII and is therefore escaped itself, so [Parse] gets every
// text back. In [Rows] blanks follow a tab's sign to the next tab stop: a space of
// the text would be a "·" there.
//
// # Design
//
// Everything beyond ASCII is escaped, not only what is known to deceive: a
// list of look-alikes, combining and invisible characters would never be
// complete. Commands in other scripts are harder to read for it; being sure
// comes first.
package show

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	opening = '⟦'
	closing = '⟧'
	space   = '·'
	tab     = '→'
)

// Text renders s in one line.
func Text(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	for at := 0; at < len(s); {
		n := token(&b, s, at)
		at += n
	}
	return b.String()
}

// token writes how the character of s at the given offset looks and returns
// its length in bytes.
func token(b *strings.Builder, s string, at int) int {
	c := s[at]
	switch {
	case c == ' ' && lone(s, at):
		b.WriteByte(' ')
	case c == ' ':
		b.WriteRune(space)
	case c == '\t':
		b.WriteRune(tab)
	case c > ' ' && c < 0x7f:
		b.WriteByte(c)
	default:
		r, n := utf8.DecodeRuneInString(s[at:])
		if r == utf8.RuneError && n <= 1 {
			fmt.Fprintf(b, "%c%02x%c", opening, c, closing)
		} else {
			fmt.Fprintf(b, "%cU+%04X%c", opening, r, closing)
		}
		return n
	}
	return 1
}

// lone reports whether the space at the given offset stands between two
// characters that show where it is.
func lone(s string, at int) bool {
	return at > 0 && at < len(s)-1 && visible(s[at-1]) && visible(s[at+1])
}

func visible(c byte) bool { return c != ' ' && c != '\t' && c != '\n' }

// Parse is the inverse of Text, and of a line of Rows; a space may be marked or
// not. Other text than they write is an error.
func Parse(text string) (string, error) {
	var b strings.Builder
	text = stop().ReplaceAllString(text, string(tab))
	for rest := text; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		switch {
		case r == space:
			b.WriteByte(' ')
		case r == tab:
			b.WriteByte('\t')
		case r == opening:
			end := strings.IndexRune(rest, closing)
			if end < 0 {
				return "", fmt.Errorf("unclosed sign %q", rest)
			}
			if err := sign(&b, rest[n:end]); err != nil {
				return "", err
			}
			n = end + utf8.RuneLen(closing)
		case r >= ' ' && r < 0x7f:
			b.WriteRune(r)
		default:
			return "", fmt.Errorf("%q is never shown", r)
		}
		rest = rest[n:]
	}
	if unmarked(Text(b.String())) != unmarked(text) {
		return "", fmt.Errorf("%q is not how it would be shown", text)
	}
	return b.String(), nil
}

// stop is a tab with the blanks behind it.
var stop = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(string(tab) + " +") })

func unmarked(text string) string { return strings.ReplaceAll(text, string(space), " ") }

func sign(b *strings.Builder, text string) error {
	if hex, ok := strings.CutPrefix(text, "U+"); ok {
		v, err := strconv.ParseUint(hex, 16, 21)
		if err != nil {
			return fmt.Errorf("bad sign %q: %w", text, err)
		}
		b.WriteRune(rune(v))
		return nil
	}
	v, err := strconv.ParseUint(text, 16, 8)
	if err != nil {
		return fmt.Errorf("bad sign %q: %w", text, err)
	}
	b.WriteByte(byte(v))
	return nil
}
