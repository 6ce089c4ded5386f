package redact

import (
	_ "embed" // the kinds
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

//go:embed kinds.toml
var kindsText string

// kind is one entry of kinds.toml; the meaning of its fields stands there.
type kind struct {
	Name     string            `toml:"name"`
	At       string            `toml:"at"`
	Words    []string          `toml:"words"`
	Patterns []string          `toml:"patterns"`
	Each     map[string]string `toml:"each"` // patterns that have a word each
	Check    string            `toml:"check"`
	Found    []string          `toml:"found"`
	Plain    []string          `toml:"plain"`
}

// rule is one pattern of a kind.
type rule struct {
	kind    string
	at      place
	pattern *regexp.Regexp
	check   func(find) bool
	secrets []int // the groups that are the secret; empty means all of the match
	named   map[string]int
}

// place says where in a line a pattern is tried.
type place uint8

const (
	anywhere  place = iota
	atStart         // where a word begins, and no letter or digit stands before it
	afterWord       // where a word ends
)

var places = map[string]place{"": anywhere, "start": atStart, "after": afterWord}

// Pattern is a kind that the operator adds: whatever matches is a secret, or
// only what the groups of the expression match, if it has any.
type Pattern struct {
	Name string
	Expr string // RE2; a match stays within a line
}

// Detector knows what secrets look like. It never changes, and is safe for
// concurrent use.
type Detector struct {
	kinds []string
	rules []rule
	words *words
	own   []int // rules that have no words: the operator's
}

// NewDetector makes a detector of the built-in kinds and the operator's
// patterns. The error names the pattern that is no regular expression.
func NewDetector(own ...Pattern) (*Detector, error) {
	kinds, err := readKinds()
	if err != nil {
		return nil, err
	}
	d := &Detector{kinds: []string{blockKind}}
	var index wordIndex
	for _, k := range kinds {
		d.kinds = append(d.kinds, k.Name)
		for _, p := range k.Patterns {
			if err := d.add(&index, k, k.Words, p); err != nil {
				return nil, err
			}
		}
		for word, p := range k.Each {
			if err := d.add(&index, k, []string{word}, p); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range own {
		r, err := newRule(kind{Name: p.Name, Check: "own"}, p.Expr)
		if err != nil {
			return nil, err
		}
		d.own = append(d.own, len(d.rules))
		d.rules = append(d.rules, r)
		d.kinds = append(d.kinds, p.Name)
	}
	for _, w := range blockWords {
		index.add(w, blockRule)
	}
	index.add("\x1b", escapeRule)
	d.words = index.build()
	return d, nil
}

// Kinds are the names of all kinds, the built-in ones first.
func (d *Detector) Kinds() []string { return append([]string(nil), d.kinds...) }

func (d *Detector) add(index *wordIndex, k kind, words []string, pattern string) error {
	r, err := newRule(k, pattern)
	if err != nil {
		return err
	}
	for _, w := range words {
		index.add(w, len(d.rules))
	}
	d.rules = append(d.rules, r)
	return nil
}

func newRule(k kind, pattern string) (rule, error) {
	at, ok := places[k.At]
	if !ok {
		return rule{}, fmt.Errorf("redact: %q is tried at the unknown place %q", k.Name, k.At)
	}
	if at != anywhere {
		pattern = "^(?:" + pattern + ")"
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return rule{}, fmt.Errorf("redact: pattern %q of %q: %w", pattern, k.Name, err)
	}
	check, ok := checks[k.Check]
	if !ok {
		return rule{}, fmt.Errorf("redact: %q has the unknown check %q", k.Name, k.Check)
	}
	r := rule{kind: k.Name, at: at, pattern: re, check: check, named: map[string]int{}}
	for i, name := range re.SubexpNames() {
		switch {
		case i == 0:
		case name == "" || k.Check == "own":
			r.secrets = append(r.secrets, i)
		default:
			r.named[name] = i
		}
	}
	return r, nil
}

var readKinds = sync.OnceValues(func() ([]kind, error) {
	var file struct {
		Kind []kind `toml:"kind"`
	}
	if err := toml.NewDecoder(strings.NewReader(kindsText)).DisallowUnknownFields().Decode(&file); err != nil {
		return nil, fmt.Errorf("redact: kinds.toml: %w", err)
	}
	return file.Kind, nil
})
