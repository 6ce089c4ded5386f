package redact

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"sync"
)

// allowed is what a find may be without being a secret: the lists that come
// with the rules of others.
type allowed struct {
	Target   string   `toml:"target"`   // what the patterns are for: "match", "line", or the secret
	Patterns []string `toml:"patterns"` // RE2
	Words    []string `toml:"words"`    // in the secret; in lower case

	compile  sync.Once
	patterns *regexp.Regexp
	words    *words
}

// maxAround bounds what of a line is looked at around a find, so that a long
// line with many finds takes time in proportion to its length.
const maxAround = 256

// has reports whether a find is in the list.
func (a *allowed) has(f find) bool {
	a.compile.Do(func() {
		if len(a.Patterns) > 0 {
			a.patterns = regexp.MustCompile("(?:" + strings.Join(a.Patterns, ")|(?:") + ")")
		}
		if len(a.Words) > 0 {
			var index wordIndex
			for _, w := range a.Words {
				index.add(w, 0, true)
			}
			a.words = index.build()
		}
	})
	if a.words != nil && a.words.in(f.value()) {
		return true
	}
	if a.patterns == nil {
		return false
	}
	switch a.Target {
	case "match":
		return a.patterns.Match(f.line[f.groups[0]:f.groups[1]])
	case "line":
		start := max(0, f.start-maxAround)
		start += bytes.LastIndexByte(f.line[start:f.start], '\n') + 1
		return a.patterns.Match(f.line[start:min(len(f.line), f.end+maxAround)])
	}
	return a.patterns.Match(f.value())
}

// isRandom is for the rules of others: the secret is as random as its rule
// wants it, and in none of its lists.
func isRandom(f find) bool {
	if isPlaceholder(f.value()) || bytes.HasSuffix(f.value(), []byte("...")) || entropy(f.value()) <= f.rule.entropy && f.rule.entropy > 0 {
		return false
	}
	if f.rule.at == afterWord {
		key, _ := f.named("key") // up to the word
		if cursor(key) || isNoise(f.line[f.groups[0]:f.start]) {
			return false
		}
	}
	for _, a := range f.rule.allow {
		if a.has(f) {
			return false
		}
	}
	return true
}

// isNoise reports whether a name is none, but random text with a word in it.
func isNoise(name []byte) bool {
	for part := range bytes.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune("_.- \t\"'=:>,", r) }) {
		if len(part) >= 20 && hasDigit(part) && hasUpper(part) && hasLower(part) {
			return true
		}
	}
	return false
}

// entropy is Shannon's, in bits a byte.
func entropy(v []byte) float64 {
	var count [256]int
	for _, b := range v {
		count[b]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(v))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
