package search

import (
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// maxRepeat is how often POSIX lets an interval repeat something (RE_DUP_MAX).
const maxRepeat = 255

// anyRune matches one to four bytes: any character.
const anyRune = "(..?.?.?)"

// wider is a POSIX extended regular expression that matches, in the C locale,
// every line that the tree matches. It is empty if it would match all.
func wider(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		var b strings.Builder
		for _, r := range re.Rune {
			b.WriteString(literal(r, re.Flags&syntax.FoldCase != 0))
		}
		return b.String()
	case syntax.OpCharClass:
		return class(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return anyRune
	case syntax.OpBeginLine, syntax.OpBeginText:
		return "^"
	case syntax.OpEndLine, syntax.OpEndText:
		return "(\r?$)"
	case syntax.OpCapture:
		return group(wider(re.Sub[0]))
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return repeated(re)
	case syntax.OpConcat:
		var b strings.Builder
		for _, sub := range re.Sub {
			b.WriteString(wider(sub))
		}
		return b.String()
	case syntax.OpAlternate:
		return alternatives(re.Sub)
	}
	return "" // a boundary, nothing, or what matches nothing
}

func group(ere string) string {
	if ere == "" {
		return ""
	}
	return "(" + ere + ")"
}

func alternatives(subs []*syntax.Regexp) string {
	var parts []string
	empty := false
	for _, sub := range subs {
		if part := wider(sub); part != "" {
			parts = append(parts, part)
		} else {
			empty = true
		}
	}
	all := group(strings.Join(parts, "|"))
	if empty && all != "" {
		all += "?"
	}
	return all
}

func repeated(re *syntax.Regexp) string {
	sub := re.Sub[0]
	if any := sub.Op == syntax.OpAnyChar || sub.Op == syntax.OpAnyCharNotNL; any && re.Op == syntax.OpStar {
		return ".*"
	} else if any && re.Op == syntax.OpPlus {
		return "..*"
	}
	part := group(wider(sub))
	if part == "" || anchors(sub) {
		return ""
	}
	switch re.Op {
	case syntax.OpStar:
		return part + "*"
	case syntax.OpPlus:
		return part + "+"
	case syntax.OpQuest:
		return part + "?"
	}
	if re.Max < 0 || re.Max > maxRepeat {
		return part + "{" + strconv.Itoa(min(re.Min, maxRepeat)) + ",}"
	}
	return part + "{" + strconv.Itoa(re.Min) + "," + strconv.Itoa(re.Max) + "}"
}

// anchors reports whether something holds a "^" or "$", which not every grep
// repeats in the same way.
func anchors(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpEndLine, syntax.OpEndText:
		return true
	}
	return slices.ContainsFunc(re.Sub, anchors)
}

// literal is one character, or all that are the same but for their case.
func literal(r rune, fold bool) string {
	if !fold {
		return escaped(r)
	}
	all := []string{escaped(r)}
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		all = append(all, escaped(o))
	}
	if len(all) == 1 {
		return all[0]
	}
	slices.Sort(all)
	return "(" + strings.Join(all, "|") + ")"
}

func escaped(r rune) string {
	switch {
	case r == unicode.ReplacementChar: // RE2 takes it for any byte that is no text
		return anyRune
	case strings.ContainsRune(`\.[(){*+?|^$`, r):
		return `\` + string(r)
	case r == 0 || r == '\n':
		return anyRune
	}
	return string(r)
}

// class is a class of characters, given as pairs of first and last.
func class(pairs []rune) string {
	var set [unicode.MaxASCII + 1]bool
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] > unicode.MaxASCII {
			return anyRune
		}
		for r := pairs[i]; r <= pairs[i+1]; r++ {
			set[r] = true
		}
	}
	set[0], set['\n'] = false, false
	var plain []rune // in the order of their codes, which is that of the C locale
	special := ""
	for r := rune(1); r <= unicode.MaxASCII; r++ {
		switch {
		case !set[r]:
		case strings.ContainsRune(`]^-[\`, r):
			special += string(r)
		default:
			plain = append(plain, r)
		}
	}
	switch {
	case len(plain) > 0:
		return brackets(plain, special)
	case special == "":
		return anyRune
	}
	var all []string
	for _, r := range special {
		all = append(all, escaped(r))
	}
	return group(strings.Join(all, "|"))
}

// brackets is the expression of a class. What is special there stands where it means itself.
func brackets(plain []rune, special string) string {
	var b strings.Builder
	b.WriteByte('[')
	if strings.Contains(special, "]") {
		b.WriteByte(']')
	}
	for i := 0; i < len(plain); {
		n := i
		for n+1 < len(plain) && plain[n+1] == plain[n]+1 {
			n++
		}
		b.WriteRune(plain[i])
		if n-i > 1 {
			b.WriteByte('-')
		}
		if n > i {
			b.WriteRune(plain[n])
		}
		i = n + 1
	}
	for _, r := range `\[^-` {
		if strings.ContainsRune(special, r) {
			b.WriteRune(r)
		}
	}
	b.WriteByte(']')
	return b.String()
}
