package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What a terminal delivers in one piece, as a paste without brackets does and what
// was typed ahead, answers nothing, whatever it holds; one key by itself does, soon.
func TestABurstOfKeysAnswersNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := filepath.Join(w.home, "hello.txt")
	s := w.console(120, 40)
	s.see("local", "F1")
	s.typed("create a file " + file + " with hello")
	s.press("Enter")
	s.see("APPROVE", "y approves")
	for _, text := range []string{"hello y world", "y\r", "yes\r", "yy", "y\x1b", "n\r", "dno\r", strings.Repeat("x", 300) + "y"} {
		s.typed(text)
		s.see("APPROVE", "a sentence is not an answer · y approves")
		s.press("Down") // by itself: the dialog is as before
		s.seeNo("a sentence is not")
		s.see("y approves")
	}
	if _, err := os.Stat(file); err == nil {
		t.Fatal("approved")
	}
	s.press("y")
	begun := s.at
	s.seeNo("APPROVE")
	took := time.Since(begun)
	t.Logf("from y to the dialog's end: %v, tmux included", took.Round(time.Millisecond))
	if os.Getenv("NOD_E2E") == "1" && took > time.Second { // 405 ms of it are the rule's, the rest tmux's and this test's
		t.Errorf("y takes %v", took)
	}
	eventually(t, "the file is there", func() bool { _, err := os.Stat(file); return err == nil })
	s.see("is written")
	quit(s)
}
