package policy

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// glob is a pattern of names or paths: "*" and "?" stay between slashes, "**"
// does not, "[a-z]" and "[!a-z]" are classes.
type glob struct {
	text string
	re   *regexp.Regexp
}

func newGlob(pattern string, fold bool) (glob, error) {
	var b strings.Builder
	if fold {
		b.WriteString("(?i)")
	}
	b.WriteString(`(?s)\A`)
	for rest := pattern; rest != ""; {
		n := 1
		switch {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString(`(?:.*/)?`)
			n = 3
		case strings.HasPrefix(rest, "**"):
			b.WriteString(`.*`)
			n = 2
		case rest[0] == '*':
			b.WriteString(`[^/]*`)
		case rest[0] == '?':
			b.WriteString(`[^/]`)
		case rest[0] == '[':
			end := strings.IndexByte(rest, ']')
			if end < 2 {
				return glob{}, fmt.Errorf("pattern %q: a class that is empty or never closed", pattern)
			}
			class := rest[1:end]
			negated := ""
			if class[0] == '!' || class[0] == '^' {
				negated, class = "^", class[1:]
			}
			b.WriteString("[" + negated + strings.NewReplacer(`\`, `\\`, `[`, `\[`, `^`, `\^`).Replace(class) + "]")
			n = end + 1
		default:
			n = 1
			for n < len(rest) && !strings.ContainsRune("*?[", rune(rest[n])) {
				n++
			}
			b.WriteString(regexp.QuoteMeta(rest[:n]))
		}
		rest = rest[n:]
	}
	b.WriteString(`\z`)
	re, err := regexp.Compile(b.String())
	if err != nil {
		return glob{}, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	return glob{pattern, re}, nil
}

// least is how many characters a text has at least that a pattern matches.
func least(pattern string) int {
	n := 0
	for rest := pattern; rest != ""; {
		_, size := utf8.DecodeRuneInString(rest)
		switch {
		case strings.HasPrefix(rest, "**/"):
			size = 3
		case rest[0] == '*':
		case rest[0] == '[':
			n++
			size = strings.IndexByte(rest, ']') + 1
			if size == 0 { // never closed: no pattern
				return n
			}
		default:
			n++
		}
		rest = rest[size:]
	}
	return n
}

func (g glob) match(s string) bool { return g.re.MatchString(s) }

// covers reports whether the pattern matches a target's name, or what is left of
// it without the way to it and without the user: "web-1" of "ssh:op@web-1:2222".
func (g glob) covers(target string) bool {
	if g.match(target) {
		return true
	}
	_, host, ok := strings.Cut(target, ":")
	if !ok {
		return false
	}
	host = strings.TrimPrefix(host, "//")
	if g.match(host) {
		return true
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	bare := host
	if i := strings.LastIndexByte(host, ':'); i > 0 && strings.Trim(host[i+1:], "0123456789") == "" {
		bare = host[:i]
	}
	return g.match(host) || g.match(strings.Trim(bare, "[]"))
}

// literal reports whether the pattern names exactly one thing.
func (g glob) literal() bool { return !wild(g.text) }

func wild(s string) bool { return strings.ContainsAny(s, "*?[") }

// clean makes an absolute, clean path of word as a program in dir would see it.
// ok is false if that cannot be known.
func clean(word, dir string) (p string, ok bool) {
	switch {
	case word == "" || strings.IndexByte(word, 0) >= 0:
		return "", false
	case path.IsAbs(word):
		return path.Clean(word), true
	case path.IsAbs(dir):
		return path.Join(dir, word), true
	}
	return path.Clean(word), false
}

// patternsMeet reports whether some path fits both patterns. Classes count as any
// letter.
func patternsMeet(a, b string) bool {
	left := maxMeet
	return partsMeet(strings.Split(a, "/"), strings.Split(b, "/"), &left)
}

// maxMeet bounds the work on two patterns; beyond it they count as meeting.
const maxMeet = 4000

func partsMeet(a, b []string, left *int) bool {
	if *left--; *left < 0 {
		return true
	}
	switch {
	case len(a) > 0 && a[0] == "**":
		return partsMeet(a[1:], b, left) || len(b) > 0 && partsMeet(a, b[1:], left)
	case len(b) > 0 && b[0] == "**":
		return partsMeet(a, b[1:], left) || len(a) > 0 && partsMeet(a[1:], b, left)
	case len(a) == 0 || len(b) == 0:
		return len(a) == len(b)
	}
	return namesMeet(a[0], b[0], left) && partsMeet(a[1:], b[1:], left)
}

func namesMeet(a, b string, left *int) bool {
	if *left--; *left < 0 {
		return true
	}
	switch {
	case a != "" && a[0] == '*':
		return namesMeet(a[1:], b, left) || b != "" && namesMeet(a, b[1:], left)
	case b != "" && b[0] == '*':
		return namesMeet(a, b[1:], left) || a != "" && namesMeet(a[1:], b, left)
	case a == "" || b == "":
		return a == b
	}
	ra, na := first(a)
	rb, nb := first(b)
	return (ra == "?" || rb == "?" || ra == rb) && namesMeet(a[na:], b[nb:], left)
}

// first is the first letter of a pattern, "?" for a class, and its length.
func first(p string) (string, int) {
	if p[0] == '[' {
		if end := strings.IndexByte(p, ']'); end > 1 {
			return "?", end + 1
		}
	}
	return p[:1], 1
}

// below reports whether p is dir or lies in it. Both are clean.
func below(p, dir string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, dir+"/")
}
