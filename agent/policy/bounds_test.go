package policy

import (
	"strings"
	"testing"
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
