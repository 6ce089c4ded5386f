package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAForkHasWhatWasSaidBeforeAndItsOutputs(t *testing.T) {
	dir := t.TempDir()
	theirs, s := open(t, dir, Options{}), open(t, dir, Options{})
	id := create(t, theirs) // held by another nod
	say(t, theirs, id, Message{Role: User, Content: "first"})
	other := create(t, theirs)
	if _, err := theirs.Outputs(other).Keep(t.Context(), "x", "stdout", "not of this one"); err != nil {
		t.Fatal(err)
	}
	ref, err := theirs.Outputs(id).Keep(t.Context(), "a", "stdout", "all of a")
	if err != nil {
		t.Fatal(err)
	}
	late, err := theirs.Outputs(id).Keep(t.Context(), "z", "stdout", "later")
	if err != nil {
		t.Fatal(err)
	}
	say(t, theirs, id,
		Message{Role: Assistant, Calls: []Call{{ID: "a", Name: "x"}, {ID: "b", Name: "x"}}},
		Message{Role: Tool, Call: "a", Content: ref}, Message{Role: Tool, Call: "b", Content: "{}"},
		Message{Role: Note, Call: "a", Content: "edited"},
		Message{Role: Assistant, Content: "done"}, Message{Role: User, Content: "second"})

	for place, want := range map[int]int{0: 7, 1: 1, 2: 5, 3: 5, 5: 5, 6: 6, 7: 7} {
		f, said, err := s.Fork(t.Context(), id, place)
		if err != nil || len(said) != want || f.Parent != id || f.Title != "first" || !f.Open || f.Messages != want {
			t.Fatalf("at %d: %d messages, %+v, %v", place, len(said), f, err)
		}
		stored, err := s.Load(t.Context(), f.ID)
		if err != nil || cmp.Diff(said, stored) != "" {
			t.Errorf("at %d: %v %s", place, err, cmp.Diff(said, stored))
		}
		text, err := s.Outputs(f.ID).Text(t.Context(), ref)
		if place == 1 {
			if !errors.Is(err, ErrNoOutput) {
				t.Errorf("an output of a call that did not come along: %q, %v", text, err)
			}
			continue
		}
		if err != nil || text != "all of a" {
			t.Errorf("at %d: the output: %q, %v", place, text, err)
		}
		if _, err := s.Outputs(f.ID).Text(t.Context(), late); place == 2 && !errors.Is(err, ErrNoOutput) {
			t.Errorf("a later output: %v", err)
		}
		if next, err := s.Outputs(f.ID).Keep(t.Context(), "n", "stdout", "new"); err != nil || next == ref {
			t.Errorf("the next output is %s (%v)", next, err)
		}
	}
	if all, err := theirs.Load(t.Context(), id); err != nil || len(all) != 7 {
		t.Errorf("the original was changed: %d, %v", len(all), err)
	}
	for _, place := range []int{-1, 8} {
		if _, _, err := s.Fork(t.Context(), id, place); !errors.Is(err, ErrNotFound) {
			t.Errorf("at %d: %v", place, err)
		}
	}
	if _, _, err := s.Fork(t.Context(), "nope", 0); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
}

func TestExportsHoldEverythingAndCannotBeLeft(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	id := create(t, s)
	say(t, s, id, Message{Role: User, Content: "hello\x1b[31m \u202eworld"},
		Message{Role: Assistant, Reasoning: "hm ``` ````", Calls: []Call{{ID: "1", Name: "x`y", Arguments: `{"command":"echo '` + "```" + `'"}`}}},
		Message{Role: Tool, Call: "1", Tool: "x", Content: "```\n# not a heading", IsError: true, Denied: true},
		Message{Role: Assistant, Content: "bye \xff"})
	c, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	said, err := s.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var md, lines bytes.Buffer
	if err := errors.Join(ExportMarkdown(&md, c, said), ExportJSON(&lines, c, said)); err != nil {
		t.Fatal(err)
	}
	text := md.String()
	for _, want := range []string{"# hello", "## Operator", "## Result of x (denied)", "`````\nhm ``` ````\n`````", "````json\n```\n# not a heading\n````", "bye \uFFFD"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if strings.ContainsAny(text, "\x1b\u202e") {
		t.Error("what a terminal obeys is in the Markdown")
	}
	rows := strings.Split(strings.TrimSpace(lines.String()), "\n")
	if len(rows) != 5 {
		t.Fatalf("%d lines", len(rows))
	}
	for i, row := range rows {
		var v map[string]any
		if err := json.Unmarshal([]byte(row), &v); err != nil {
			t.Errorf("line %d: %v", i, err)
		}
	}
	if !strings.Contains(rows[0], id) || !strings.Contains(rows[2], `"arguments":"{\"command\"`) || !strings.Contains(rows[3], `"denied":true`) {
		t.Error(lines.String())
	}
}
