package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// TestAnEditedRecordIsNamed: it is proved as long as it is as nod wrote it, its newest
// lines are shown, and a changed byte is damage.
func TestAnEditedRecordIsNamed(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	getenv := func(name string) string { return map[string]string{"HOME": state}[name] }
	dir := config.LedgerDir(state)
	if _, err := Verify(getenv, dir, 0); err == nil || !strings.Contains(err.Error(), "nothing has run") {
		t.Errorf("without a record: %v", err)
	}
	l, err := ledger.Open(dir, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first", "second"} {
		if err := l.Note(ledger.Note{Kind: "test", Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	said, err := Verify(getenv, dir, 0)
	if err != nil || !strings.HasPrefix(said, "ok: ") {
		t.Fatalf("%q, %v", said, err)
	}
	if lines, err := Lines(dir, 1); err != nil || len(lines) != 1 {
		t.Errorf("the newest: %q, %v", lines, err)
	}
	if _, err := Compare(dir, strings.NewReader("no head\n"), "auth.log", 0); err == nil || !strings.Contains(err.Error(), "auth.log") {
		t.Errorf("a log without a head: %v", err)
	}

	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], []byte(strings.Replace(string(text), "first", "fIrst", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	var damage DamagedError
	if _, err := Verify(getenv, dir, 0); !errors.As(err, &damage) {
		t.Errorf("an edited record: %v", err)
	}
}
