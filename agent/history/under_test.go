package history

import (
	"errors"
	"testing"
)

func TestSubAgentsConversationsStandUnderTheOnesThatSentThem(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	id := create(t, s)
	say(t, s, id, Message{Role: User, Content: "look at all hosts"})
	var below []Conversation
	for range 2 {
		c, err := s.CreateUnder(t.Context(), id, "scout", "local", "m")
		if err != nil || c.Parent != id || c.Agent != "scout" || !c.Open {
			t.Fatalf("%+v, %v", c, err)
		}
		say(t, s, c.ID, Message{Role: Task, Content: "look at one host"}, Message{Role: Assistant, Content: "needle"})
		below = append(below, c)
	}
	f, _, err := s.Fork(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := s.Get(t.Context(), below[0].ID); err != nil || c.Title != "look at one host" || c.Parent != id || c.Agent != "scout" {
		t.Errorf("%+v, %v", c, err)
	}
	if got, err := s.Prompts(t.Context(), 10); err != nil || len(got) != 1 {
		t.Errorf("what the operator said: %q, %v", got, err)
	}
	if got := found(t, s, "needle"); got != "2 2" {
		t.Errorf("found %q", got)
	}
	if err := s.End(t.Context(), f.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for _, c := range below {
		if _, err := s.Get(t.Context(), c.ID); !errors.Is(err, ErrNotFound) {
			t.Errorf("it is still there: %v", err)
		}
	}
	if got := found(t, s, "needle"); got != "" {
		t.Errorf("found %q", got)
	}
	if _, err := s.Get(t.Context(), f.ID); err != nil {
		t.Errorf("the fork is gone: %v", err)
	}
}

func TestASubAgentsConversationIsNotOfferedToGoOnWith(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.CreateUnder(t.Context(), "gone", "scout", "local", "m")
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, c.ID, Message{Role: Task, Content: "x"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if c, err := open(t, dir, Options{}).Latest(t.Context()); !errors.Is(err, ErrNotFound) {
		t.Errorf("%+v, %v", c, err)
	}
}
