package main

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// When tmux goes away under the console, the operator watches the fresh pane in
// which the next command runs, not the picture of the dead one.
func TestAPaneThatEndsIsReplacedOnTheScreen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.console(120, 40)
	s.see("ready$")
	if out, err := exec.Command("tmux", "-L", w.socket, "kill-server").CombinedOutput(); err != nil {
		t.Fatalf("kill-server: %v: %s", err, out)
	}
	s.see("has ended; a fresh one", "ready$")
	s.typed("run `uname -s`")
	s.press("Enter")
	s.see("✓ ", "Linux")
	quit(s)
}

// A link that is lost ends nod, not the conversation: the next start offers it.
func TestAfterAHangUpTheConversationIsOffered(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		w := newWorld(t)
		m := serveModel(t, says("You are welcome."))
		w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
		s := w.console(100, 30)
		s.see("ready$")
		s.typed("thank you")
		s.press("Enter")
		s.see("You are welcome.", "nothing running")
		if err := syscall.Kill(s.pid(), sig); err != nil {
			t.Fatal(err)
		}
		if status := s.ended(); status != strconv.Itoa(128+int(sig)) {
			t.Errorf("%v: exit status %s", sig, status)
		}
		again := w.console(100, 30)
		again.see("thank you", "/resume")
		again.typed("/resume")
		again.press("Enter")
		again.see("You are welcome.")
		again.see("ready$")
		quit(again)
		last := w.console(100, 30) // and what was quit is not offered
		if text := last.see("ready$"); strings.Contains(text, "/resume") {
			t.Errorf("offered after quitting:\n%s", text)
		}
		quit(last)
	}
}

func TestStatusSaysEachThingOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.console(120, 40)
	s.see("ready$")
	s.typed("/status")
	s.press("Enter")
	text := s.see("posture", "tools", "attach")
	for _, once := range []string{"posture", "target:"} {
		if n := strings.Count(text, once); n != 1 {
			t.Errorf("%q is said %d times:\n%s", once, n, text)
		}
	}
	quit(s)
}

// The console says in words what holds looks, and the top line where nothing does.
func TestTheConsoleSaysWhatHoldsLooks(t *testing.T) {
	t.Parallel()
	for cage, want := range map[string]string{"prefer": "local: looks are held by", "off": "local: looks are not held:"} {
		w := newWorld(t)
		w.write(".config/nod/config.toml", fmt.Sprintf("[tmux]\nsocket = %q\n[policy]\ncage = %q\n", w.socket, cage), 0o600)
		s := w.console(120, 40)
		s.see("ready$")
		s.until("know what holds looks", func(string) bool {
			s.typed("/status")
			s.press("Enter")
			return strings.Contains(s.see("held  "), want)
		})
		if top, _, _ := strings.Cut(s.see("held  "), "\n"); strings.Contains(top, "not held") != (cage == "off") {
			t.Errorf("%s: the top line is %q", cage, top)
		}
		quit(s)
	}
}
