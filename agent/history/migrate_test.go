package history

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// oldDatabase makes a database as a nod of that version has left it, with one
// conversation that says text.
func oldDatabase(t *testing.T, path string, version int, id, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", fileURI(path, url.Values{"_pragma": {"foreign_keys(1)"}}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	run := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range migrations[:version] {
		run(step.sql)
	}
	run("INSERT INTO conversations (id, title, target, model, created, updated, open, holder) VALUES (?, ?, 'local', 'm', 1, 2, 1, '')", id, text)
	say := func(place int, role Role, content, calls, call string) {
		t.Helper()
		run(`INSERT INTO messages (conversation, place, role, content, reasoning, calls, call, tool, is_error, denied, created)
			VALUES (?, ?, ?, ?, '', ?, ?, '', 0, 0, ?)`, id, place, role, content, calls, call, place)
	}
	say(1, User, text, "", "")
	say(2, Assistant, "", `[{"id":"1","name":"run_shell","arguments":"{\"command\":\"echo `+text+`\"}"}]`, "")
	say(3, Tool, `{"result":{"stdout":"`+text+`"}}`, "", "1")
	run("INSERT INTO outputs (id, conversation, call, stream, text, cut, created) VALUES (7, ?, '1', 'stdout', ?, 0, 1)", id, []byte(text))
	if version >= 2 {
		run("UPDATE outputs SET number = id")
		run("INSERT INTO search (rowid, text) SELECT id, content || calls FROM messages")
	}
	run(fmt.Sprintf("PRAGMA user_version = %d", version))
}

func TestEveryOlderVersionIsBroughtUpToDate(t *testing.T) {
	for version := 1; version < len(migrations); version++ {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			dir := t.TempDir()
			oldDatabase(t, filepath.Join(dir, dbFile), version, "k", "nginx")
			var e *Error
			if _, err := Open(t.Context(), dir, Options{ReadOnly: true}); !errors.As(err, &e) || e.Problem != Older {
				t.Errorf("opened for reading: %v", err)
			}
			s := open(t, dir, Options{})
			_, said, err := s.Resume(t.Context(), "k")
			if err != nil || len(said) != 3 || said[1].Calls[0].Arguments != `{"command":"echo nginx"}` || !said[2].Time.Equal(time.UnixMilli(3)) {
				t.Fatalf("%+v, %v", said, err)
			}
			if got := found(t, s, "nginx"); got != "3 2 1" {
				t.Errorf("found: %q", got)
			}
			if text, err := s.Outputs("k").Text(t.Context(), "output:7"); err != nil || text != "nginx" {
				t.Errorf("%q, %v", text, err)
			}
			say(t, s, "k", Message{Role: User, Content: "more"})
			if ref, err := s.Outputs("k").Keep(t.Context(), "2", "stdout", "x"); err != nil || ref != "output:8" {
				t.Errorf("%q, %v", ref, err)
			}
			if err := s.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// long makes a conversation of n messages as an evening of work leaves it.
func long(tb testing.TB, s *Store, n int) string {
	tb.Helper()
	c, err := s.Create(tb.Context(), "local", "m")
	if err != nil {
		tb.Fatal(err)
	}
	output := strings.Repeat("Nov 21 20:31:07 web-1 nginx[812]: upstream timed out\\n", 60)
	for at := 0; at < n; at += 4 {
		call := fmt.Sprint(at)
		err := s.Append(tb.Context(), c.ID,
			Message{Role: User, Content: "what has failed since " + call},
			Message{Role: Assistant, Calls: []Call{{ID: call, Name: "run_shell", Arguments: `{"command":"journalctl -u nginx"}`}}},
			Message{Role: Tool, Call: call, Tool: "run_shell", Content: `{"result":{"exit_code":0,"stdout":"` + output + `"}}`},
			Message{Role: Assistant, Content: "It failed " + call + " times."})
		if err != nil {
			tb.Fatal(err)
		}
	}
	return c.ID
}

// BenchmarkResume prints how long it takes to go on with 2,000 messages, from the
// closed store.
func BenchmarkResume(b *testing.B) {
	dir := b.TempDir()
	s, err := Open(b.Context(), dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	id := long(b, s, 2000)
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, err := Open(b.Context(), dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, said, err := s.Resume(b.Context(), id); err != nil || len(said) != 2000 {
			b.Fatal(len(said), err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
