package history

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func found(t *testing.T, s *Store, text string) string {
	t.Helper()
	hits, err := s.Search(t.Context(), text, 0)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var all []string
	for _, h := range hits {
		all = append(all, fmt.Sprint(h.Place))
	}
	return strings.Join(all, " ")
}

func TestSearchFindsWordsCommandsAndResults(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	id := create(t, s)
	say(t, s, id,
		Message{Role: User, Content: "Why is the Café's NGINX slow?"},
		Message{Role: Assistant, Reasoning: "hidden thought", Calls: []Call{{ID: "1", Name: "run_shell", Arguments: `{"command":"tail -n5 /var/log/nginx/error.log\nuptime"}`}}},
		Message{Role: Tool, Call: "1", Content: `{"harness_timestamp":{"source":"harness","unix_millis":1},"result":{"stdout":"upstream\ttimed out\n10.0.0.7 502","exit_code":0}}`},
		Message{Role: Assistant, Content: "The upstream 10.0.0.7 times out. 100% of /var_log: O'Brien said \"so\""},
	)
	for text, want := range map[string]string{
		"nginx":            "2 1",
		"cafe ngin":        "1",
		"uptime":           "2",
		"10.0.0.7":         "4 3",
		"upstream timed":   "3",
		"/var/log/nginx":   "2",
		"harness":          "",
		"hidden":           "",
		"unix_millis":      "",
		"stream":           "4 3", // within a word
		`"so"`:             "4",
		"O'Brien":          "4",
		"100% of":          "4",
		"%":                "4",
		"":                 "",
		"AND OR NOT (":     "",
		`" OR text:*`:      "",
		"nginx\x00 \xff":   "2 1",
		"nothing like it":  "",
		"NEAR(nginx slow)": "",
	} {
		if got := found(t, s, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	hits, err := s.Search(t.Context(), "upstream", 1)
	if err != nil || len(hits) != 1 || hits[0].Place != 4 || !strings.Contains(hits[0].Excerpt, "upstream 10.0.0.7") {
		t.Errorf("%+v, %v", hits, err)
	}
}

func TestNothingOfADeletedConversationIsLeftInAnyFile(t *testing.T) {
	dir := t.TempDir()
	secret := "hush" + "hush"
	copied := filepath.Join(dir, dbFile+".v1")
	oldDatabase(t, copied, 1, "k", secret)
	if err := os.Rename(copied, filepath.Join(dir, dbFile)); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(copied); err != nil {
		t.Fatal("the migration has left no copy")
	}
	other := create(t, s)
	say(t, s, other, Message{Role: User, Content: "stays, with hushed words"})
	if _, _, err := s.Resume(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		say(t, s, "k", Message{Role: User, Content: secret + " again"})
	}
	if _, err := s.Outputs("k").Keep(t.Context(), "c", "stdout", secret); err != nil {
		t.Fatal(err)
	}
	for i := range PatternTurns {
		teach(t, s, "k", i+1, secret)
	}
	if _, err := s.Remember(t.Context(), "k", secret, false); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"outputs", "episodes", "steps", "notes"} {
		var n int
		if err := s.at().db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: %d rows are left (%v)", table, n, err)
		}
	}
	for _, table := range []string{"search", "recall"} {
		if _, err := s.at().db.ExecContext(t.Context(), "INSERT INTO "+table+"("+table+") VALUES ('integrity-check')"); err != nil {
			t.Errorf("%s: %v", table, err)
		}
	}
	if got := found(t, s, secret); got != "" {
		t.Errorf("still found: %s", got)
	}
	if got := found(t, s, "hushed"); got != "1" {
		t.Errorf("the other one is lost: %q", got)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), secret) {
			t.Errorf("%s still holds it while the store is open (%v)", path, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkSearch(b *testing.B) {
	s, err := Open(b.Context(), b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // a benchmark
	long(b, s, 2000)
	for b.Loop() {
		if _, err := s.Search(b.Context(), "nginx failed", 50); err != nil {
			b.Fatal(err)
		}
	}
}
