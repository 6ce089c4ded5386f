package redact

import (
	_ "embed" // the kinds
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

//go:embed kinds.toml
var kindsText string

//go:embed gitleaks.toml
var gitleaksText string

// kindFile is a file of kinds.
type kindFile struct {
	Allow []allowed `toml:"allow"` // for all kinds of the file whose check is "entropy"
	Kind  []kind    `toml:"kind"`
}

// kind is one entry of a file; the meaning of its fields stands in kinds.toml.
type kind struct {
	Name     string            `toml:"name"`
	At       string            `toml:"at"`
	Words    []string          `toml:"words"`
	Patterns []string          `toml:"patterns"`
	Each     map[string]string `toml:"each"` // patterns that have a word each
	Check    string            `toml:"check"`
	Entropy  float64           `toml:"entropy"`
	Group    int               `toml:"group"`
	Allow    []allowed         `toml:"allow"`
	Found    []string          `toml:"found"`
	Plain    []string          `toml:"plain"`
}

// rule is one pattern of a kind. It is compiled when it is first tried: most
// never are.
type rule struct {
	kind    string
	at      place
	expr    string
	check   func(find) bool
	assigns bool // the pattern begins with what a name may end with, and an operator
	entropy float64
	group   int        // the group that is the secret; 0 means the first that took part
	allow   []*allowed // what a find must not be

	compile sync.Once
	pattern *regexp.Regexp
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
	own []*rule // the operator's, which have no words
}

// ruleSet is the built-in kinds, read when they are first needed.
type ruleSet struct {
	kinds []string
	rules []*rule
	words *words
}

// NewDetector makes a detector of the built-in kinds and the operator's
// patterns. It takes microseconds; the first text takes some milliseconds more. The error names the pattern that is no regular expression.
func NewDetector(own ...Pattern) (*Detector, error) {
	d := &Detector{}
	for _, p := range own {
		if _, err := regexp.Compile(p.Expr); err != nil {
			return nil, fmt.Errorf("redact: pattern %q of %q: %w", p.Expr, p.Name, err)
		}
		r, err := newRule(kind{Name: p.Name, Check: "own"}, p.Expr)
		if err != nil {
			return nil, err
		}
		d.own = append(d.own, r)
	}
	return d, nil
}

// Kinds are the names of all kinds, the built-in ones first.
func (d *Detector) Kinds() []string {
	names := slices.Clone(builtIn().kinds)
	for _, r := range d.own {
		names = append(names, r.kind)
	}
	return names
}

// builtIn makes the rules of all files when the first text comes, so that a
// start costs nothing. A fault in a file is a panic, which no test survives.
var builtIn = sync.OnceValue(func() *ruleSet {
	set, err := newRuleSet()
	if err != nil {
		panic(err)
	}
	return set
})

func newRuleSet() (*ruleSet, error) {
	files, err := readKinds()
	if err != nil {
		return nil, err
	}
	set := &ruleSet{kinds: []string{blockKind}}
	var index wordIndex
	for i := range files {
		for _, k := range files[i].Kind {
			if k.Check == "entropy" {
				k.Allow = append(k.Allow, files[i].Allow...)
			}
			set.kinds = append(set.kinds, k.Name)
			for _, p := range k.Patterns {
				if err := set.add(&index, k, k.Words, p); err != nil {
					return nil, err
				}
			}
			for word, p := range k.Each {
				if err := set.add(&index, k, []string{word}, p); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, w := range blockWords {
		index.add(w, blockRule, true)
	}
	index.add("\x1b", escapeRule, false)
	set.words = index.build()
	return set, nil
}

func (set *ruleSet) add(index *wordIndex, k kind, words []string, pattern string) error {
	r, err := newRule(k, pattern)
	if err != nil {
		return err
	}
	for _, w := range words {
		index.add(w, len(set.rules), r.at == afterWord || w[0] == ' ') // no secret begins with a blank
	}
	set.rules = append(set.rules, r)
	return nil
}

func newRule(k kind, pattern string) (*rule, error) {
	at, ok := places[k.At]
	if !ok {
		return nil, fmt.Errorf("redact: %q is tried at the unknown place %q", k.Name, k.At)
	}
	check, ok := checks[k.Check]
	if !ok {
		return nil, fmt.Errorf("redact: %q has the unknown check %q", k.Name, k.Check)
	}
	if at != anywhere {
		pattern = "^(?:" + pattern + ")"
	}
	r := &rule{kind: k.Name, at: at, expr: pattern, check: check, entropy: k.Entropy, group: k.Group,
		assigns: at == afterWord && (k.Check == "entropy" || k.Check == "password" || k.Check == "token")}
	for i := range k.Allow {
		r.allow = append(r.allow, &k.Allow[i])
	}
	if k.Check == "own" {
		r.group = -1 // named groups are no different
	}
	return r, nil
}

// match is the compiled expression. One of the files that is none is a panic;
// a test compiles them all.
func (r *rule) match() *regexp.Regexp {
	r.compile.Do(func() {
		re := regexp.MustCompile(r.expr)
		r.named = map[string]int{}
		for i, name := range re.SubexpNames() {
			switch {
			case i == 0:
			case name == "" || r.group < 0:
				if r.group <= 0 || r.group == i {
					r.secrets = append(r.secrets, i)
				}
			default:
				r.named[name] = i
			}
		}
		r.pattern = re
	})
	return r.pattern
}

func readKinds() ([]kindFile, error) {
	var files []kindFile
	for _, f := range []struct{ name, text string }{{"kinds.toml", kindsText}, {"gitleaks.toml", gitleaksText}} {
		var file kindFile
		if err := toml.NewDecoder(strings.NewReader(f.text)).DisallowUnknownFields().Decode(&file); err != nil {
			return nil, fmt.Errorf("redact: %s: %w", f.name, err)
		}
		files = append(files, file)
	}
	return files, nil
}
