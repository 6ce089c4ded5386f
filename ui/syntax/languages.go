package syntax

import (
	_ "embed" // the languages
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

//go:embed languages.toml
var source string

// Language is how a language is written.
type Language struct {
	Names    []string    // by which a block of code calls it
	Comments []string    // what begins a comment up to the end of the line
	Block    [][2]string // what begins and ends one
	Strings  []string    // what begins and ends a string within a line
	Long     []string    // ... or over several
	Literal  []string    // of those, in which a backslash means nothing
	Keywords string      // the words of the language
	Known    string      // what it brings: commands, types, values
	Sigil    string      // what variables begin with
	Letters  string      // what else is in a word, besides letters, digits and _
	Keys     string      // what follows the name of a value: ":" or "="
	AnyCase  bool        // words are the same in capitals

	diff  bool
	kinds map[string]Kind
}

// languages are all of them, by each of their names.
var languages = sync.OnceValue(func() map[string]*Language {
	var all map[string]*Language
	d := toml.NewDecoder(strings.NewReader(source)).DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		panic(fmt.Sprintf("syntax: languages.toml: %v", err)) // it is built in, and tested
	}
	byName := map[string]*Language{}
	for name, l := range all {
		l.diff = name == "diff"
		l.kinds = map[string]Kind{}
		for _, w := range strings.Fields(l.Known) {
			l.kinds[w] = Name
		}
		for _, w := range strings.Fields(l.Keywords) {
			l.kinds[w] = Keyword
		}
		for _, n := range append(l.Names, name) {
			byName[n] = l
		}
	}
	return byName
})

// Of is the language with a name, as what stands behind the fence of a block of code
// says: its first word counts. It is nil if the language is not known.
func Of(info string) *Language {
	words := strings.FieldsFunc(strings.ToLower(info), func(r rune) bool { return strings.ContainsRune(" \t{,:", r) })
	if len(words) == 0 {
		return nil
	}
	return languages()[strings.TrimPrefix(words[0], ".")]
}

// literal reports whether a backslash means nothing within a string.
func (l *Language) literal(mark string) bool { return slices.Contains(l.Literal, mark) }

// kindOf is what a word is, with what follows it in its line.
func (l *Language) kindOf(word, rest string) Kind {
	if l.Keys != "" {
		if next := strings.TrimLeft(rest, " \t\"'"); next != "" && strings.Contains(l.Keys, next[:1]) {
			return Name
		}
	}
	if l.AnyCase {
		word = strings.ToLower(word)
	}
	return l.kinds[word]
}
