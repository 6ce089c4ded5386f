package pane_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
)

// until waits for something to hold of the panes of a keeper.
func until(t testing.TB, k *pane.Keeper, changes <-chan struct{}, what string, ok func([]*pane.Pane) bool) {
	t.Helper()
	limit := time.After(patience)
	for !ok(k.List()) {
		select {
		case <-changes:
		case <-limit:
			t.Fatalf("%s: there are %v", what, k.List())
		}
	}
}

func TestPanesThatComeAndGoAreTold(t *testing.T) {
	t.Parallel()
	r := newRig(t, "dash")
	k := r.open(t)
	changes, cancel := k.Changes()
	defer cancel()
	gone, forget := k.Changes()
	forget()
	p, err := k.Shared(t.Context())
	must(t, err)
	until(t, k, changes, "the shared pane", func(all []*pane.Pane) bool { return slices.Contains(all, p) })
	worker, err := k.CreatePane(t.Context(), "", "worker")
	must(t, err)
	until(t, k, changes, "another pane", func(all []*pane.Pane) bool { return slices.Contains(all, worker) })
	before := worker.ID()
	finish(t, worker, start(t, worker, pane.Request{Command: "exit"}))
	run(t, worker, "true") // in a fresh shell
	until(t, k, changes, "another id", func([]*pane.Pane) bool { return worker.ID() != before })
	r.tmux(t, "kill-pane", "-t", worker.ID())
	until(t, k, changes, "the end of a pane", func(all []*pane.Pane) bool { return !slices.Contains(all, worker) })
	_, err = k.CreateSession(t.Context(), "build")
	must(t, err)
	until(t, k, changes, "another session", func(all []*pane.Pane) bool { return len(all) == 2 })
	must(t, k.KillSession(t.Context(), "build"))
	until(t, k, changes, "the end of a session", func(all []*pane.Pane) bool { return len(all) == 1 })
	select {
	case <-gone:
		t.Error("who has cancelled is told")
	default:
	}
}

func TestTheSizeOutlivesAConnection(t *testing.T) {
	t.Parallel()
	r := newRig(t, "dash")
	k := r.open(t)
	p, err := k.Shared(t.Context())
	must(t, err)
	p.Resize(backends.Size{Cols: 70, Rows: 20})
	eventually(t, p, "the size", func() bool { return p.Screen().Size.Cols == 70 })
	ours := func() (pid, width string) {
		for client := range strings.Lines(r.tmux(t, "list-clients", "-F", "#{client_flags}|#{client_pid}|#{client_width}")) {
			if f := strings.Split(strings.TrimSpace(client), "|"); !strings.Contains(f[0], "no-output") {
				return f[1], f[2]
			}
		}
		return "", ""
	}
	client, _ := ours()
	r.cut(t)
	eventually(t, p, "another connection with the same size", func() bool {
		pid, width := ours()
		return pid != "" && pid != client && width == "70"
	})
}
