package history

import (
	"context"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// The variables that turn the test binary into one of its helpers.
const (
	helperEnv = "HISTORY_TEST_HELPER"
	dirEnv    = "HISTORY_TEST_DIR"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(helperEnv); role != "" {
		os.Exit(helpers[role](context.Background(), os.Getenv(dirEnv)))
	}
	goleak.VerifyTestMain(m)
}

func open(t *testing.T, dir string, opt Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func create(t *testing.T, s *Store) string {
	t.Helper()
	c, err := s.Create(t.Context(), "local", "m")
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}

func say(t *testing.T, s *Store, id string, messages ...Message) {
	t.Helper()
	if err := s.Append(t.Context(), id, messages...); err != nil {
		t.Fatal(err)
	}
}
