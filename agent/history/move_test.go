package history

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWhatWasBegunElsewhereMoves: everything of a conversation comes along to a
// folder that can be written again, beside what is there; it goes on there, and what
// could not be taken stays where it was.
func TestWhatWasBegunElsewhereMoves(t *testing.T) {
	real, meanwhile := filepath.Join(t.TempDir(), "history"), t.TempDir()
	before := open(t, real, Options{})
	old := create(t, before)
	say(t, before, old, Message{Role: User, Content: "from before"})
	teach(t, before, old, 1, "df -h")

	s := open(t, meanwhile, Options{})
	id, empty := create(t, s), create(t, s)
	say(t, s, id, Message{Role: User, Content: "what is filling the disk?"},
		Message{Role: Assistant, Calls: []Call{{ID: "1", Name: "run_shell", Arguments: `{"command":"df -h"}`}}},
		Message{Role: Tool, Call: "1", Tool: "run_shell", Content: "{}"})
	under, err := s.CreateUnder(t.Context(), id, "investigator", "local", "m")
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, under.ID, Message{Role: Task, Content: "look"})
	ref, err := s.Outputs(id).Keep(t.Context(), "1", "stdout", "all of it")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Remember(t.Context(), id, "the disk is small", true); err != nil {
		t.Fatal(err)
	}
	teach(t, s, id, 1, "df -h")
	teach(t, s, id, 2, "df -h")
	said, err := s.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}

	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Move(t.Context(), filepath.Join(file, "history")); err == nil {
		t.Fatal("moved into a file")
	}
	say(t, s, empty, Message{Role: User, Content: "and that"})
	if err := s.Move(t.Context(), real); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(meanwhile, dbFile)); err != nil {
		t.Fatal(err)
	}
	got, err := s.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(said, got); diff != "" {
		t.Error(diff)
	}
	say(t, s, id, Message{Role: Assistant, Content: "it is the log"}) // it is held here
	if text, err := s.Outputs(id).Text(t.Context(), ref); err != nil || text != "all of it" {
		t.Errorf("%q, %v", text, err)
	}
	if notes, err := s.RememberedIn(t.Context(), id); err != nil || len(notes) != 1 || !notes[0].Tainted {
		t.Errorf("%+v, %v", notes, err)
	}
	if hits, err := s.Search(t.Context(), "filling", 5); err != nil || len(hits) != 1 || hits[0].Conversation != id {
		t.Errorf("%+v, %v", hits, err)
	}
	if p, err := s.Patterns(t.Context(), "local", false); err != nil || len(p) != 1 || p[0].Turns != 3 {
		t.Errorf("%+v, %v", p, err)
	}
	list, err := s.List(t.Context(), 0)
	if err != nil || len(list) != 4 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, c := range list {
		if c.ID == under.ID && (c.Parent != id || c.Agent != "investigator") {
			t.Errorf("%+v", c)
		}
	}
	if c, err := before.Get(t.Context(), id); err != nil || !c.InUse || !c.Open {
		t.Errorf("%+v, %v", c, err)
	}
}
