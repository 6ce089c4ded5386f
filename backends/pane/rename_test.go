package pane_test

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/pane"
)

// A pane keeps the name that it was given: in tmux, with a fresh shell, and for whoever
// asks for it.
func TestAPaneIsRenamed(t *testing.T) {
	t.Parallel()
	r := newRig(t, "dash")
	k := r.open(t)
	_, err := k.Shared(t.Context())
	must(t, err)
	p, err := k.CreatePane(t.Context(), "", "worker")
	must(t, err)
	changes, cancel := k.Changes()
	defer cancel()
	must(t, k.RenamePane(t.Context(), "", "worker", "Build"))
	until(t, k, changes, "the other name", func([]*pane.Pane) bool { return p.Name() == "build" })
	if again, err := k.Get("", "build"); err != nil || again != p {
		t.Errorf("by its name: %v, %v", again, err)
	}
	before := p.ID()
	finish(t, p, start(t, p, pane.Request{Command: "exit"}))
	run(t, p, "true")
	if p.ID() == before {
		t.Fatal("it has the shell of before")
	}
	if names := r.tmux(t, "list-windows", "-a", "-F", "#{window_name} #{@nod_pane}"); !strings.Contains(names, "build build") || strings.Contains(names, "worker") {
		t.Errorf("tmux has %q", names)
	}
	is(t, k.RenamePane(t.Context(), "", "build", pane.SharedPane), pane.ErrExists)
	is(t, k.RenamePane(t.Context(), "", pane.SharedPane, "mine"), pane.ErrProtected)
	is(t, k.RenamePane(t.Context(), "", "worker", "x"), pane.ErrNotFound)
	if err := k.RenamePane(t.Context(), "", "build", "a/b"); err == nil || !strings.Contains(err.Error(), `"a/b"`) {
		t.Errorf("a bad name: %v", err)
	}
}

func TestAPaneIsRenamedWithoutTmux(t *testing.T) {
	t.Parallel()
	k, _ := bare(t, "dash")
	p, err := k.CreatePane(t.Context(), "", "worker")
	must(t, err)
	must(t, k.RenamePane(t.Context(), "", "worker", "build"))
	run(t, p, "true")
	if again, err := k.Get("", "build"); err != nil || again != p {
		t.Errorf("by its name: %v, %v", again, err)
	}
}
