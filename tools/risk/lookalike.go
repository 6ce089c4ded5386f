package risk

import (
	"unicode"
)

// foreignHost notes a host whose name has other characters than ASCII: the name that
// is resolved is another one than that which is read.
func (a *assessor) foreignHost(host string, w word) bool {
	for i := range len(host) {
		if host[i] >= 0x80 {
			a.note(Observe, Opaque, "host.lookalike", "the host's name "+shown(host)+" holds characters that only look familiar", w)
			return true
		}
	}
	return false
}

// mixedNames notes words in which Latin letters and those of another script stand in
// one name: nobody reads what they say.
func (a *assessor) mixedNames(words []word) {
	for _, w := range words {
		if w.known() && mixed(w.text) {
			a.note(Observe, Opaque, "name.lookalike", shown(w.text)+" mixes letters of several scripts, which only look familiar", w)
		}
	}
}

// mixed reports whether Latin letters and letters of another script follow each other
// in text, with nothing but digits and marks between them. Scripts that have no
// letters like Latin ones, and are written together with them, do not count.
func mixed(text string) bool {
	latin, other := false, false
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Latin):
			latin = true
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Thai):
			latin, other = false, false
		case unicode.IsLetter(r):
			other = true
		case !unicode.IsDigit(r) && !unicode.IsMark(r):
			latin, other = false, false
		}
		if latin && other {
			return true
		}
	}
	return false
}
