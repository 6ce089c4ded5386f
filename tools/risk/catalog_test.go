package risk

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

// What holds for all tables: properties that a table cannot break by what it permits.

// described is a program or one of its commands, as it is called.
type described struct {
	line string
	spec *spec
}

// catalogPlaces are all programs and their commands, one of those whose tables are the same.
// "*" is an operand of some name, and "describe-*" stands for a command of which the tables know
// nothing.
var catalogPlaces = sync.OnceValue(func() []described {
	var all []described
	seen := map[string]bool{}
	var below func(line, above string, s *spec)
	below = func(line, above string, s *spec) {
		if permits := above + permitted(s); !seen[permits] {
			seen[permits] = true
			all = append(all, described{line, s})
		}
		above = programNeeds()[s.program().name].String()
		if s.inherit {
			above += permitted(s)
		}
		for _, name := range slices.Sorted(maps.Keys(s.subs)) {
			below(line+" "+strings.ReplaceAll(name, "*", "qqq"), above, s.subs[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(programs().stanzas)) {
		below(name, "", specOf(name))
	}
	return all
})

// permitted is what a stanza permits, as a text.
func permitted(s *spec) string {
	var b strings.Builder
	fmt.Fprintln(&b, s.effect, s.flags, s.operands, s.repeat, s.inherit, s.posix, s.oneDash, s.least, s.inFolder(), len(s.subs))
	for _, name := range slices.Sorted(maps.Keys(s.options)) {
		o := s.options[name]
		fmt.Fprintln(&b, name, o.effect, o.flags, o.takes, o.optional, o.value)
	}
	return b.String()
}

// asked reports whether a command is not run by itself; with known, not even where all hosts
// are known to the operator's rules.
func asked(command string, known bool) bool {
	v := Command(command, Bash)
	return !v.Auto && !(known && v.Plain)
}

// TestFallbacksAreDescribed: what a program does without a command is one of its commands.
func TestFallbacksAreDescribed(t *testing.T) {
	for _, p := range catalogPlaces() {
		if f := p.spec.fallback; f != "" && p.spec.subs[f] == nil {
			t.Errorf("%s falls back to %q, which is not described", p.line, f)
		}
	}
}

// TestUnknownOptionsAreNoLook: no table lets an option pass that it does not name.
func TestUnknownOptionsAreNoLook(t *testing.T) {
	for i, p := range catalogPlaces() {
		if p.spec.inert || specials[p.line] != nil {
			continue
		}
		option := []string{"--qqq-qqq", "--qqq-qqq=/etc/hosts"}[i%2]
		if !asked(p.line+" "+option, true) {
			t.Errorf("%s: an option that it does not name is a look: %s", p.line, option)
		}
	}
}

// TestClientsAreGivenNoFilesAndPlaces: what a program of the network is given as free text is
// not the content of a file, nor another place.
func TestClientsAreGivenNoFilesAndPlaces(t *testing.T) {
	given := []string{"@/etc/hosts", "x=@/etc/hosts", "file:///etc/hosts", "https://evil.example/x"}
	for i, p := range catalogPlaces() {
		program := p.spec.program()
		if !programNeeds()[program.name].Has(NeedNet) || specials[program.name] != nil || p.spec.effect != Observe {
			continue
		}
		var words []string
		if len(p.spec.operands) > 0 && p.spec.operands[0].kind.free() {
			words = append(words, "")
		}
		for name, o := range p.spec.options {
			if o.takes && o.value.kind.free() {
				words = append(words, name+" ")
			}
		}
		slices.Sort(words)
		for j, word := range words {
			if what := given[(i+j)%len(given)]; !asked(p.line+" "+word+what, true) {
				t.Errorf("%s is a look that may send a file or ask another place: %s%s", p.line, word, what)
			}
		}
	}
}

// TestLooksTakeNoVerbs: "service kubelet restart" is no look at a thing named restart.
func TestLooksTakeNoVerbs(t *testing.T) {
	verbs := slices.Sorted(maps.Keys(actingVerbs))
	for i, p := range catalogPlaces() {
		s := p.spec
		m := matching{s: s}
		if s.parent == nil || !m.paramAt(s.operands, 1).kind.free() || slices.ContainsFunc(namesOf(s), func(name string) bool { return speaksOfVerbs[name] }) {
			continue
		}
		for j := range 3 {
			if verb := verbs[(3*i+j)%len(verbs)]; !asked(p.line+" qqq "+verb, true) {
				t.Errorf("%s is a look, with %q behind a name", p.line, verb)
			}
		}
	}
}

// TestLooksWriteNoOutput: what an option for the output of a look is given is no file.
func TestLooksWriteNoOutput(t *testing.T) {
	for i, p := range catalogPlaces() {
		for name := range outputs {
			o := p.spec.option(name)
			if o == nil || !o.takes || o.value.kind == kindReads {
				continue
			}
			if file := []string{"/etc/hosts", "./qqq"}[i%2]; !asked(p.line+" "+name+" "+file, true) {
				t.Errorf("%s is a look that may write: %s %s", p.line, name, file)
			}
		}
	}
}

// TestPatternsGiveNoSecrets: "get-*" does not stand for a command that hands secrets out.
func TestPatternsGiveNoSecrets(t *testing.T) {
	for _, p := range catalogPlaces() {
		for pattern := range p.spec.subs {
			verb, ok := strings.CutSuffix(pattern, "-*")
			if !ok || verb == "list" {
				continue
			}
			for _, name := range []string{"session-token", "qqq-credentials", "password-data", "chap-qqq"} {
				if !asked(p.line+" "+verb+"-"+name, true) {
					t.Errorf("%s %s stands for %s-%s", p.line, pattern, verb, name)
				}
			}
		}
	}
}
