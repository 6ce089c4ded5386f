package policy

import (
	"testing"
	"time"

	"github.com/nod-console/nod/tools"
)

// TestAServersToolAsks: whatever a call to a server is, it asks; only a rule that names
// the tool lets it pass, and no window does.
func TestAServersToolAsks(t *testing.T) {
	p := Proposal{Action: tools.Action{
		Tool: "tickets_close", Kind: tools.Invoke, Target: "mcp:tickets", Command: `"close" 0123456789abcdef {}`,
		Claim: tools.Claim{Risk: "medium", Mutation: true},
	}, Conversation: "c", Call: "1"}
	for text, want := range map[string]Ruling{
		"": Ask,
		"[[rule]]\nverdict = \"allow\"\neffect = [\"mutate\"]\n":      Ask,
		"[[rule]]\nverdict = \"allow\"\ntool = [\"run_shell\"]\n":     Ask,
		"[[rule]]\nverdict = \"allow\"\ntool = [\"tickets_close\"]\n": Allow,
		"[[rule]]\nverdict = \"deny\"\ntarget = [\"mcp:tickets\"]\n":  Deny,
	} {
		s := engine(t, Options{Rules: rules(t, text)})
		if err := s.OpenWindow(time.Minute); err != nil {
			t.Fatal(err)
		}
		if x := s.Explain(p); x.Ruling != want {
			t.Errorf("%q: %+v", text, x)
		}
	}
}
