package tmux_test

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/tmux"
	"github.com/nod-console/nod/backends/vt"
)

func TestWithoutControlModeThePaneIsPolled(t *testing.T) {
	s, _, _ := server(t)
	id, err := s.Create(t.Context(), tmux.NewSession{
		Name: "nod-t-poll", Window: "shared", Owner: tmux.Owner(),
		Size: backends.Size{Cols: 80, Rows: 24}, Shell: []string{"sh", "-c", "printf ready; exec cat"},
	})
	if err != nil {
		t.Fatal(err)
	}
	panes, err := s.Panes(t.Context(), id)
	if err != nil || len(panes) != 1 {
		t.Fatalf("panes %v, %v", panes, err)
	}
	r := newRecorder()
	c := s.Poll(t.Context(), id, r)
	t.Cleanup(c.Close)
	shows(t, s, panes[0].ID, "ready")
	got := make(chan vt.Seed, 1)
	c.Seed(panes[0].ID, true, func(s vt.Seed, err error) {
		if err != nil {
			t.Error(err)
		}
		got <- s
	})
	if s := <-got; s.Size.Rows != 24 || len(s.Lines) != 24 || strings.TrimRight(string(s.Lines[0]), " ") != "ready" {
		t.Errorf("size %v, lines %q", s.Size, s.Lines)
	}
	for i := range 5 {
		c.Type(panes[0].ID, []byte{'a' + byte(i)}, nil)
	}
	shows(t, s, panes[0].ID, "abcde")
	r.until(t, "a change", func() bool { return strings.Contains(strings.Join(r.notes, "\n"), "screen-changed "+panes[0].ID) })
	lines, err := c.Do(t.Context(), "display-message", "-p", "a;b;")
	if err != nil || len(lines) != 1 || lines[0] != "a;b;" {
		t.Errorf("%q, %v", lines, err)
	}
	if err := s.Kill(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	<-c.Done()
}
