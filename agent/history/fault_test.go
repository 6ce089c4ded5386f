package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// problem checks what kind of error it is, and returns its text and its hint.
func problem(t *testing.T, err error, want ...Problem) (text, hint string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no *Error", err)
	}
	for _, p := range want {
		if e.Problem == p && e.Hint != "" && !strings.Contains(text, "\n") {
			return e.Error(), e.Hint
		}
	}
	t.Errorf("problem %d (%v; hint %q), want one of %d", e.Problem, e, e.Hint, want)
	return e.Error(), e.Hint
}

func TestAFullDiskRefusesAndHeals(t *testing.T) {
	dir := t.TempDir()
	big := Message{Role: User, Content: strings.Repeat("x", 100<<10)}
	small, err := Open(t.Context(), dir, Options{maxPages: 40})
	if err != nil {
		t.Fatal(err)
	}
	id := create(t, small)
	acknowledged := 0
	for {
		if err = small.Append(t.Context(), id, big); err != nil {
			break
		}
		acknowledged++
	}
	if text, _ := problem(t, err, Full); !strings.Contains(text, "the disk is full") {
		t.Error(text)
	}
	said, err := small.Load(t.Context(), id)
	if err != nil || len(said) != acknowledged {
		t.Errorf("%d messages of %d acknowledged, %v", len(said), acknowledged, err)
	}
	if _, err := small.Outputs(id).Keep(t.Context(), "c", "stdout", big.Content); err == nil {
		t.Error("an output was kept on a full disk")
	}
	if _, err := small.at().db.ExecContext(t.Context(), "PRAGMA max_page_count = 1000"); err != nil {
		t.Fatal(err)
	}
	if err := small.Append(t.Context(), id, big); err != nil {
		t.Errorf("there is room again: %v", err)
	}
	if err := errors.Join(small.Check(t.Context()), small.Close()); err != nil {
		t.Error(err)
	}
}

func TestAnOlderDatabaseIsCopiedAndBroughtUpToDate(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	id := create(t, s)
	say(t, s, id, Message{Role: User, Content: "kept"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	broken := append(slices.Clone(migrations), step{sql: "ALTER TABLE messages ADD COLUMN extra TEXT; ALTER TABLE nowhere ADD COLUMN x"})
	_, err = Open(t.Context(), dir, Options{steps: broken})
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, fmt.Sprintf("migrate from version %d", len(migrations))) {
		t.Errorf("a migration that fails: %v", err)
	}
	more := append(slices.Clone(migrations), step{sql: "ALTER TABLE messages ADD COLUMN extra TEXT"})
	_, err = Open(t.Context(), dir, Options{ReadOnly: true, steps: more})
	if text, _ := problem(t, err, Older); !strings.Contains(text, "older nod") {
		t.Error(text)
	}
	s, err = Open(t.Context(), dir, Options{steps: more})
	if err != nil {
		t.Fatalf("after the failed one: %v", err)
	}
	said, err := s.Load(t.Context(), id)
	if err != nil || len(said) != 1 || said[0].Content != "kept" {
		t.Errorf("%+v, %v", said, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	copyDir := t.TempDir()
	text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%s.v%d", dbFile, len(migrations))))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copyDir, dbFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := open(t, copyDir, Options{}).Load(t.Context(), id); err != nil || len(said) != 1 {
		t.Errorf("the copy: %+v, %v", said, err)
	}

	before, err := os.ReadFile(filepath.Join(dir, dbFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, opt := range []Options{{}, {ReadOnly: true}} {
		_, err = Open(t.Context(), dir, opt)
		if text, _ := problem(t, err, Newer); !strings.Contains(text, "newer nod") {
			t.Error(text)
		}
	}
	after, err := os.ReadFile(filepath.Join(dir, dbFile))
	if err != nil || string(after) != string(before) {
		t.Errorf("a newer database was changed (%v)", err)
	}
}

func TestADamagedFileIsNamedAndLeftAlone(t *testing.T) {
	for name, content := range map[string]string{
		"no database":   strings.Repeat("this is not a database\n", 500),
		"cut":           "SQLite format 3\x00",
		"header, noise": "SQLite format 3\x00" + strings.Repeat("\xa5", 8000),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), dbFile)
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(t.Context(), filepath.Dir(path), Options{})
			text, hint := problem(t, err, Corrupt)
			if !strings.Contains(text, path) || !strings.Contains(hint, path) {
				t.Errorf("the file is not named: %s; %s", text, hint)
			}
			if text, err := os.ReadFile(path); err != nil || string(text) != content {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
}

func TestDamageInsideIsFound(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	id := create(t, s)
	for range 200 {
		say(t, s, id, Message{Role: User, Content: strings.Repeat("y", 2000)})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, dbFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 60 * 4096; at < len(text); at += 4096 {
		copy(text[at:], strings.Repeat("\xff", 200))
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, Options{})
	problem(t, s.Check(t.Context()), Corrupt)
	_, err = s.Load(t.Context(), id)
	problem(t, err, Corrupt)
}

func TestAFolderThatCannotBeUsedIsOneClearError(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	// Nobody, root included, can make folders in /sys.
	for _, path := range []string{file, link, filepath.Join(file, "below"), "/sys/nod-history"} {
		_, err := Open(t.Context(), path, Options{})
		problem(t, err, Unwritable, ReadOnly)
	}
}

func TestALockedDatabaseEndsTheWaitWithTheContext(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	id := create(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.write(t.Context(), func(*sql.Tx) error {
		cancel()
		return s.Append(ctx, id, Message{Role: User})
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
