package history

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAConversationGoesOnBesideAFullDisk, with all that was said before, and is
// whole where it belongs when there is room again.
func TestAConversationGoesOnBesideAFullDisk(t *testing.T) {
	home, spares := t.TempDir(), t.TempDir()
	asked := 0
	s := open(t, home, Options{maxPages: 60, Spare: func(why error) (string, error) {
		problem(t, why, Full)
		asked++
		return filepath.Join(spares, fmt.Sprint(asked)), nil
	}})
	id := create(t, s)
	other := create(t, s)
	say(t, s, other, Message{Role: User, Content: "another"})
	if err := s.End(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	teach(t, s, id, 1, "df -h")
	n := 0
	more := func() {
		t.Helper()
		n++
		say(t, s, id, Message{Role: User, Content: fmt.Sprint(n, " ", strings.Repeat("x", 50<<10))})
	}
	keep := func() string {
		t.Helper()
		ref, err := s.Outputs(id).Keep(t.Context(), "c", "stdout", fmt.Sprint("output ", n))
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	more()
	first := keep()
	for asked == 0 {
		more()
	}
	more()
	second := keep()
	if _, err := s.Remember(t.Context(), id, "the disk is full", false); err != nil {
		t.Fatal(err)
	}
	teach(t, s, id, 5, "df -h")
	teach(t, s, id, 6, "df -h")
	begun, err := s.Create(t.Context(), "local", "m") // a new one begins there, too
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, begun.ID, Message{Role: User, Content: "a new one"})
	said, err := s.Load(t.Context(), id)
	if err != nil || len(said) != n {
		t.Fatalf("%d messages of %d, %v", len(said), n, err)
	}
	if asked != 1 {
		t.Errorf("it went elsewhere %d times", asked)
	}
	// Where it belongs, there is room for another process's writes again.
	if err := s.Move(t.Context(), home); err != nil {
		t.Fatal(err)
	}
	got, err := s.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(said, got); d != "" {
		t.Error(d)
	}
	for ref, want := range map[string]string{first: "output 1", second: fmt.Sprint("output ", n)} {
		if text, err := s.Outputs(id).Text(t.Context(), ref); err != nil || text != want {
			t.Errorf("%s: %q, %v", ref, text, err)
		}
	}
	if notes, err := s.RememberedIn(t.Context(), id); err != nil || len(notes) != 1 {
		t.Errorf("%v, %v", notes, err)
	}
	if patterns, err := s.Patterns(t.Context(), "local", false); err != nil || len(patterns) != 1 || patterns[0].Turns != 3 {
		t.Errorf("%+v, %v", patterns, err)
	}
	say(t, s, id, Message{Role: User, Content: "goes on"})
	all, err := s.List(t.Context(), 0)
	if err != nil || len(all) != 3 {
		t.Errorf("%+v, %v", all, err)
	}
}
