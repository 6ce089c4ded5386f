package risk

import (
	"strings"
	"sync"
)

// Vocabulary reports whether a word is the name of a program, of a sub-command
// or of an option that the data files know. Such a word says nothing about where
// it came from.
func Vocabulary(word string) bool { return vocabulary()[word] }

var vocabulary = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	var add func(name string, s *spec)
	add = func(name string, s *spec) {
		words[strings.ToLower(name)] = true
		for option := range s.options {
			if len(option) > 2 {
				words[strings.ToLower(strings.TrimLeft(option, "-+"))] = true
			}
		}
		for sub, inner := range s.subs {
			add(sub, inner)
		}
	}
	for name := range programs().stanzas {
		add(name, specOf(name))
	}
	for name := range specials {
		words[name] = true
	}
	return words
})
