package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/agent/redact"
	"github.com/nod-console/nod/agent/runbook"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/cmd/nod/internal/app/questions"
)

func TestOnlySecretsLookLikeSecrets(t *testing.T) {
	t.Parallel()
	detector, err := redact.NewDetector()
	if err != nil {
		t.Fatal(err)
	}
	looks := LooksSecret(redact.NewKeeper(detector))
	for text, want := range map[string]bool{
		"Use apt-get here": false, "the logs are in /srv/log": false, "": false,
		"the token is ghp_" + strings.Repeat("a1B2", 9): true, "password=Xk29fj2lQ9": true, "first\npassword=Xk29fj2lQ9\nlast": true,
	} {
		if got := looks(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestARunbookIsFoundByItsTarget(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"web-1.md": "of the host", "ssh:web-2.md": "whole\x1b[31m", "long.md": strings.Repeat("x", runbook.MaxTold+1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	k := &Guidance{runbooks: dir, warn: func(text string) { t.Error(text) }}
	for target, want := range map[string]string{
		"ssh:web-1": "of the host", "docker:web-1": "of the host", "ssh:web-2": "whole", "ssh:web-3": "", "local": "", "ssh:../web-1": "", "ssh:/etc/passwd": "",
	} {
		if got := k.runbook(target); got != want && (want != "whole" || !strings.HasPrefix(got, want) || strings.Contains(got, "\x1b")) {
			t.Errorf("%s: %q", target, got)
		}
		if g := k.guidance(target); (g.Own != "") != (want != "") || g.Folder != "" {
			t.Errorf("%s: %+v", target, g)
		}
	}
	if got := k.runbook("ssh:long"); len(got) > runbook.MaxTold+100 || !strings.Contains(got, "does not fit") {
		t.Errorf("%d bytes", len(got))
	}
}

// What a target says is told while the model works there, once the operator has
// allowed those very bytes; without anybody to ask, and after a no, it is not.
func TestATargetsGuidanceNeedsConsent(t *testing.T) {
	t.Parallel()
	target := local.New(os.Environ())
	defer func() { _ = target.Close() }()
	home, state := t.TempDir(), filepath.Join(t.TempDir(), "folders.json")
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(home, "AGENTS.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var asked, warned []string
	yes := true
	look := func(allow questions.Allower) *Guidance {
		k := &Guidance{consents: runbook.Open(state), allow: allow, warn: func(text string) { warned = append(warned, text) }}
		k.readTarget(t.Context(), target, home)
		k.readTarget(t.Context(), target, home) // it is looked at once
		return k
	}
	ask := func(_ context.Context, title, text string) (bool, error) {
		asked = append(asked, title+"\n"+text)
		return yes, nil
	}
	if k := look(ask); k.guidance("local").Folder != "" || len(asked)+len(warned) > 0 {
		t.Errorf("nothing is there: %q, %q", asked, warned)
	}
	write("Deploy with make ship.\n")
	if k := look(nil); k.guidance("local").Folder != "" || len(warned) != 1 || !strings.Contains(warned[0], "nobody has allowed it yet") {
		t.Errorf("nobody was asked: %q", warned)
	}
	if k := look(ask); !strings.Contains(k.guidance("local").Folder, "Deploy with make ship.") || k.guidance("ssh:other").Folder != "" {
		t.Errorf("%+v", k.guidance("local"))
	}
	if len(asked) != 1 || !strings.Contains(asked[0], "guidance on local") || !strings.Contains(asked[0], "local:"+home) {
		t.Errorf("asked %q", asked)
	}
	if k := look(nil); !strings.Contains(k.guidance("local").Folder, "make ship") {
		t.Error("what was allowed is asked again")
	}
	write("Something else.\n")
	yes = false
	for range 2 {
		if k := look(ask); k.guidance("local").Folder != "" {
			t.Error("told after a no")
		}
	}
	if len(asked) != 2 || !strings.Contains(asked[1], "It has changed since you were asked.") || len(warned) != 1 {
		t.Errorf("asked %q, warned %q", asked, warned)
	}
}
