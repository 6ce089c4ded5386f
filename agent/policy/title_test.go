package policy_test

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
)

// The title says for whom something would run: a sub-agent by its type, an agent or a plugin
// of somebody's as it is called.
func TestTheTitleSaysForWhom(t *testing.T) {
	t.Parallel()
	for by, want := range map[string]string{
		"": "APPROVE on local", "explorer": "on local for the sub-agent explorer",
		"agent handover": "on local for the agent handover", "plugin ticket": "on local for the plugin ticket",
	} {
		if got := policy.Title(policy.Request{Action: tools.Action{Target: "local"}, Agent: by}); !strings.HasSuffix(got, want) {
			t.Errorf("%q: %q, want %q at its end", by, got, want)
		}
	}
}
