package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAChangedRecordingIsFound by the proof of the record, and said by who plays it;
// one that nod removes itself is not missed.
func TestAChangedRecordingIsFound(t *testing.T) {
	t.Parallel()
	w, path := recorded(t, "echo the truth")
	if out := w.must("audit", "verify"); !strings.Contains(out, "recordings: 1 as they were recorded\n") {
		t.Error(out)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	says := func(status int, verify, replay string) {
		t.Helper()
		if out, errs, got := w.do("audit", "verify"); got != status || !strings.Contains(out+errs, verify) {
			t.Errorf("verify: %d %s%s", got, out, errs)
		}
		if replay == "" {
			return
		}
		if _, errs, got := w.do("replay", "--export", "text"); got != 0 || !strings.Contains(errs, replay) || replay == "-" && errs != "" {
			t.Errorf("replay: %d %s", got, errs)
		}
	}
	write := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(bytes.ReplaceAll(whole, []byte("truth"), []byte("story")))
	says(1, "it was changed", "this is not what was recorded")
	write(append(bytes.Clone(whole), "[99, \"o\", \"more\"]\n"...))
	says(0, "with an end that is not on record", "are not on record")
	write(whole)
	says(0, "1 as they were recorded", "")
	if _, errs, _ := w.do("replay", "--export", "text"); errs != "" {
		t.Error(errs)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	says(1, "it is missing", "")
	write(whole)
	w.must("recordings", "rm", filepath.Base(path))
	says(0, "ok: ", "")
}

// TestARecordThatWasPutBackIsNoticed, the folder as a whole or all of the state, with
// no setting: at the proof, at the next start, and ever after.
func TestARecordThatWasPutBackIsNoticed(t *testing.T) {
	t.Parallel()
	for _, what := range []string{".local/state/nod/ledger", ".local/state/nod"} {
		w := newWorld(t)
		w.must("run", "--", "true")
		dir, old := filepath.Join(w.home, what), filepath.Join(w.home, "old")
		copyTree(t, dir, old)
		w.must("run", "--dangerously-approve-all", "--", "touch "+w.home+"/x")
		w.must("audit", "verify")
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		copyTree(t, old, dir)
		if out, errs, status := w.do("audit", "verify"); status != 1 || !strings.Contains(errs, "put back to an older state") {
			t.Errorf("%s: %d %s%s", what, status, out, errs)
		}
		if _, errs, status := w.do("run", "--", "true"); status != 0 || !strings.Contains(errs, "put back to an older state") {
			t.Errorf("%s: the next start: %d %s", what, status, errs)
		}
		if _, errs, _ := w.do("run", "--", "true"); errs != "" {
			t.Errorf("%s: said again: %s", what, errs)
		}
		if _, errs, status := w.do("audit", "verify"); status != 1 || !strings.Contains(errs, "put back to an older state") {
			t.Errorf("%s: later: %d %s", what, status, errs)
		}
	}
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
