package runbook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/agent/runbook"
	"github.com/nod-console/nod/backends/local"
)

// TestWhatAFolderOfATargetSays: its two files and no skills, through no link, and
// under the target's name; the folder itself may be reached through one.
func TestWhatAFolderOfATargetSays(t *testing.T) {
	target := local.New(os.Environ())
	defer func() { _ = target.Close() }()
	real := filepath.Join(t.TempDir(), "real")
	for name, text := range map[string]string{
		"AGENTS.md": "Deploy with make ship.\x1b[2J", "other": "secret", ".agents/skills/x/SKILL.md": "---\nname: x\ndescription: y\n---\nz\n",
	} {
		file := filepath.Join(real, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("other", filepath.Join(real, "RUNBOOK.md")); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), "home")
	if err := os.Symlink(real, home); err != nil {
		t.Fatal(err)
	}
	f, err := runbook.LookOn(t.Context(), target, home)
	if err != nil || len(f.Files) != 1 || f.Files[0].Name != "AGENTS.md" || f.Dir != "local:"+home {
		t.Fatalf("%+v, %v", f, err)
	}
	if len(f.Left) != 1 || !strings.Contains(f.Left[0], "link") {
		t.Errorf("%q", f.Left)
	}
	if text := f.Text(); !strings.Contains(text, "# local:"+home+"/AGENTS.md\n\nDeploy with make ship.") || strings.Contains(text, "\x1b") || strings.Contains(text, "secret") {
		t.Errorf("%q", text)
	}
	if err := os.WriteFile(filepath.Join(real, "AGENTS.md"), make([]byte, runbook.MaxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := runbook.LookOn(t.Context(), target, home); err != nil || !f.Empty() || len(f.Left) != 2 {
		t.Errorf("%+v, %v", f, err)
	}
	if f, err := runbook.LookOn(t.Context(), target, home+"/nowhere"); err != nil || !f.Empty() || len(f.Left) != 0 {
		t.Errorf("a folder that is not there: %+v, %v", f, err)
	}
}
