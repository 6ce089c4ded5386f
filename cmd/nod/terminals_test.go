package main

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/docker/enginetest"
)

// The operator opens a second terminal, types into it, names it and closes it: in tmux on a
// host, and where there is no tmux, in a container. The record says so.
func TestASecondTerminal(t *testing.T) {
	t.Parallel()
	t.Run("ssh", func(t *testing.T) {
		t.Parallel()
		w, _ := newRemote(t)
		s := w.console(120, 40, "box")
		s.see("ssh:box · main/shared", "box$")
		secondTerminal(w, s, "ssh:box")
		// It is there again at the next start, in its place and with a fresh shell.
		s = w.console(120, 40, "box")
		s.see("ssh:box · main/shared", "box$")
		s.typed("/open")
		s.press("Enter")
		s.see("2/2 ssh:box · main/term-2", "reading ssh:box")
		s.press("{")
		s.see("1/2 ssh:box · main/term-2", "2/2 ssh:box · main/shared")
		quit(s)
		s = w.console(120, 40, "box")
		s.see("1/2 ssh:box · main/term-2", "2/2 ssh:box · main/shared")
		quit(s)
	})
	t.Run("docker", func(t *testing.T) {
		t.Parallel()
		w, engine := containers(t)
		name := engine.Container(t, enginetest.Busybox)
		s := w.console(120, 40, "docker:"+name)
		s.see("docker:"+name+" · main/shared", "/ #")
		secondTerminal(w, s, "docker:"+name)
	})
}

func secondTerminal(w *world, s *display, target string) {
	s.t.Helper()
	s.press("C-t")
	s.see("┌ targets")
	s.typed("n")
	s.see("› ", "new terminal", "on "+target)
	s.press("Enter")
	s.see("2/2 "+target+" · main/term-2", "reading "+target+" · main/term-2")
	s.press("Enter")
	s.see("typing into")
	s.typed("echo a$((6*7))b; sleep 1000")
	s.press("Enter")
	s.see("a42b")
	s.press("C-]")
	s.seeNo("typing into")
	s.typed("/rename build")
	s.press("Enter")
	s.see("2/2 " + target + " · main/build")
	s.typed("/close build")
	s.press("Enter")
	s.see("main/build runs", "Close it?", "y yes   n no")
	s.press("y")
	s.see("the pane main/build has ended")
	s.seeNo("2/2")
	// One in which nothing runs is closed at once.
	s.typed("/open")
	s.press("Enter")
	s.see("reading "+target+" · main/term-2", "nothing running")
	s.press("Escape")
	s.seeNo("reading " + target)
	s.typed("/close")
	s.press("Enter")
	s.see("the pane main/term-2 has ended")
	s.seeNo("2/2")
	quit(s)
	out := w.must("audit", "show")
	for _, want := range []string{"opened " + target + " main/term-2", "renamed " + target + " main/term-2 to build", "closed " + target + " main/build"} {
		if !strings.Contains(out, want) {
			s.t.Errorf("the record does not say %q:\n%s", want, out)
		}
	}
}
