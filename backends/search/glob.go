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
		var err error
		text, size := "", 1
		switch c := pattern[i]; {
		case c == '*':
			text, size = globStar(pattern, i)
		case c == '?':
			text = `[^/]`
		case c == '[':
			text, size, err = globClass(pattern[i:])
		case c == '{' && inBrace:
			err = errNested
		case c == '{' || inBrace && (c == '}' || c == ','):
			text = globAlternative[c]
			inBrace = c != '}'
		default:
			text, size, err = globLiteral(pattern[i:])
		}
		if err != nil {
			return "", err
		}
		b.WriteString(text)
		i += size
	}
	if inBrace {
		return "", errNoEnd
	}
	return b.String(), nil
}

// globAlternative writes what encloses and separates alternatives.
var globAlternative = map[byte]string{'{': `(?:`, ',': `|`, '}': `)`}

// globStar writes the stars at a place: two go over several names, and with a slash behind
// them, where a name begins, also over none.
func globStar(pattern string, at int) (text string, size int) {
	switch stars := pattern[at:]; {
	case strings.HasPrefix(stars, "**/") && (at == 0 || pattern[at-1] == '/'):
		return `(?:.*/)?`, len("**/")
	case strings.HasPrefix(stars, "**"):
		return `.*`, len("**")
	}
	return `[^/]*`, 1
}

// globLiteral writes one character, in front of which a backslash may stand.
func globLiteral(text string) (literal string, size int, err error) {
	bare := strings.TrimPrefix(text, `\`)
	if bare == "" {
		return "", 0, errAbrupt
	}
	_, n := utf8.DecodeRuneInString(bare)
	return regexp.QuoteMeta(bare[:n]), len(text) - len(bare) + n, nil
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
