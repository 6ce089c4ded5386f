package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// When tmux goes away under the console, the operator watches the fresh pane in
// which the next command runs, not the picture of the dead one.
func TestAPaneThatEndsIsReplacedOnTheScreen(t *testing.T) {
	w := newWorld(t)
	s := w.console(120, 40)
	s.see("ready$")
	if out, err := exec.Command("tmux", "-L", w.socket, "kill-server").CombinedOutput(); err != nil {
		t.Fatalf("kill-server: %v: %s", err, out)
	}
	s.see("has ended; a fresh one", "ready$")
	s.typed("run `uname -s`")
	s.press("Enter")
	s.see("exit 0", "Linux")
	quit(s)
}

// A link that is lost ends nod, not the conversation: the next start offers it.
func TestAfterAHangUpTheConversationIsOffered(t *testing.T) {
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
		if status := s.ended(); status != "130" {
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

// Where nothing can be put on record, the console and the doctor say so before
// anything is tried.
func TestAFullDiskIsToldAtTheStart(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting a small disk needs root")
	}
	w := newWorld(t)
	small := filepath.Join(w.home, "small")
	if err := os.Mkdir(small, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=4m,mode=0700"); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(small, 0); err != nil {
			t.Error(err)
		}
	})
	w.extra = []string{"NOD_STATE_DIR=" + filepath.Join(small, "state")}
	s := w.console(120, 40)
	s.see("only plain looks run now", "almost full", "ready$")
	s.typed("/quit")
	s.press("Enter")
	if status := s.ended(); status != "125" { // the recording has no end, and that is said
		t.Errorf("exit status %s", status)
	}
	out, _, status := w.do("doctor")
	if status != statusFailed || !strings.Contains(out, "make room") {
		t.Errorf("doctor: %d\n%s", status, out)
	}
}
