package history

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWhatWasAppendedIsLoadedByteForByte(t *testing.T) {
	at := time.UnixMilli(1772283708794)
	s := open(t, t.TempDir(), Options{Now: func() time.Time { return at }})
	id := create(t, s)
	want := []Message{
		{Role: User, Content: "\n  what is\tfilling the disk?\nhurry"},
		{Role: Assistant, Content: "a\x00b ⟦ \xff", Reasoning: "hm", Calls: []Call{
			{ID: "1", Name: "run_shell", Arguments: `{"command":"df -h"}`},
			{ID: "2", Name: "run_shell", Arguments: `{"comm`, Invalid: "unexpected end"},
		}},
		{Role: Tool, Call: "1", Tool: "run_shell", Content: "{}"},
		{Role: Tool, Call: "2", Tool: "run_shell", Content: "{}", IsError: true, Denied: true},
		{Role: Note, Content: "interrupted by the operator"},
	}
	say(t, s, id, want[:2]...)
	say(t, s, id, want[2:]...)
	got, err := s.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		want[i].Place, want[i].Time = i+1, at
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	c, err := s.Get(t.Context(), id)
	if err != nil || c.Title != "what is filling the disk?" || c.Messages != 5 || !c.Open || c.Target != "local" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestListShowsTheLatestFirstAndNoEmptyOnes(t *testing.T) {
	now := time.UnixMilli(1)
	s := open(t, t.TempDir(), Options{Now: func() time.Time { return now }})
	first, second, empty := create(t, s), create(t, s), create(t, s)
	for _, id := range []string{first, second, first} {
		now = now.Add(time.Second)
		say(t, s, id, Message{Role: User, Content: "100% of /var_log"})
	}
	list, err := s.List(t.Context(), 0)
	if err != nil || len(list) != 2 || list[0].ID != first || list[1].ID != second {
		t.Fatalf("%+v, %v", list, err)
	}
	hits, err := s.Search(t.Context(), "% OF /VAR_", 10)
	if err != nil || len(hits) != 3 || hits[0].Conversation != first || hits[0].Excerpt != "100% of /var_log" {
		t.Errorf("%+v, %v", hits, err)
	}
	if hits, err = s.Search(t.Context(), "%_%", 10); err != nil || len(hits) != 0 {
		t.Errorf("a wildcard was taken for one: %+v, %v", hits, err)
	}
	if err := s.Rename(t.Context(), second, "logs"); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Get(t.Context(), second); err != nil || c.Title != "logs" {
		t.Errorf("%+v, %v", c, err)
	}
	if err := s.End(t.Context(), empty); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), empty); !errors.Is(err, ErrNotFound) {
		t.Errorf("an empty conversation outlives its end: %v", err)
	}
	if err := s.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(t.Context(), first); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleted and still there: %v", err)
	}
	if err := s.Append(t.Context(), first, Message{Role: User}); !errors.Is(err, ErrNotFound) {
		t.Errorf("append to a deleted one: %v", err)
	}
}

func TestDeletedTextIsNotInTheFiles(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	id := create(t, s)
	say(t, s, id, Message{Role: User, Content: strings.Repeat("hush-hush ", 5000)})
	if err := s.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "hush-hush") {
			t.Errorf("%s still holds it (%v)", path, err)
		}
	}
}

func TestOutputsAreReadBackByReferenceInTheirConversationOnly(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	id := create(t, s)
	o := s.Outputs(id)
	long := strings.Repeat("x", MaxOutput) + "tail"
	for _, text := range []string{"", "a\x00\xff", long} {
		ref, err := o.Keep(t.Context(), "call1", "stdout", text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := o.Read(t.Context(), ref)
		want := Output{Call: "call1", Stream: "stdout", Text: text}
		if text == long {
			want.Text, want.Cut = text[:MaxOutput], 4
		}
		if err != nil || got != want {
			t.Errorf("%s: %d bytes, %v", ref, len(got.Text), err)
		}
		for _, bad := range []string{"", "output:", "output:99", strings.TrimPrefix(ref, "output:")} {
			if _, err := o.Read(t.Context(), bad); !errors.Is(err, ErrNoOutput) {
				t.Errorf("%q: %v", bad, err)
			}
		}
		if _, err := s.Outputs(create(t, s)).Read(t.Context(), ref); !errors.Is(err, ErrNoOutput) {
			t.Errorf("read from another conversation: %v", err)
		}
	}
}

func TestAConversationHasOneHolder(t *testing.T) {
	dir := t.TempDir()
	mine, theirs := open(t, dir, Options{}), open(t, dir, Options{})
	id := create(t, mine)
	say(t, mine, id, Message{Role: User, Content: "hello"})
	if _, err := theirs.Latest(t.Context()); !errors.Is(err, ErrNotFound) {
		t.Errorf("a conversation that is open elsewhere is offered: %v", err)
	}
	if _, _, err := theirs.Resume(t.Context(), id); !errors.Is(err, ErrInUse) {
		t.Errorf("resumed while open elsewhere: %v", err)
	}
	if err := theirs.Append(t.Context(), id, Message{Role: User}); !errors.Is(err, ErrInUse) {
		t.Errorf("written while open elsewhere: %v", err)
	}
	if err := theirs.Delete(t.Context(), id); !errors.Is(err, ErrInUse) {
		t.Errorf("deleted while open elsewhere: %v", err)
	}
	if err := mine.End(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.Latest(t.Context()); !errors.Is(err, ErrNotFound) {
		t.Errorf("an ended conversation is offered: %v", err)
	}
	if err := mine.Append(t.Context(), id, Message{Role: User}); !errors.Is(err, ErrInUse) {
		t.Errorf("written after its end: %v", err)
	}
	c, said, err := theirs.Resume(t.Context(), id)
	if err != nil || !c.Open || len(said) != 1 {
		t.Fatalf("%+v, %v, %v", c, said, err)
	}
	if err := mine.Append(t.Context(), id, Message{Role: User}); !errors.Is(err, ErrInUse) {
		t.Errorf("written after it was resumed elsewhere: %v", err)
	}
}

func TestReadingOnlyWorksBesideAWriterAndAfterIt(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(t.Context(), dir, Options{ReadOnly: true}); !errors.Is(err, ErrNone) {
		t.Errorf("nothing there: %v", err)
	}
	writer, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	id := create(t, writer)
	say(t, writer, id, Message{Role: User, Content: "hello"})

	reader := open(t, dir, Options{ReadOnly: true})
	if said, err := reader.Load(t.Context(), id); err != nil || len(said) != 1 {
		t.Errorf("beside a writer: %v, %v", said, err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	later := open(t, dir, Options{ReadOnly: true})
	if said, err := later.Load(t.Context(), id); err != nil || len(said) != 1 {
		t.Errorf("after the writer: %v, %v", said, err)
	}
	var e *Error
	for what, err := range map[string]error{
		"append": reader.Append(t.Context(), id, Message{Role: User}),
		"end":    reader.End(t.Context(), id),
	} {
		if !errors.As(err, &e) || e.Problem != ReadOnly || e.Hint == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestANoteAboutACallIsNoResult(t *testing.T) {
	said := []Message{
		{Role: Assistant, Calls: []Call{{ID: "a", Name: "x"}}},
		{Role: Note, Call: "a", Content: "it was edited"},
	}
	if lost := Unanswered(said, "lost", time.Now()); len(lost) != 1 || lost[0].Call != "a" {
		t.Errorf("%+v", lost)
	}
}
