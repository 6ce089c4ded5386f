package runbook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func look(t *testing.T, dir string) Folder {
	t.Helper()
	f, err := Look(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestConsentIsToTheVeryBytes(t *testing.T) {
	dir, state := t.TempDir(), filepath.Join(t.TempDir(), "folders.json")
	c := Open(state)
	of := func() State {
		t.Helper()
		s, err := Open(state).Of(look(t, dir)) // as another nod would ask
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if !look(t, dir).Empty() {
		t.Error("an empty folder says something")
	}
	agents, skill := filepath.Join(dir, "AGENTS.md"), filepath.Join(dir, ".claude/skills/a/SKILL.md")
	write(t, agents, "Use make.\n")
	if s := of(); s != Unknown {
		t.Errorf("%d", s)
	}
	say := func(allowed bool) {
		t.Helper()
		if err := c.Set(look(t, dir), allowed, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	say(true)
	if s := of(); s != Allowed {
		t.Errorf("%d", s)
	}
	for _, change := range []func(){
		func() { write(t, agents, "Use make!\n") }, func() { write(t, skill, "x") }, func() { write(t, skill, "y") },
		func() { write(t, filepath.Join(dir, "RUNBOOK.md"), "") },
	} {
		change()
		if s := of(); s != Changed {
			t.Errorf("after a change: %d", s)
		}
		say(true)
		if s := of(); s != Allowed {
			t.Errorf("%d", s)
		}
	}
	say(false)
	if s := of(); s != Refused {
		t.Errorf("%d", s)
	}
	if info, err := os.Stat(state); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	write(t, state, "{")
	if _, err := c.Of(look(t, dir)); err == nil || !strings.Contains(err.Error(), state) {
		t.Errorf("a broken file: %v", err)
	}
}

func TestOnlyPlainFilesOfTheFolderAreRead(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	write(t, filepath.Join(other, "secret"), "hush")
	write(t, filepath.Join(other, "x", "SKILL.md"), "hush")
	if err := os.Symlink(filepath.Join(other, "secret"), filepath.Join(dir, "AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(dir, "RUNBOOK.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(dir, ".claude")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".agents/skills/ok/SKILL.md"), "fine")
	write(t, filepath.Join(dir, ".agents/skills/big/SKILL.md"), strings.Repeat("x", MaxFile+1))
	if err := os.Symlink(filepath.Join(other, "x"), filepath.Join(dir, ".agents/skills/link")); err != nil {
		t.Fatal(err)
	}
	f := look(t, dir)
	if len(f.Files) != 1 || f.Files[0].Text != "fine" || len(f.Left) != 3 {
		t.Errorf("%+v", f)
	}
	for _, want := range []string{"AGENTS.md: a symbolic link", "RUNBOOK.md: it is no regular file", "big/SKILL.md: it has"} {
		if !strings.Contains(strings.Join(f.Left, "|"), want) {
			t.Errorf("no %q in %q", want, f.Left)
		}
	}
	if _, err := Look(filepath.Join(dir, "missing")); err == nil {
		t.Error("a folder that is not there says nothing is wrong")
	}
}

func TestWhatIsToldIsBoundedAndPlain(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "AGENTS.md"), "a\x1b[2J\u202eb\U000E0041c\u200bd\n"+strings.Repeat("é", MaxTold))
	write(t, filepath.Join(dir, "RUNBOOK.md"), "second")
	write(t, filepath.Join(dir, ".agents/skills/ok/SKILL.md"), "a skill")
	f := look(t, dir)
	text := f.Text()
	if !strings.Contains(text, "a[2Jbcd\n") || strings.Contains(text, "a skill") || len(text) > MaxTold+1000 || !strings.Contains(text, "bytes more: read the file") {
		t.Errorf("%d bytes: %.100q", len(text), text)
	}
	if about := f.Describe(); !strings.Contains(about, "AGENTS.md, 3") || strings.ContainsAny(about, "\x1b\u202e") || strings.Count(about, "\n") > 30 {
		t.Error(about)
	}
	if len(f.Skills()) != 1 {
		t.Errorf("%+v", f.Skills())
	}
}
