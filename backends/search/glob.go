package search

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// glob is a pattern for relative paths.
type glob struct {
	exact *regexp.Regexp
	last  string // for find -name; empty: any
	depth int    // 0: any
}

var (
	errNoEnd  = errors.New(`a "[" or "{" has no end`)
	errAbrupt = errors.New(`a backslash at its end`)
	errNested = errors.New(`a "{" within a "{"`)
	errUpward = errors.New(`it is relative to the folder, and "", "." and ".." are no names`)
)

func parseGlob(pattern string) (glob, error) {
	if strings.IndexByte(pattern, 0) >= 0 || len(pattern) > MaxPattern || !utf8.ValidString(pattern) {
		return glob{}, fmt.Errorf("holds a zero byte, is no text or is longer than %d bytes", MaxPattern)
	}
	for name := range strings.SplitSeq(pattern, "/") {
		if name == "" || name == "." || name == ".." {
			return glob{}, errUpward
		}
	}
	text, err := globExpression(pattern)
	if err != nil {
		return glob{}, err
	}
	exact, err := regexp.Compile("^(?s:" + text + ")$")
	if err != nil {
		return glob{}, err
	}
	g := glob{exact: exact}
	if !braceSlash(pattern) {
		g.last = findName(pattern[strings.LastIndexByte(pattern, '/')+1:])
		if !strings.Contains(pattern, "**") {
			g.depth = 1 + strings.Count(pattern, "/")
		}
	}
	return g, nil
}

// braceSlash reports whether an alternative goes over several names.
func braceSlash(pattern string) bool {
	inside := false
	for i := range len(pattern) {
		switch pattern[i] {
		case '{':
			inside = true
		case '}':
			inside = false
		case '/':
			if inside {
				return true
			}
		}
	}
	return false
}

// globExpression writes a pattern as a regular expression.
func globExpression(pattern string) (string, error) {
	var b strings.Builder
	inBrace := false
	for i := 0; i < len(pattern); {
		c := pattern[i]
		switch {
		case strings.HasPrefix(pattern[i:], "**/") && (i == 0 || pattern[i-1] == '/'):
			b.WriteString(`(?:.*/)?`)
			i += 3
			continue
		case strings.HasPrefix(pattern[i:], "**"):
			b.WriteString(`.*`)
			i += 2
			continue
		case c == '*':
			b.WriteString(`[^/]*`)
		case c == '?':
			b.WriteString(`[^/]`)
		case c == '[':
			class, size, err := globClass(pattern[i:])
			if err != nil {
				return "", err
			}
			b.WriteString(class)
			i += size
			continue
		case c == '{' && inBrace:
			return "", errNested
		case c == '{':
			inBrace = true
			b.WriteString(`(?:`)
		case c == '}' && inBrace:
			inBrace = false
			b.WriteString(`)`)
		case c == ',' && inBrace:
			b.WriteString(`|`)
		case c == '\\':
			if i++; i == len(pattern) {
				return "", errAbrupt
			}
			fallthrough
		default:
			_, size := utf8.DecodeRuneInString(pattern[i:])
			b.WriteString(regexp.QuoteMeta(pattern[i : i+size]))
			i += size
			continue
		}
		i++
	}
	if inBrace {
		return "", errNoEnd
	}
	return b.String(), nil
}

// globClass writes a class such as "[!a-z]" as that of a regular expression,
// without the slash, which belongs to no name.
func globClass(text string) (class string, size int, err error) {
	at := 1
	not := at < len(text) && (text[at] == '!' || text[at] == '^')
	if not {
		at++
	}
	var b strings.Builder
	for begin := at; at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == ']' && at > begin:
			if not {
				return "[^/" + b.String() + "]", at + 1, nil
			}
			return "[" + b.String() + "]", at + 1, nil
		case r == '/':
			return "", 0, errNoEnd
		case r == '-':
			b.WriteByte('-')
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
		at += n
	}
	return "", 0, errNoEnd
}

// findName is a pattern for find -name that takes all that the last name of a
// glob takes.
func findName(name string) string {
	var b strings.Builder
	star := func() {
		if !strings.HasSuffix(b.String(), "*") {
			b.WriteByte('*')
		}
	}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; c {
		case '*', '?':
			star()
		case '[', '{', '\\': // from here on it is only known where it ends
			tail := name[strings.LastIndexAny(name, "]}\\*?")+1:]
			star()
			if strings.ContainsAny(name[i:], "\\") {
				tail = ""
			}
			return trimStar(b.String() + tail)
		default:
			b.WriteByte(c)
		}
	}
	return trimStar(b.String())
}

// trimStar is "" for a pattern that takes everything.
func trimStar(pattern string) string {
	if strings.Trim(pattern, "*") == "" {
		return ""
	}
	return pattern
}
