package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// A new operator takes the tour: the guide, a real terminal, a change that he denies
// first and then approves, and takes back.
func TestTheTour(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.console(100, 30)
	s.see("No model is configured", "/tour", "ready$")
	enter := func(text string) {
		t.Helper()
		s.typed(text)
		s.press("Enter")
	}
	enter("/tour")
	s.see("Tour, 1 of 5.", "how full is the disk?")
	enter("how full is the disk?")
	folder := regexp.MustCompile(`/tmp/nod-tour-[a-z2-7]{5}`).FindString(s.see("Tour, 2 of 5.", "!mkdir /tmp/nod-tour-"))
	enter("!mkdir " + folder)
	s.see("APPROVE on local", "mkdir "+folder)
	answer(s, "n")
	s.see("You said no, and nothing ran.")
	if _, err := os.Stat(folder); err == nil {
		t.Fatal("denied, and the folder is there")
	}
	enter("!mkdir " + folder)
	s.see("APPROVE on local", "mkdir "+folder)
	answer(s, "y")
	s.see("Tour, 3 of 5.")
	if _, err := os.Stat(folder); err != nil {
		t.Fatal(err)
	}
	enter("/undo")
	s.see("APPROVE on local", "rmdir")
	answer(s, "y")
	s.see("Tour, 4 of 5.")
	if _, err := os.Stat(folder); err == nil {
		t.Error("taken back, and the folder is there")
	}
	s.press("C-]") // and go on at once
	enter("echo by$((1+1))hand")
	s.see("by2hand")
	s.press("C-]")
	s.see("Tour, 5 of 5.")
	s.press("C-p")
	s.see("Esc closes")
	s.typed("in two minutes")
	s.see("› Tour ", "learn nod in two minutes")
	s.press("Escape", "Escape") // what is typed, and the list
	s.see("That was the tour.")
	quit(s)
	if out, errs, _ := w.do("audit", "show"); !strings.Contains(out, "mkdir "+folder) || !strings.Contains(out, "rmdir -- "+folder) {
		t.Errorf("on record: %s%s", out, errs)
	}
}

// The same in lines. The rule of "always" is read only by who asks for it.
func TestTheTourInLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.extra = []string{"TERM=dumb"}
	s := w.console(300, 90, "--plain")
	// enter writes a line, and waits for what comes and the question behind it.
	enter := func(line, text, question string) string {
		t.Helper()
		s.typed(line)
		s.press("Enter")
		return s.until(text, func(shown string) bool {
			return strings.Contains(shown, text) && strings.HasSuffix(strings.TrimRight(shown, " \n"), question)
		})
	}
	s.see("No model is configured", "/tour", "you:")
	enter("/tour", "Tour, 1 of 3.", "\nyou:")
	folder := regexp.MustCompile(`/tmp/nod-tour-[a-z2-7]{5}`).FindString(enter("how full is the disk?", "Tour, 2 of 3.", "\nyou:"))
	enter("!mkdir "+folder, "APPROVE on local", "the rule for always]")
	enter("n", "You said no, and nothing ran.", "\nyou:")
	if _, err := os.Stat(folder); err == nil {
		t.Fatal("denied, and the folder is there")
	}
	if text := enter("!mkdir "+folder, "mkdir "+folder, "the rule for always]"); strings.Contains(text, "[[rule]]") {
		t.Errorf("the rule is there, and nobody wanted it:\n%s", text)
	}
	enter("a", "[[rule]]", "to write that rule]")
	enter("y", "Tour, 3 of 3.", "\nyou:")
	if _, err := os.Stat(folder); err != nil {
		t.Fatal(err)
	}
	enter("/undo", "rmdir -- "+folder, "the rule for always]")
	enter("y", "That was the tour.", "\nyou:")
	if _, err := os.Stat(folder); err == nil {
		t.Error("taken back, and the folder is there")
	}
	s.typed("/quit")
	s.press("Enter")
	s.ended()
}
