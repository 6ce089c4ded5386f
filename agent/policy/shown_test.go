package policy

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/tools/risk"
)

// What package risk quotes of a command looks as package show draws it, which it
// cannot import.
func TestReasonsAreRenderedAsTheCommandIs(t *testing.T) {
	for _, name := range []string{"plain", "\u0430b", "a\u202eb", "a  b ", " a", "a\xffb", "⟦U+0041⟧", "·", "…", "é\u0301", "\U0001f4a9"} {
		v := risk.Argv([]string{"cat", "/etc/shadow" + name})
		found := false
		for _, f := range v.Findings {
			found = found || strings.Contains(f.Why, show.Text("/etc/shadow"+name))
		}
		if !found && !strings.Contains(name, "\xff") { // that no program gets
			t.Errorf("%+q: %+v, want %q in it", name, v.Findings, show.Text("/etc/shadow"+name))
		}
	}
}
