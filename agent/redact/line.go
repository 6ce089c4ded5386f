package redact

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// span is a part of a line that is a secret.
type span struct {
	start, end int
	kind       string
}

// met is a rule, and where the first of its words stands in a line.
type met struct{ rule, at int }

// scan is what one line is looked at with; it is reused from line to line.
type scan struct {
	d     *Detector
	rules []met  // the rules for the whole line whose words stand in it
	block int    // where the word of a block stands; -1 if none does
	text  []byte // the line without what only colours it
	at    []int  // by offset in text: where that is in the line; nil if they are the same
	spans []span
	words bool // whether a word of any rule stands in the line
}

// look finds the secrets of a line without its end, in order and apart from each
// other. The result is good until the next call. all leaves out the checks, so
// that what may become a secret counts as one.
func (s *scan) look(line []byte, known *needles, all bool) []span {
	s.spans, s.rules = s.spans[:0], s.rules[:0]
	s.text, s.at, s.block, s.words = line, nil, -1, false
	if bytes.IndexByte(line, escape) >= 0 {
		s.bare(line)
	}
	s.meet(all)
	if s.block >= 0 {
		s.inline()
	}
	slices.SortFunc(s.rules, func(a, b met) int {
		return cmp.Or(a.rule-b.rule, a.at-b.at)
	})
	for i, m := range s.rules {
		if i == 0 || m.rule != s.rules[i-1].rule {
			s.apply(builtIn().rules[m.rule], m.at, all)
		}
	}
	for _, r := range s.d.own {
		s.apply(r, 0, all)
	}
	if known != nil {
		s.spans = known.find(s.text, s.spans)
	}
	s.settle()
	return s.spans
}

// meet tries the rules whose words stand in the text where they stand, and notes
// those that are for the whole line.
func (s *scan) meet(all bool) {
	set, state := builtIn(), uint16(0)
	w := set.words
	for i, b := range s.text {
		state = w.step(state, b)
		found := w.found[state]
		if found == 0 {
			continue
		}
		for _, m := range w.sets[found] {
			start := i + 1 - len(m.word)
			s.words = s.words || m.rule != escapeRule
			switch {
			case m.rule == blockRule:
				if s.block < 0 {
					s.block = start
				}
			case m.rule < 0 || !m.exact(s.text[start:i+1]) || bytes.HasSuffix(s.text[:start], []byte("⟦")):
				// The last is a placeholder's own word.
			case set.rules[m.rule].at == anywhere:
				s.rules = append(s.rules, met{m.rule, start})
			case set.rules[m.rule].at == afterWord:
				s.after(set.rules[m.rule], s.keyStart(start), i+1, all)
			case start == 0 || !isWord(s.text[start-1]):
				s.try(set.rules[m.rule], start, start, all)
			}
		}
	}
}

// keyStart is where the key begins whose last part begins at a place.
func (s *scan) keyStart(at int) int {
	for least := max(0, at-maxAround); at > least && (isWord(s.text[at-1]) || s.text[at-1] == '-' || s.text[at-1] == '.'); {
		at--
	}
	return at
}

// after tries a rule behind its word.
func (s *scan) after(r *rule, from, at int, all bool) {
	if !r.assigns || operates(s.text[at:]) {
		s.try(r, from, at, all)
	}
}

// operates reports whether the rest of a name and an operator stand there. Few
// words are followed by one, and this is much faster than an expression.
func operates(p []byte) bool {
	i := 0
	for i < len(p) && i < 24 && (isWord(p[i]) || strings.IndexByte(" \t.-'\"\\]`\r\n", p[i]) >= 0) {
		i++
	}
	return i < len(p) && strings.IndexByte("=>:|?,", p[i]) >= 0
}

// try adds what a rule finds at one place. from is where the find begins.
func (s *scan) try(r *rule, from, at int, all bool) {
	groups := r.match().FindSubmatchIndex(s.text[at:])
	if groups == nil {
		return
	}
	for i := range groups {
		if groups[i] >= 0 {
			groups[i] += at
		}
	}
	groups[0] = from
	s.take(r, groups, at, all)
}

// apply adds what a rule finds anywhere. What of a secret stands before the
// first of the rule's words may have been given out already, and stays.
func (s *scan) apply(r *rule, word int, all bool) {
	for _, groups := range r.match().FindAllSubmatchIndex(s.text, -1) {
		before := len(s.spans)
		s.take(r, groups, groups[0], all)
		if len(s.spans) == before {
			continue
		}
		if x := &s.spans[before]; x.end <= word {
			s.spans = s.spans[:before]
		} else {
			x.start = max(x.start, word)
		}
	}
}

// take adds a match if it holds a secret.
func (s *scan) take(r *rule, groups []int, at int, all bool) {
	start, end := secretOf(r, groups)
	if start >= end {
		return
	}
	f := find{rule: r, line: s.text, groups: groups, at: at, start: start, end: end}
	if all || r.check(f) {
		s.spans = append(s.spans, span{start, end, r.kind})
	}
}

// secretOf is where the secret of a match stands.
func secretOf(r *rule, groups []int) (start, end int) {
	if len(r.secrets) == 0 {
		return groups[0], groups[1]
	}
	for _, g := range r.secrets {
		if groups[2*g] >= 0 {
			return groups[2*g], groups[2*g+1]
		}
	}
	return 0, 0
}

// settle sorts the spans, makes one of those that overlap, and translates them
// into offsets of the line.
func (s *scan) settle() {
	if len(s.spans) == 0 {
		return
	}
	slices.SortStableFunc(s.spans, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	kept := s.spans[:1]
	for _, next := range s.spans[1:] {
		if last := &kept[len(kept)-1]; next.start < last.end {
			last.end = max(last.end, next.end)
		} else {
			kept = append(kept, next)
		}
	}
	s.spans = kept
	if s.at == nil {
		return
	}
	for i := range s.spans {
		s.spans[i].start = s.at[s.spans[i].start]
		s.spans[i].end = s.at[s.spans[i].end-1] + 1
	}
}

const escape = 0x1b

// bare makes the text: the line without the sequences that only colour it, or
// that edit within it.
func (s *scan) bare(line []byte) {
	s.text, s.at = make([]byte, 0, len(line)), make([]int, 0, len(line)+1)
	for i := 0; i < len(line); {
		if line[i] == escape {
			if n, _ := sequence(line[i:]); n > 0 {
				i += n
				continue
			}
		}
		s.text, s.at = append(s.text, line[i]), append(s.at, i)
		i++
	}
}

// maxSequence bounds an escape sequence; what is longer is none.
const maxSequence = 64

// sequence measures the escape sequence that p begins with, in bytes; 0 means
// that p is too short to tell. parts says that what follows it does not stand
// next to what came before: the cursor has moved, or a title begins.
func sequence(p []byte) (n int, parts bool) {
	if len(p) < 2 {
		return 0, false
	}
	switch p[1] {
	case '[':
		for i := 2; i < len(p) && i < maxSequence; i++ {
			switch b := p[i]; {
			case b >= 0x40 && b <= 0x7e:
				return i + 1, bytes.IndexByte([]byte("mKCDGX@PhlnqtcU"), b) < 0
			case b < 0x20 || b > 0x7e:
				return i, true
			}
		}
		if len(p) >= maxSequence {
			return 2, true
		}
		return 0, false
	case '(', ')', '*', '+', '#', '%', ' ':
		if len(p) < 3 {
			return 0, false
		}
		return 3, false
	case '=', '>':
		return 2, false
	case '\n', '\r', 0, '\a', escape:
		return 1, true
	}
	return 2, true
}
