package redact

import (
	"slices"
	"strings"
)

// words finds the words of all kinds in one pass: the automaton of Aho and
// Corasick, with all its steps filled in. Letter case does not matter.
type words struct {
	class [256]uint8 // bytes that occur in no word share class 0
	width int        // classes
	next  []uint16   // by state*width+class
	found []uint16   // by state: index into sets; 0 if no word ends here
	sets  [][]match
	named []bool  // by set: whether there is more in it than escapeRule
	depth []uint8 // by state: how much is there of a word that a secret may begin with
}

// match is a word that ends in a state.
type match struct {
	rule int
	word string
}

// exact reports whether the word's capital letters are as they must be.
func (m match) exact(text []byte) bool {
	return m.word == strings.ToLower(m.word) || m.word == string(text)
}

// escapeRule marks the byte that begins an escape sequence, so that lines that
// have one are looked at.
const escapeRule = -2

// step is the state after one byte more.
func (w *words) step(state uint16, b byte) uint16 {
	return w.next[int(state)*w.width+int(w.class[b])]
}

// in reports whether any of the words stands in a text.
func (w *words) in(text []byte) bool {
	state := uint16(0)
	for _, b := range text {
		if state = w.step(state, b); w.found[state] != 0 {
			return true
		}
	}
	return false
}

// wordIndex collects words.
type wordIndex struct {
	list []string
	rule []int
	name []bool // the secret begins behind the word
}

func (x *wordIndex) add(word string, rule int, name bool) {
	x.list = append(x.list, word)
	x.rule = append(x.rule, rule)
	x.name = append(x.name, name)
}

func (x *wordIndex) build() *words {
	w := &words{width: 1, found: []uint16{0}, sets: [][]match{nil}, depth: []uint8{0}}
	for _, word := range x.list {
		for i := range len(word) {
			if b := lower(word[i]); w.class[b] == 0 {
				w.class[b] = uint8(w.width)
				w.width++
			}
		}
	}
	for b := byte('A'); b <= 'Z'; b++ {
		w.class[b] = w.class[lower(b)]
	}
	ends := map[uint16][]match{}
	w.next = make([]uint16, w.width)
	for i, word := range x.list {
		state := uint16(0)
		for j := range len(word) {
			at := int(state)*w.width + int(w.class[lower(word[j])])
			if w.next[at] == 0 {
				w.next[at] = uint16(len(w.found))
				w.next = append(w.next, make([]uint16, w.width)...)
				w.found = append(w.found, 0)
				w.depth = append(w.depth, 0)
			}
			state = w.next[at]
			if !x.name[i] {
				w.depth[state] = uint8(j + 1)
			}
		}
		ends[state] = append(ends[state], match{x.rule[i], word})
	}
	w.fill(ends)
	for _, set := range w.sets {
		w.named = append(w.named, slices.ContainsFunc(set, func(m match) bool { return m.rule != escapeRule }))
	}
	return w
}

// fill gives each state the steps of the longest other beginning of a word that
// it ends with, and that one's words.
func (w *words) fill(ends map[uint16][]match) {
	back := make([]uint16, len(w.found))
	var queue []uint16
	for c := range w.width {
		if s := w.next[c]; s != 0 {
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		if w.depth[state] == 0 {
			w.depth[state] = w.depth[back[state]]
		}
		set := append(ends[state], w.sets[w.found[back[state]]]...)
		if len(set) > 0 {
			w.found[state] = uint16(len(w.sets))
			w.sets = append(w.sets, set)
		}
		for c := range w.width {
			at, other := int(state)*w.width+c, w.next[int(back[state])*w.width+c]
			if w.next[at] == 0 {
				w.next[at] = other
				continue
			}
			back[w.next[at]] = other
			queue = append(queue, w.next[at])
		}
	}
}

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
