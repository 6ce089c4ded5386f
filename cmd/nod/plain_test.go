package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The main job in lines, on a terminal that can do nothing else.
func TestTheMainJobInLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.extra = []string{"TERM=dumb", "ACCESSIBLE=1"}
	s := w.console(120, 60)
	s.see("note: No model is configured", "terminal: local", "you:")
	s.typed("how full is the disk?")
	s.press("Enter")
	s.see("run: run_shell on local, pane %0 (observe): df -kPT", "end: exit 0", "  | Filesystem", "nod: The fullest file system is")

	file := filepath.Join(w.home, "hello.txt")
	s.typed("create a file " + file + " with hello")
	s.press("Enter")
	s.see("APPROVE on local", "+hello", "run it? [y/N]")
	s.press("Enter") // nothing denies
	s.see("end: denied")
	if _, err := os.Stat(file); err == nil {
		t.Fatal("denied, and the file is there")
	}
	s.tmux("clear-history")
	s.typed("create a file " + file + " with hello")
	s.press("Enter")
	s.until("the question again", func(text string) bool { return strings.HasSuffix(strings.TrimSpace(text), "run it? [y/N]") })
	s.typed("y")
	s.press("Enter")
	s.see("run: write_file on local (mutate)", "is written, with 6 bytes")
	eventually(t, "the file is there", func() bool {
		data, err := os.ReadFile(file)
		return err == nil && strings.TrimSpace(string(data)) == "hello"
	})
	if err := syscall.Kill(s.pid(), syscall.SIGINT); err != nil { // as ^C
		t.Fatal(err)
	}
	s.see("note: nothing is running")
	s.typed("/quit")
	s.press("Enter")
	if status := s.ended(); status != "0" {
		t.Errorf("exit status %s", status)
	}
	if out, errs, status := w.do("audit", "verify"); status != 0 || !strings.HasPrefix(out, "ok: ") {
		t.Errorf("audit verify: %d %s%s", status, out, errs)
	}
}
