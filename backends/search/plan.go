package search

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/nod-console/nod/backends"
)

// MaxPattern bounds a pattern, in bytes.
const MaxPattern = 2_000

// Sniffed is how many bytes decide whether a file is binary.
const Sniffed = 8_000

// kernel are folders that hold no files but the kernel itself.
var kernel = []string{"/proc", "/sys", "/dev"}

// Plan is a query that can be carried out.
type Plan struct {
	Root string
	// Lines is set where lines are looked for, else paths are.
	Lines bool
	// ERE is a POSIX extended regular expression for grep in the C locale: every
	// line that Line takes matches it. It may be empty, which matches all lines.
	ERE string
	// FindName is a pattern for find's -name: the last name of every path that
	// Name takes matches it. Empty means all.
	FindName string
	// Depth is how many folders deep a path can be that Name takes; 0 means any.
	Depth int

	pattern *regexp.Regexp // nil where paths are looked for
	names   *regexp.Regexp // nil: all
}

// Compile makes a plan of a query.
func Compile(q backends.Query) (Plan, error) {
	p := Plan{Root: q.Root}
	if !path.IsAbs(q.Root) || path.Clean(q.Root) != q.Root || strings.IndexByte(q.Root, 0) >= 0 {
		return p, fmt.Errorf("the folder %q is not absolute and clean", q.Root)
	}
	if q.Names != "" {
		g, err := parseGlob(q.Names)
		if err != nil {
			return p, fmt.Errorf("the file pattern %q: %w", q.Names, err)
		}
		p.names, p.FindName, p.Depth = g.exact, g.last, g.depth
	}
	if q.Pattern == "" {
		return p, nil
	}
	p.Lines = true
	switch {
	case len(q.Pattern) > MaxPattern:
		return p, fmt.Errorf("the pattern is longer than %d bytes", MaxPattern)
	case strings.ContainsAny(q.Pattern, "\x00\n"):
		return p, errors.New("the pattern holds a line feed or a zero byte: it is matched against one line at a time")
	}
	tree, err := syntax.Parse(q.Pattern, syntax.Perl)
	if err != nil {
		return p, misread(err)
	}
	if p.pattern, err = regexp.Compile(q.Pattern); err != nil {
		return p, misread(err)
	}
	p.ERE = wider(tree)
	return p, nil
}

// Name reports whether a path, relative to Root, is looked for.
func (p Plan) Name(relative string) bool { return p.names == nil || p.names.MatchString(relative) }

// Line is what is told of a line, without its line feed, and whether it is
// looked for. A carriage return at its end may belong to the line or to its end.
func (p Plan) Line(raw []byte) (text string, ok bool) {
	if len(raw) > backends.MaxLine {
		raw = raw[:backends.MaxLine]
	}
	if bytes.IndexByte(raw, 0) >= 0 {
		return "", false // no text, behind what was sniffed
	}
	cut, had := strings.CutSuffix(string(raw), "\r")
	if p.pattern.MatchString(cut) || had && p.pattern.Match(raw) {
		return cut, true
	}
	return "", false
}

// Holds reports whether a line of a binary file has a match.
func (p Plan) Holds(raw []byte) bool { return p.pattern.Match(raw) }

// Skips reports whether a folder, by its absolute path, is not entered.
func Skips(folder string) bool { return slices.Contains(kernel, folder) }

// Kernel reports whether a path lies in a folder of the kernel's.
func Kernel(name string) bool {
	return slices.ContainsFunc(kernel, func(k string) bool { return name == k || strings.HasPrefix(name, k+"/") })
}

// Binary reports whether a file is binary, by its first bytes.
func Binary(head []byte) bool {
	return bytes.IndexByte(head[:min(len(head), Sniffed)], 0) >= 0
}

// misread says what is wrong with a pattern, and what is not known to RE2.
func misread(err error) error {
	var at *syntax.Error
	if !errors.As(err, &at) {
		return errors.New("the pattern is no regular expression (RE2)")
	}
	advice := ""
	switch at.Code {
	case syntax.ErrInvalidPerlOp, syntax.ErrInvalidEscape:
		advice = "; there is no look-around and no back reference, and a \\ before a character that means nothing is left out"
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrMissingBracket, syntax.ErrMissingRepeatArgument:
		advice = "; a bracket, a * or a + that is meant as it stands needs a \\ before it"
	}
	return fmt.Errorf("the pattern is no regular expression (RE2): %s: `%s`%s", at.Code, at.Expr, advice)
}
