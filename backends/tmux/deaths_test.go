package tmux_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/tmux"
)

// onSocket opens a server of the test's own on a target.
func onSocket(t *testing.T, target backends.Target) *tmux.Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "nod") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s, err := tmux.Open(t.Context(), target, tmux.Options{Socket: filepath.Join(dir, "s"), Config: "/dev/null"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Both ways: what is asked of an older tmux, a newer one tells by itself.
func TestTheEndOfAProgramIsTold(t *testing.T) {
	for _, release := range []string{"3.3a", "3.7"} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			target, _ := claiming(t, release)
			s := onSocket(t, target)
			pane, _, r := create(t, s, "nod-t-deaths", "sh", "-c", "stty -echo; printf ready; read x")
			shows(t, s, pane.ID, "ready")
			if _, err := s.Run(t.Context(), "send-keys", "-t", pane.ID, "Enter"); err != nil {
				t.Fatal(err)
			}
			r.until(t, "word of it", func() bool { return slices.Contains(r.notes, "pane-died "+pane.ID) })
			if err := s.Kill(t.Context(), "nod-t-deaths"); err != nil {
				t.Error(err)
			}
		})
	}
}

// tmux (3.3a, 3.5a) crashes when it looks at what a client has subscribed to
// that has not gone yet although its session has: see Subscriptions.
func TestAServerOutlivesASessionBeforeItsClients(t *testing.T) {
	t.Parallel()
	s, _, _ := server(t)
	create(t, s, "nod-t-other", "cat")
	_, err := s.Create(t.Context(), tmux.NewSession{
		Name: "nod-t-ends", Window: "shared", Owner: tmux.Owner(), Size: backends.Size{Cols: 80, Rows: 24}, Shell: []string{"cat"},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Attach(t.Context(), "nod-t-ends", newRecorder())
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Run(t.Context(), "list-clients", "-t", "nod-t-ends", "-F", "#{client_pid}")
	if err != nil {
		t.Fatal(err)
	}
	for pid := range strings.FieldsSeq(string(out)) {
		pid, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	}
	if err := s.Kill(t.Context(), "nod-t-ends"); err != nil {
		t.Fatal(err)
	}
	// tmux looks once a second.
	for limit := time.Now().Add(2500 * time.Millisecond); time.Now().Before(limit); time.Sleep(100 * time.Millisecond) {
		if all, err := s.Sessions(t.Context()); err != nil || len(all) != 1 {
			t.Fatalf("sessions %v, %v", all, err)
		}
	}
	c.Close()
}

// For a client that is half introduced, a notification is the end of the server.
func TestAConnectionIntroducesOneClientAfterTheOther(t *testing.T) {
	t.Parallel()
	target, dir := wrapping(t, `#!/bin/sh
case " $* " in
*no-output*) sleep 0.5; [ ! -e DIR/main ] || : >DIR/both ;;
*" -C attach-session "*) : >DIR/main ;;
esac
exec REAL "$@"
`)
	s := onSocket(t, target)
	create(t, s, "nod-t-order", "cat")
	if _, err := os.Stat(filepath.Join(dir, "both")); err == nil {
		t.Error("both introduce themselves at the same time")
	}
	if err := s.Kill(t.Context(), "nod-t-order"); err != nil {
		t.Error(err)
	}
}
