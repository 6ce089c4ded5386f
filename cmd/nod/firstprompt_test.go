package main

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// silentHost is a host in ssh_config whose server accepts connections and says nothing.
func silentHost(t *testing.T, w *world) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	w.write(".ssh/config", fmt.Sprintf("Host silent\n  HostName 127.0.0.1\n  Port %s\n  ConnectTimeout 600\n", port), 0o600)
	w.extra = append(w.extra, "NOD_SSH_CONFIG="+filepath.Join(w.home, ".ssh", "config"))
}

// TestAPromptWaitsForItsOwnTargetOnly proves that the first prompt does not wait for
// another target of the command line, that it says for which one it waits, and that it
// runs on no other machine meanwhile.
func TestAPromptWaitsForItsOwnTargetOnly(t *testing.T) {
	t.Parallel()
	t.Run("another one is silent", func(t *testing.T) {
		w := newWorld(t)
		silentHost(t, w)
		s := w.console(100, 30, "local", "ssh:silent")
		s.see("ready$", "connecting ssh:silent")
		s.typed("what is the load?")
		s.press("Enter")
		if text := s.see("load average"); strings.Contains(text, "waits for") {
			t.Errorf("it waited:\n%s", text)
		}
		s.see("connecting ssh:silent")
		quit(s)
	})
	t.Run("its own is silent", func(t *testing.T) {
		w := newWorld(t)
		silentHost(t, w)
		s := w.console(100, 30, "ssh:silent", "local")
		s.typed("what is the load?")
		s.see("F1", "what is the load?")
		s.press("Enter")
		s.see("waits for ssh:silent, which is being connected")
		pick(s) // the operator changes their mind
		s.typed("local")
		s.press("Enter")
		if text := s.see("load average"); strings.Contains(text, "connecting local") {
			t.Error(text)
		}
		quit(s)
	})
}
