package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A terminal that cannot move its cursor gets a sentence, not a picture.
func TestConsoleOnADumbTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.extra = []string{"TERM=dumb"}
	s := w.console(200, 10)
	s.see(`TERM is "dumb"`, "nod --plain")
	if status := s.ended(); status != "125" {
		t.Errorf("exit status %s", status)
	}
}

// So does one that is said to show another character set than UTF-8; in lines nod
// can be used there.
func TestConsoleInAnotherCharacterSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.extra = []string{"LC_ALL=", "LC_CTYPE=de_DE.ISO-8859-1"}
	s := w.console(200, 10)
	s.see(`LC_CTYPE is "de_DE.ISO-8859-1"`, "LC_CTYPE=C.UTF-8", "nod --plain")
	if status := s.ended(); status != "125" {
		t.Errorf("exit status %s", status)
	}
	s = w.shell(150, 40)
	s.line(w.nod + " doctor")
	s.see(`TERM=screen-256color: LC_CTYPE is "de_DE.ISO-8859-1"`, "→ start nod with LC_CTYPE=C.UTF-8")
	s.press("C-l")
	s.line(w.nod + " --plain; echo ended with $?")
	s.see("to watch it:", "you:")
	s.press("C-d")
	s.see("ended with 0")
}

// The locale C says nothing of the terminal: everything is shown as it is, and
// read as it is typed.
func TestConsoleInTheLocaleC(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.extra = []string{"LC_ALL=C"}
	s := w.console(120, 40)
	s.see("┌ chat ─", "ready$")
	s.typed("ä ⟦U+2192⟧ →·日本")
	s.see("> ä ⟦U+2192⟧ →·日本")
	s.press("C-u")
	quit(s)
}

// In a tmux that shows "_" for all that is not ASCII, nod says so.
func TestATmuxThatShowsASCIIAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.shell(150, 40)
	inside := func(flag, command string) {
		s.press("C-l")
		s.line("LC_ALL=C tmux " + flag + " -S " + filepath.Join(w.home, "inner") + " -f /dev/null new-session '" + command + "'")
	}
	inside("", w.nod)
	s.see("the tmux around nod shows", "tmux -u", "nothing running")
	s.press("C-d")
	s.see("[exited]", "shell>")
	inside("", w.nod+" doctor; cat")
	s.see("note    terminal", "the tmux around nod shows")
	s.press("C-d")
	s.see("[exited]", "shell>")
	inside("-u", w.nod+" doctor; cat")
	if text := s.see("ok      terminal", "ok      clock"); strings.Contains(text, "around nod") {
		t.Error(text)
	}
	s.press("C-d")
	s.see("[exited]", "shell>")
}
