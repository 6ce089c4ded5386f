package redact

import (
	"bytes"
	"regexp"
	"sync"
)

// A secret may stand in the line after the one that names it: between the tags
// of an element, or in a command that goes on in the next line.

// maxCarry bounds the lines that are looked at again with the next one.
const maxCarry = 1 << 10

var (
	// openElement is a line's end: the first tag of an element that is named for a secret.
	openElement = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)<[a-z0-9_:.-]*(?:access|auth|api|credential|creds|key|passw|secret|token)[a-z0-9_:.-]*>[ \t]*$`)
	})
	// openCommand is a line with a command that may name a secret, and goes on.
	openCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bcurl\b.*$`) })
)

// carries is what of a line, behind what was carried to it, is looked at with the next one.
func (s *scan) carries(before, line []byte) []byte {
	line = bytes.TrimRight(line, " \t")
	goesOn := bytes.HasSuffix(line, []byte("\\"))
	switch {
	case len(before)+len(line) > maxCarry:
		return before[:0]
	case goesOn && len(before) > 0:
		return append(append(before, line...), '\n')
	case goesOn && s.words:
		if at := openCommand().FindIndex(line); at != nil {
			return append(append(before[:0], line[at[0]:]...), '\n')
		}
	case s.words && openElement().Match(line):
		return append(append(before[:0], openElement().Find(line)...), '\n')
	}
	return before[:0]
}

// lookBehind finds the secrets of a line, and those that can only be told with
// what was carried to it.
func (s *scan) lookBehind(carry, line []byte, known *needles) []span {
	if len(carry) == 0 {
		return s.look(line, known, false)
	}
	joined := append(bytes.Clone(carry), line...)
	var more []span
	for _, x := range s.look(joined, nil, false) {
		if x.end > len(carry) {
			more = append(more, span{max(x.start, len(carry)) - len(carry), x.end - len(carry), x.kind})
		}
	}
	s.look(line, known, false)
	s.at = nil // the spans are offsets of the line already
	s.spans = append(s.spans, more...)
	s.settle()
	return s.spans
}
