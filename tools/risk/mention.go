package risk

import (
	"regexp"
	"strings"
	"sync"
)

// What is not understood may still read the files that it names: a program without a
// table, an option that is not known, a text in another language.

// pathIn finds what looks like a path in a text.
var pathIn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^A-Za-z0-9_.])((?:~[a-z]*|\.{1,2})?/[A-Za-z0-9_.~*?@+/-]+)`)
})

// maxMentions bounds how many paths of one command are looked at.
const maxMentions = 12

// mentions marks secrets that the arguments of something not understood name, as a
// word or within one: FILE, @FILE, --option=FILE, file:///FILE, open("FILE").
func (a *assessor) mentions(args []word) {
	left := maxMentions
	for _, w := range args {
		if left <= 0 {
			return
		}
		text := w.text[:min(len(w.text), maxWord)]
		if strings.ContainsAny(text, "./~") || strings.Contains(text, "_") || len(a.scope.cwds) > 0 {
			left--
			if a.secretPath(w, strings.TrimLeft(text[strings.IndexByte(text, '=')+1:], "@<")) {
				continue
			}
		}
		if strings.IndexByte(text, '/') < 0 {
			continue
		}
		for _, found := range pathIn().FindAllStringSubmatch(text, maxMentions) {
			if left--; left < 0 || a.secretPath(w, found[1]) {
				break
			}
		}
	}
}

// secretPath notes a path if it holds, or may hold, secrets.
func (a *assessor) secretPath(w word, path string) bool {
	if path == "" || strings.ContainsAny(path, " \t\n") {
		return false
	}
	if p := placeOf(path, ""); loose(path) && (strings.HasPrefix(path, "/dev/") || p.relative || !p.nearlyLiteral()) {
		return false
	}
	c := a.class(path, "", false)
	for _, cwd := range a.scope.cwds {
		if placeOf(path, "").relative {
			c |= a.class(path, cwd, false)
		}
	}
	if c&classSecret == 0 {
		return false
	}
	a.note(Observe, Secret, "path.mentioned", "names "+shown(path)+", which holds or may hold secrets", w)
	return true
}

// nearlyLiteral reports whether a place has no unknown part but in its last name.
func (p place) nearlyLiteral() bool {
	for i, part := range p.parts {
		if loose(part) && (i < len(p.parts)-1 || strings.Trim(part, "*?\x00\x01") == "") {
			return false
		}
	}
	return true
}
