package main

import (
	"regexp/syntax"
	"strings"
)

// beginnings are the words with which all matches of a pattern begin, in the
// letter case that the pattern wants; nil if there are none. start says that no
// letter or digit stands before them.
func beginnings(pattern string, words []string) (exact []string, start bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, false
	}
	all, _ := literals(re)
	seen := map[string]bool{}
	for _, text := range all {
		word := ""
		for _, w := range words {
			if len(w) <= len(text) && strings.EqualFold(w, text[:len(w)]) {
				word = text[:len(w)]
				break
			}
		}
		if word == "" {
			return nil, false
		}
		if !seen[word] {
			seen[word] = true
			exact = append(exact, word)
		}
	}
	pattern = strings.TrimPrefix(pattern, "(?i)")
	return exact, strings.HasPrefix(pattern, `\b`) && re.Op != syntax.OpAlternate
}

// literals are the texts that a match begins with. What is without regard to
// letter case is in lower case. whole says that there is nothing else.
func literals(re *syntax.Regexp) (all []string, whole bool) {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 {
			text = strings.ToLower(text)
		}
		return []string{text}, true
	case syntax.OpWordBoundary, syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpCapture:
		return literals(re.Sub[0])
	case syntax.OpAlternate:
		whole = true
		for _, sub := range re.Sub {
			texts, w := literals(sub)
			all, whole = append(all, texts...), whole && w
		}
		return all, whole
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] != re.Rune[i+1] || len(re.Rune) > 12 {
				return []string{""}, false
			}
			all = append(all, string(re.Rune[i]))
		}
		return all, true
	case syntax.OpConcat:
		all, whole = []string{""}, true
		for _, sub := range re.Sub {
			texts, w := literals(sub)
			if len(all)*len(texts) > 32 {
				return all, false
			}
			var longer []string
			for _, a := range all {
				for _, t := range texts {
					longer = append(longer, a+t)
				}
			}
			all = longer
			if !w {
				return all, false
			}
		}
		return all, whole
	}
	return []string{""}, false
}
