package history_test

import (
	"slices"
	"testing"

	"github.com/nod-console/nod/agent/history"
)

func TestPromptsAreTheOperatorsWordsOldestFirstAndOnce(t *testing.T) {
	ctx := t.Context()
	s, err := history.Open(ctx, t.TempDir(), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, words := range [][]string{{"one", "two"}, {"one", "three"}} {
		c, err := s.Create(ctx, "local", "m")
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range words {
			if err := s.Append(ctx, c.ID, history.Message{Role: history.User, Content: w},
				history.Message{Role: history.Assistant, Content: "answer"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for limit, want := range map[int][]string{10: {"two", "one", "three"}, 1: {"three"}} {
		got, err := s.Prompts(ctx, limit)
		slices.Sort(got[:max(0, len(got)-1)]) // within a millisecond, conversations may change places
		slices.Sort(want[:max(0, len(want)-1)])
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("limit %d: %q, %v", limit, got, err)
		}
	}
}
