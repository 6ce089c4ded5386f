package risk

import "testing"

// TestLoweredStanza: what was permitted to a stanza that acts is not permitted to one that
// takes its place and only looks.
func TestLoweredStanza(t *testing.T) {
	r := specReader{root: &spec{subs: map[string]*spec{}}, only: "p", heads: map[*spec]bool{}}
	for _, line := range []string{
		"p acts|looks|more: mutate",
		"  -f: --force",
		"  args any...",
		"p looks: observe again",
		"  -o",
		"p more: mutate opaque again",
	} {
		if err := r.line(line); err != nil {
			t.Fatal(line, err)
		}
	}
	p := r.root.subs["p"]
	if s := p.subs["looks"]; len(s.operands) != 0 || s.repeat || len(s.options) != 1 {
		t.Errorf("a stanza that only looks has taken over operands %v and %d options", s.operands, len(s.options))
	}
	for _, name := range []string{"acts", "more"} {
		if s := p.subs[name]; len(s.operands) != 1 || !s.repeat || s.options["-f"] == nil {
			t.Errorf("%s has lost operands or options", name)
		}
	}
}

// TestWhoReadsStatements: a client that is given a statement on its line reads more of them
// from its input.
func TestWhoReadsStatements(t *testing.T) {
	statements := map[kind]bool{kindSQL: true, kindMongo: true, kindFlux: true}
	for program := range programs().stanzas {
		s := specOf(program)
		if s == nil || s.reader {
			continue
		}
		for name, o := range s.options {
			if statements[o.value.kind] && o.fills {
				t.Errorf("%s takes a statement by %s and is no reader", program, name)
			}
		}
	}
}
