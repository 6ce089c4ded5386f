package undo_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/google/renameio/v2"
	"github.com/nod-console/nod/agent/undo"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type clock struct{ t time.Time }

func (c *clock) now() time.Time { c.t = c.t.Add(time.Second); return c.t }

func open(t *testing.T, dir string, c *clock) *undo.Journal {
	t.Helper()
	j, err := undo.Open(dir, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func write(path, old, text string) (tools.Action, []byte) {
	a := tools.Action{Kind: tools.Write, Target: "local", User: "op", Path: path, Content: []byte(text)}
	if old != "" {
		a.Expect = backends.VersionOf([]byte(old))
	}
	return a, []byte(old)
}

func TestWhatWasKeptComesBack(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "undo"), &clock{time.Now()}
	j := open(t, dir, c)
	if _, _, err := j.Last(); !errors.Is(err, undo.ErrNothing) {
		t.Error(err)
	}
	for _, w := range [][3]string{{"/a", "", "1"}, {"/a", "1", "2"}, {"/b", "x", ""}} {
		a, old := write(w[0], w[1], w[2])
		if _, err := j.Keep(a, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Did(tools.Action{Kind: tools.Exec, Target: "ssh:x", Command: "systemctl stop nginx", Dialect: "sh"}); err != nil {
		t.Fatal(err)
	}
	if err := j.Did(tools.Action{Kind: tools.Exec, Command: "rm -rf x"}); err != nil {
		t.Fatal(err)
	}
	if err := j.Did(tools.Action{Kind: tools.Run, Command: "systemctl stop nginx", Inside: []string{"ssh db"}}); err != nil {
		t.Fatal(err)
	}
	want := []string{"systemctl stop nginx", "write /b", "write /a", "create /a"}
	for _, d := range want {
		e, mine, err := j.Last()
		if err != nil || !mine || e.Describe() != d {
			t.Fatalf("%+v %v %v, want %s", e, mine, err, d)
		}
		if e.Was.Exists {
			if data, err := j.Content(e.Was); err != nil || backends.VersionOf(data) != e.Was {
				t.Errorf("%q %v", data, err)
			}
		}
		if e.Command != "" && (e.Inverse != "systemctl start nginx" || e.Unless == "") {
			t.Errorf("%+v", e)
		}
		if err := j.Drop(e.ID); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.Walk(dir, func(p string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", p, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOneProcessKnowsItsOwn(t *testing.T) {
	dir, c := t.TempDir(), &clock{time.Now()}
	one, other := open(t, dir, c), open(t, dir, c)
	a, old := write("/a", "1", "2")
	if _, err := one.Keep(a, old); err != nil {
		t.Fatal(err)
	}
	if e, mine, err := other.Last(); err != nil || mine || e.Path != "/a" {
		t.Errorf("%+v %v %v", e, mine, err)
	}
	b, old := write("/b", "1", "2")
	drop, err := other.Keep(b, old)
	if err != nil {
		t.Fatal(err)
	}
	if e, mine, _ := one.Last(); !mine || e.Path != "/a" {
		t.Errorf("%+v", e)
	}
	drop()
	if all, err := other.List(); err != nil || len(all) != 1 {
		t.Errorf("%v %v", all, err)
	}
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	dir, c := t.TempDir(), &clock{time.Now()}
	j := open(t, dir, c)
	a, _ := write("/a", "1", "2")
	if _, err := j.Keep(a, []byte("another")); !errors.Is(err, backends.ErrChanged) {
		t.Error(err)
	}
	if _, err := j.Keep(a, []byte("1")); err != nil {
		t.Fatal(err)
	}
	e, _, _ := j.Last()
	if err := os.WriteFile(filepath.Join(dir, "contents", e.Was.SHA256), []byte("spoilt"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Content(e.Was); !errors.Is(err, undo.ErrDamaged) {
		t.Error(err)
	}
	if _, err := j.Content(backends.Version{Exists: true, SHA256: "../x"}); !errors.Is(err, undo.ErrDamaged) {
		t.Error(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Keep(a, []byte("1")); err == nil {
		t.Error("kept nowhere")
	}
}

func TestAJournalIsBounded(t *testing.T) {
	dir, c := t.TempDir(), &clock{time.Now().Add(-2 * undo.MaxAge)}
	j := open(t, dir, c)
	for range undo.MaxEntries + 20 {
		a, old := write("/a", "1", "2")
		if _, err := j.Keep(a, old); err != nil {
			t.Fatal(err)
		}
	}
	if all, _ := j.List(); len(all) != undo.MaxEntries {
		t.Errorf("%d entries", len(all))
	}
	c.t = time.Now()
	for _, text := range []string{"first", "second", "third"} {
		a, old := write("/big", text, "2")
		if _, err := j.Keep(a, old); err != nil {
			t.Fatal(err)
		}
		// What counts is the size of its file, which is large without its bytes on the disk.
		if text != "third" {
			if err := os.Truncate(filepath.Join(dir, "contents", a.Expect.SHA256), undo.MaxBytes/2+1); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, _ := j.List() // the old ones are too old, and two large ones are too much
	if len(all) != 2 || all[0].Was != backends.VersionOf([]byte("third")) || all[1].Was != backends.VersionOf([]byte("second")) {
		t.Errorf("%d entries: %+v", len(all), all)
	}
	if _, err := renameio.NewPendingFile(filepath.Join(dir, "1.json"), renameio.WithTempDir(dir)); err != nil {
		t.Fatal(err) // a write that is cut off
	}
	c.t = c.t.Add(2 * time.Hour)
	j = open(t, dir, c)
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("a write that was cut off has left %q, %v", left, err)
	}
	files, err := os.ReadDir(filepath.Join(dir, "contents"))
	if err != nil || len(files) != 3 { // what was there twice, and what was written
		t.Errorf("%d contents are kept: %v", len(files), err)
	}
	if _, err := j.Content(all[0].Was); err != nil {
		t.Error(err)
	}
}
