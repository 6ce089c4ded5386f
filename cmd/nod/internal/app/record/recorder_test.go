package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// TestNothingActsWhileARecordingFails: the ledger alone is not enough. What runs
// already is concluded nevertheless, and says where it is seen.
func TestNothingActsWhileARecordingFails(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	l, err := ledger.Open(config.LedgerDir(state), ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // the record has told
	r, err := OpenRecorder(l, state, nil)
	if err != nil {
		t.Fatal(err)
	}
	var tape *recording.Recorder
	retap := func() { tape.Screen(backends.Size{Cols: 20, Rows: 5}, []byte("picture")) }
	tape = r.Recordings.Record(recording.Pane{Target: "local", Session: "main", Name: "shared", ID: func() string { return "%7" }}, retap)
	retap()
	running, err := r.Intend(t.Context(), ledger.Intent{Target: "local", Pane: "%7", Command: "make"})
	if err != nil {
		t.Fatal(err)
	}
	var dir string
	awaits(t, "a recording", func() bool {
		all, err := filepath.Glob(filepath.Join(config.RecordingsDir(state), "*"))
		dir = config.RecordingsDir(state)
		return err == nil && len(all) == 1
	})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	awaits(t, "the failure", func() bool {
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
	awaits(t, "health", func() bool {
		tape.Output([]byte("."))
		return r.Healthy() == nil
	})
	if _, err := r.Intend(t.Context(), ledger.Intent{Target: "local", Command: "true"}); err != nil {
		t.Error(err)
	}
	if err := r.Recordings.Close(); err != nil {
		t.Error(err)
	}
	var places []*ledger.Recording
	var commands []string
	if err := ledger.Read(config.LedgerDir(state), func(rec ledger.Record) error {
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

// awaits waits for a condition.
func awaits(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}
