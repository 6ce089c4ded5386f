package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// Whoever removes the record is noticed by what else nod leaves behind: at the next
// proof, at the next start, and ever after.
func TestARecordThatWasRemovedIsMissed(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(state string) error{
		"the folder": func(state string) error { return os.RemoveAll(config.LedgerDir(state)) },
		"what is in it": func(state string) error {
			all, err := filepath.Glob(filepath.Join(config.LedgerDir(state), "*"))
			for _, file := range all {
				if err == nil {
					err = os.Remove(file)
				}
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			state := filepath.Join(w.home, ".local/state/nod")
			verify := func(want int, text string, args ...string) {
				t.Helper()
				out, errs, status := w.do(append([]string{"audit", "verify"}, args...)...)
				if status != want || !strings.Contains(out+errs, text) {
					t.Errorf("status %d, want %d with %q: %s%s", status, want, text, out, errs)
				}
			}
			verify(125, "nothing has run")
			if _, errs, status := w.do("run", "--", "true"); status != 0 || strings.Contains(errs, "missing") {
				t.Fatalf("%d %s", status, errs)
			}
			verify(0, "ok: 2 records")
			if err := remove(state); err != nil {
				t.Fatal(err)
			}
			verify(1, "is missing, and there was one")
			if _, errs, status := w.do("run", "--", "true"); status != 0 || !strings.Contains(errs, "is missing, and there was one") {
				t.Errorf("%d %s", status, errs)
			}
			if _, errs, _ := w.do("run", "--", "true"); strings.Contains(errs, "missing") {
				t.Errorf("said again at each start: %s", errs)
			}
			verify(1, "record 1 says: the record in")
			verify(0, "ok: 5 records", "--known", "1")
			if err := os.Remove(record.AnchorPath(state)); err != nil {
				t.Fatal(err)
			}
			verify(1, "record 1 says")
			// Another record in its place, put there without nod.
			w.do("run", "--", "true")
			other := newWorld(t)
			other.do("run", "--", "true")
			if err := os.RemoveAll(config.LedgerDir(state)); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(config.LedgerDir(state), os.DirFS(filepath.Join(other.home, ".local/state/nod/ledger"))); err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{"key", "head", "ledger.jsonl", "lock", "epochs", "epoch-key"} {
				if err := os.Chmod(filepath.Join(config.LedgerDir(state), file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(config.LedgerDir(state), 0o700); err != nil {
				t.Fatal(err)
			}
			verify(1, "another one")
		})
	}
}

// TestAFirstStartMissesNothing: the console keeps the conversation before it has a
// record.
func TestAFirstStartMissesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.console(120, 40)
	if text := s.see("ready$", "nothing running"); strings.Contains(text, "is missing") {
		t.Error(text)
	}
	quit(s)
	if out, errs, status := w.do("audit", "verify"); status != 0 {
		t.Errorf("%d %s%s", status, out, errs)
	}
}

// Without the anchor, recordings and conversations tell.
func TestWhatElseIsThereTellsOfARecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if out, errs, status := w.do("ask", "how full is the disk?"); status != 0 || strings.Contains(errs, "missing") {
		t.Fatalf("%d %s%s", status, out, errs)
	}
	s := w.console(120, 40)
	s.see("ready$")
	quit(s)
	if out, errs, status := w.do("audit", "verify"); status != 0 {
		t.Fatalf("nothing is missing: %d %s%s", status, out, errs)
	}
	state := filepath.Join(w.home, ".local/state/nod")
	for _, path := range []string{config.LedgerDir(state), record.AnchorPath(state)} {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	_, errs, status := w.do("audit", "verify")
	if status != 1 || !strings.Contains(errs, "has 1 conversations") {
		t.Errorf("%d %s", status, errs)
	}
}
