package lockout_test

import (
	"slices"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/lockout"
	"github.com/nod-console/nod/tools/risk"
)

// Files that are written by a tool, and keys typed at a prompt, are covered like
// commands.
func TestWritesAndKeysAreCoveredToo(t *testing.T) {
	for path, want := range map[string]string{
		"/etc/ssh/sshd_config": "/etc/ssh", "/root/.ssh/authorized_keys": "/root/.ssh", "/etc/sudoers.d/x": "/etc/sudoers.d/x",
	} {
		p, why := lockout.For(tools.Action{Kind: tools.Write, Target: "ssh:x", Path: path}, risk.WriteFile(path), 0)
		if p == nil || !slices.Equal(p.Covers, []string{want}) {
			t.Errorf("%s: %+v %q", path, p, why)
		}
	}
	a := tools.Action{Kind: tools.Type, Target: "ssh:x", Pending: "sudo ip ", Literal: "route del default", Enter: true, Prompt: true}
	v := risk.Keys(risk.Keystrokes{Literal: a.Literal, Pending: a.Pending, Enter: true, AtPrompt: true, Dialect: risk.Bash})
	if p, why := lockout.For(a, v, 0); p == nil || !slices.Equal(p.Covers, []string{"links, addresses and routes"}) {
		t.Errorf("%+v %q; %+v", p, why, v)
	}
}
