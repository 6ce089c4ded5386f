package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// shell opens an interactive shell with job control in a real terminal, as the one
// that an operator starts nod from.
func (w *world) shell(cols, rows int) *display {
	w.t.Helper()
	rc := w.write("shellrc", "PS1='shell> '\nHISTFILE=/dev/null\nbind 'set enable-bracketed-paste off'\ncd\nstty -g >before\n", 0o600)
	s := openDisplay(w.t, cols, rows, w.env(), "bash", "--rcfile", rc, "-i")
	s.see("shell>")
	return s
}

// line gives a line to a shell.
func (s *display) line(text string) {
	s.t.Helper()
	s.typed(text)
	s.press("Enter")
}

// inForeground is the process that a shell in the display has started.
func (s *display) inForeground() int {
	s.t.Helper()
	return childOf(s.t, strconv.Itoa(s.pid()))
}

// signalled sends a signal to what a shell in the display has started.
func (s *display) signalled(sig syscall.Signal) {
	s.t.Helper()
	if err := syscall.Kill(s.inForeground(), sig); err != nil {
		s.t.Fatal(err)
	}
}

// theShells checks that the terminal is the shell's again, in every mode.
func (s *display) theShells(t *testing.T, w *world) {
	s.t.Helper()
	s.press("C-l")
	s.line("stty -g >after; echo written $((6*7))")
	s.see("written 42")
	if before, after := read(t, w, "before"), read(t, w, "after"); before != after {
		s.t.Errorf("before %s\nafter %s", before, after)
	}
	modes := s.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_flag} #{keypad_cursor_flag}")
	if modes != "0 1 0 0 0" {
		s.t.Errorf("alternate screen, cursor, mouse, keypad, cursor keys: %s", modes)
	}
	// A terminal that brackets what is pasted says so around it.
	s.tmux("set-buffer", "-b", "said", "as it is")
	s.press("C-l")
	s.line("cat -v")
	s.seeNo("shell>  ")
	s.tmux("paste-buffer", "-p", "-b", "said")
	if text := s.see("as it is"); strings.Contains(text, "200~") {
		s.t.Errorf("pastes are still bracketed:\n%s", text)
	}
	s.press("C-c", "C-l")
}

// Whoever stops nod gets the terminal back as it was, and nod comes back whole, at
// another size, too, with what went on meanwhile.
func TestNodStopsAndGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	onward, made := filepath.Join(w.home, "onward"), filepath.Join(w.home, "made")
	m := serveModel(t,
		calls(shell("a", "until test -e "+onward+"; do sleep 0.1; done; uname -s", false)),
		calls(shell("b", "touch "+made, true)),
		says("It is made."),
	)
	w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	s := w.shell(100, 30)
	s.line(w.nod)
	s.see("ready$")
	s.typed("work")
	s.press("Enter")
	s.see("until test", "1 running")
	s.typed("a draft")
	s.see("> a draft")

	s.press("C-z")
	s.see("Stopped", "shell>")
	s.theShells(t, w)
	s.tmux("resize-window", "-x", "70", "-y", "20")
	w.write("onward", "", 0o600)
	s.line("fg")
	s.see("APPROVE", "touch ") // the turn went on

	s.press("C-z")
	s.see("shell>")
	s.theShells(t, w)
	s.tmux("resize-window", "-x", "100", "-y", "30")
	s.line("fg")
	s.see("APPROVE", "touch ")
	if _, err := os.Stat(made); err == nil {
		t.Fatal("the dialog was answered while nod was stopped")
	}
	answer(s, "y")
	s.see("It is made.", "> a draft")
	s.press("C-u")
	s.see("nothing running")
	s.press("C-d")
	s.see("shell>")
	s.theShells(t, w)
}

// The same by signals from elsewhere; and a stopped nod that is told to end does,
// without the terminal.
func TestSignalsStopNodAndGoOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.shell(80, 24)
	s.line(w.nod)
	s.see("ready$")
	s.signalled(syscall.SIGTSTP)
	s.see("Stopped", "shell>")
	s.theShells(t, w)
	s.line("fg")
	whole := s.until("see all of the screen", func(text string) bool { // which may come in pieces
		for _, part := range []string{"nod  local", "ready$", "Five keys", "> ask for something", "live 40×20", "F1 help", "nothing running"} {
			if !strings.Contains(text, part) {
				return false
			}
		}
		return true
	})

	s.signalled(syscall.SIGSTOP) // leaves nod no time for anything
	s.see("Stopped", "shell>")
	s.line("fg")
	s.until("see the same again", func(text string) bool { return text == whole })
	s.typed("keys are nod's")
	s.see("> keys are nod's")
	s.press("C-u")

	s.press("C-z")
	s.see("Stopped")
	s.line("bg") // in the background there is nothing to draw on
	s.line("clear; until jobs | grep Stopped; do sleep 0.1; done")
	s.see("Stopped", "shell>")
	s.theShells(t, w)
	s.line("fg")
	s.until("see the same again", func(text string) bool { return text == whole })

	s.press("C-z")
	s.see("Stopped")
	s.line("clear; kill %1; while jobs %1; do sleep 0.1; done")
	s.see("Exit 143")
	s.see("no such job", "shell>")
	s.theShells(t, w)
}
