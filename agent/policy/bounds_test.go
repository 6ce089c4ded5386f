package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools/risk"
)

// TestWhateverATextIs: a text that is too long or too deep to be read asks. Nothing calls
// itself for each level of it, which would end the program, and nothing compares all of it
// with all names of secret files.
func TestWhateverATextIs(t *testing.T) {
	s := engine(t, Options{})
	for _, unit := range []string{"(", "$(", "((", "{ ", "if ", `"$(`, "<(", "a(){ ", "*", "/*", "[a]*", "a;", "a "} {
		text := "cat " + strings.Repeat(unit, (1<<20)/len(unit))
		x := s.Explain(command(text))
		if x.Ruling != Ask {
			t.Errorf("%q again and again: %v by %q", unit, x.Ruling, x.Rule)
		}
	}
}

// TestASecretBehindManyPatterns: however many patterns stand before it in a command that can be
// read, the name of a secret file is denied.
func TestASecretBehindManyPatterns(t *testing.T) {
	s := engine(t, Options{})
	text := "cat"
	for i := range 1200 {
		text += fmt.Sprintf(" %d?", i)
	}
	text += " /etc/shado?"
	if !risk.Readable(text) {
		t.Fatalf("%d bytes are not read", len(text))
	}
	if x := s.Explain(command(text)); x.Ruling != Deny || x.Rule != ruleSecrets {
		t.Errorf("%v by %q", x.Ruling, x.Rule)
	}
}
