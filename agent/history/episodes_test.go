package history

import (
	"errors"
	"testing"
	"time"
)

func teach(t *testing.T, s *Store, id string, place int, actions ...string) []Pattern {
	t.Helper()
	e := Episode{Conversation: id, Place: place, Target: "local", Goal: "look at " + actions[0], Ending: "answered", Time: time.UnixMilli(int64(place))}
	for _, a := range actions {
		e.Steps = append(e.Steps, EpisodeStep{Tool: "run_shell", Target: "local", Action: a, Outcome: "exited 0, 3 lines"})
	}
	fresh, err := s.Learn(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return fresh
}

func TestWhatRepeatsBecomesAPatternWithItsSources(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	id, other := create(t, s), create(t, s)
	for place := 1; place < PatternTurns; place++ {
		if fresh := teach(t, s, id, place, "df -h", "df -h", "uptime"); len(fresh) != 0 {
			t.Errorf("after %d turns: %+v", place, fresh)
		}
	}
	if fresh := teach(t, s, id, PatternTurns-1, "df -h"); len(fresh) != 0 { // the same turn anew
		t.Errorf("a turn counted twice: %+v", fresh)
	}
	fresh := teach(t, s, other, 1, "df  -h")
	if len(fresh) != 1 || fresh[0].Step.Action != "df -h" || fresh[0].Turns != PatternTurns || len(fresh[0].Sources) != PatternTurns {
		t.Fatalf("%+v", fresh)
	}
	from := fresh[0].Sources[1]
	if from.Conversation != id || from.Place != 2 || from.Outcome != "exited 0, 3 lines" {
		t.Errorf("%+v", fresh[0].Sources)
	}
	if fresh := teach(t, s, other, 2, "df -h"); len(fresh) != 0 {
		t.Errorf("promoted twice: %+v", fresh)
	}

	p, err := s.Strike(t.Context(), fresh[0].ID, false)
	if err != nil || !p.Struck {
		t.Fatalf("%+v, %v", p, err)
	}
	if all, err := s.Patterns(t.Context(), "local", false); err != nil || len(all) != 0 {
		t.Errorf("struck and there: %+v, %v", all, err)
	}
	if all, err := s.Patterns(t.Context(), "", true); err != nil || len(all) != 1 || !all[0].Struck {
		t.Errorf("%+v, %v", all, err)
	}
	if fresh := teach(t, s, other, 3, "df -h"); len(fresh) != 0 {
		t.Errorf("learned again although struck: %+v", fresh)
	}
	if _, err := s.Strike(t.Context(), p.ID, true); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Patterns(t.Context(), "local", false); err != nil || len(all) != 1 || all[0].Turns != 5 {
		t.Errorf("%+v, %v", all, err)
	}
	for _, bad := range []string{"", "nope", p.ID[:6], "'"} {
		if _, err := s.Pattern(t.Context(), bad); !errors.Is(err, ErrNoPattern) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if err := s.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if p, err := s.Pattern(t.Context(), p.ID); err != nil || p.Turns != 3 {
		t.Errorf("a deleted conversation still counts: %+v, %v", p, err)
	}
	if err := s.ForgetEpisodes(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Episodes(t.Context(), "", "", 10); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestEpisodesAreFoundByWhatWasWantedAndDone(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	id, other := create(t, s), create(t, s)
	teach(t, s, id, 1, "df -h /srv")
	teach(t, s, id, 2, "systemctl status nginx")
	teach(t, s, other, 1, "nginx -t")
	for text, want := range map[string]int{"nginx": 2, "srv": 1, "uptime": 0, "what about nginx": 2, "?!": 0, "": 3} {
		all, err := s.Episodes(t.Context(), text, "", 10)
		if err != nil || len(all) != want {
			t.Errorf("%q: %+v, %v", text, all, err)
		}
	}
	all, err := s.Episodes(t.Context(), "nginx", id, 10)
	if err != nil || len(all) != 1 || all[0].Conversation != other || all[0].Steps[0].String() != "run_shell `nginx -t`: exited 0, 3 lines" {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestNotesBelongToTheirConversation(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	id, other := create(t, s), create(t, s)
	n, err := s.Remember(t.Context(), id, "no restarts", true)
	if err != nil {
		t.Fatal(err)
	}
	if all, err := s.RememberedIn(t.Context(), id); err != nil || len(all) != 1 || !all[0].Tainted || all[0].Text != "no restarts" {
		t.Errorf("%+v, %v", all, err)
	}
	if ok, err := s.ForgetRemembered(t.Context(), other, n.ID); err != nil || ok {
		t.Errorf("forgotten from another conversation: %v, %v", ok, err)
	}
	if ok, err := s.ForgetRemembered(t.Context(), id, n.ID); err != nil || !ok {
		t.Errorf("%v, %v", ok, err)
	}
	for range MaxRemembered {
		if _, err := s.Remember(t.Context(), other, "x", false); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Remember(t.Context(), other, "x", false); !errors.Is(err, ErrTooMany) {
		t.Errorf("%v", err)
	}
}
