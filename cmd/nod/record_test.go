package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/backends"
)

// TestNothingActsWhileARecordingFails: the ledger alone is not enough. What runs
// already is concluded nevertheless, and says where it is seen.
func TestNothingActsWhileARecordingFails(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	l, err := ledger.Open(ledgerDir(state), ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // the record has told
	r, err := openRecord(l, state, nil)
	if err != nil {
		t.Fatal(err)
	}
	var tape *recording.Recorder
	retap := func() { tape.Screen(backends.Size{Cols: 20, Rows: 5}, []byte("picture")) }
	tape = r.tapes.Record(recording.Pane{Target: "local", Session: "main", Name: "shared", ID: func() string { return "%7" }}, retap)
	retap()
	running, err := r.Intend(t.Context(), ledger.Intent{Target: "local", Pane: "%7", Command: "make"})
	if err != nil {
		t.Fatal(err)
	}
	var dir string
	eventually(t, "a recording", func() bool {
		all, err := filepath.Glob(filepath.Join(recordingsDir(state), "*"))
		dir = recordingsDir(state)
		return err == nil && len(all) == 1
	})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the failure", func() bool {
		tape.Output([]byte("."))
		return r.Healthy() != nil
	})
	if _, err := r.Intend(t.Context(), ledger.Intent{Target: "ssh:web-1", Command: "rm x"}); err == nil || !strings.Contains(err.Error(), "local main/shared") {
		t.Errorf("elsewhere it may run: %v", err)
	}
	if err := r.Conclude(running, ledger.Conclusion{Outcome: ledger.Exited}); err != nil {
		t.Error(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	eventually(t, "health", func() bool {
		tape.Output([]byte("."))
		return r.Healthy() == nil
	})
	if _, err := r.Intend(t.Context(), ledger.Intent{Target: "local", Command: "true"}); err != nil {
		t.Error(err)
	}
	if err := r.tapes.Close(); err != nil {
		t.Error(err)
	}
	var places []*ledger.Recording
	var commands []string
	if err := ledger.Read(ledgerDir(state), func(rec ledger.Record) error {
		switch {
		case rec.Intent != nil:
			places, commands = append(places, rec.Intent.Recording), append(commands, rec.Intent.Command)
		case rec.Conclusion != nil:
			places = append(places, rec.Conclusion.Recording)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if strings.Join(commands, " ") != "make true" || len(places) != 3 || places[0] == nil || places[1] == nil || places[0].File != places[1].File || places[0].At != places[1].At || places[2] != nil {
		t.Errorf("%q at %v", commands, places)
	}
}

// TestPanesOfAHostAreRecorded here, where the record is.
func TestPanesOfAHostAreRecorded(t *testing.T) {
	t.Parallel()
	w, _ := newRemote(t)
	if out := w.must("run", "-t", "box", "--pane", "--dangerously-approve-all", "--", "echo over there"); !strings.Contains(out, "over there") {
		t.Fatal(out)
	}
	if out := w.must("recordings", "list"); !strings.Contains(out, "_ssh-box_main_shared_") {
		t.Error(out)
	}
	if out := w.must("replay", "--export", "text"); !strings.Contains(out, "\nover there\n") {
		t.Error(out)
	}
	if text := w.must("replay", "--export", "v2"); !strings.Contains(text, `"target":"ssh:box"`) || !strings.Contains(text, `"m", "exited 0: echo over there"`) {
		t.Error(text)
	}
}

// TestSecretsAreNotRecorded: what is recorded passes the filter.
func TestSecretsAreNotRecorded(t *testing.T) {
	t.Parallel()
	_, path := recorded(t, "echo AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY; echo done")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "K7MDENG") || !strings.Contains(string(text), "done") {
		t.Errorf("%s", text)
	}
}
