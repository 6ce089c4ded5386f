package policy

import (
	_ "embed"
	"path"
	"strings"
	"sync"
)

//go:embed secrets.txt
var secretsText string

// secretPattern is one line of secrets.txt.
type secretPattern struct {
	glob
	text   string // as package confine takes it
	except bool
	sample string // a path that it matches
	full   bool   // for the path and not only for the name
	must   string // in small letters: part of every path that it matches
}

var secretPatterns = sync.OnceValue(func() []secretPattern {
	var all []secretPattern
	for line := range strings.Lines(secretsText) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		text, except := strings.CutPrefix(line, "!")
		p := secretPattern{except: except, full: strings.Contains(text, "/")}
		p.sample = strings.NewReplacer("**", "x", "*", "x").Replace(text)
		p.must = longestPart(text)
		if p.full && !path.IsAbs(text) {
			text = "**/" + text
		}
		g, err := newGlob(text, true)
		if err != nil {
			panic("policy: secrets.txt: " + err.Error()) // a test reads it, too
		}
		p.glob, p.text = g, text
		all = append(all, p)
	}
	return all
})

// longestPart is the longest text that a pattern spells out.
func longestPart(pattern string) string {
	longest := ""
	for part := range strings.SplitSeq(strings.ReplaceAll(pattern, "**/", "*"), "*") {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return folded(longest)
}

// folded is a text in small letters, where patterns take one for the other. Two
// letters beyond ASCII fold to some within it: the Kelvin sign and the long s.
func folded(text string) string {
	return strings.ReplaceAll(strings.ToLower(text), "ſ", "s")
}

// longestName is the length of the longest name among the samples.
var longestName = sync.OnceValue(func() int {
	longest := 0
	for _, s := range secretPatterns() {
		longest = max(longest, len(path.Base(s.sample)))
	}
	return longest
})

// secret reports whether a clean path names a file that holds secrets. A script
// has a thousand words, some of them long, and few of them need the patterns
// themselves.
func secret(p string) bool {
	is := false
	small := folded(p)
	base, smallBase := path.Base(p), path.Base(small)
	for _, s := range secretPatterns() {
		name, smallName := p, small
		if !s.full {
			name, smallName = base, smallBase
		}
		if strings.Contains(smallName, s.must) && s.match(name) {
			is = !s.except
		}
	}
	return is
}

// longestWild is how many bytes a name with wildcards has at most that is compared.
const longestWild = 255

// secretWild reports whether a word with wildcards could stand for such a file.
// sure is set if the word spells out some of the file's name, so that it is
// hardly there for anything else.
func secretWild(word string) (could, sure bool) {
	if least(path.Base(word)) > longestName() {
		return false, false
	}
	if len(path.Base(word)) > longestWild || len(word) > 4*longestWild {
		return true, false // it takes long to compare, and spells out too much for a name
	}
	g, err := newGlob(path.Base(word), true)
	if err != nil {
		return true, false
	}
	dir, err := newGlob(path.Dir(word), true)
	if err != nil {
		return true, false
	}
	spelled := strings.Trim(path.Base(word), "*?") != ""
	for _, s := range secretPatterns() {
		if s.except || !g.match(path.Base(s.sample)) || hidden(s.sample, word) {
			continue
		}
		if !s.full {
			if spelled && !secretException(word) {
				return true, true
			}
			continue
		}
		within := path.Dir(s.sample)
		if dir.match(within) || strings.HasSuffix(path.Dir(word), "/"+within) || path.Dir(word) == within {
			return true, spelled
		}
	}
	return could, sure
}

// hidden reports whether a shell would not let the word's wildcard stand for
// the dot that the sample's name starts with.
func hidden(sample, word string) bool {
	return strings.HasPrefix(path.Base(sample), ".") && strings.ContainsAny(path.Base(word)[:1], "*?[")
}

// secretException reports whether the whole pattern falls under an exception,
// such as /etc/ssl/certs/*.pem.
func secretException(word string) bool {
	for _, s := range secretPatterns() {
		if s.except && s.full && s.match(word) {
			return true
		}
	}
	return false
}
