package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A window that is dragged about, while a pane floods and a line is typed, loses no
// key and leaves nothing behind on the screen.
func TestAStormOfSizes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.console(120, 40)
	s.see("ready$")
	s.typed("!seq 1 100000000 | grep -v x")
	s.press("Enter")
	s.see("1 running", "││1")
	const text = "abcdefghijklmnopqrstuvwxyz0123456789"
	for i := range 200 {
		s.tmux("resize-window", "-x", strconv.Itoa(10+i*37%241), "-y", strconv.Itoa(3+i*17%68))
		if i%5 == 0 && i/5 < len(text) {
			s.typed(text[i/5 : i/5+1])
		}
	}
	s.tmux("resize-window", "-x", "100", "-y", "30")
	s.see("> "+text, "local · main/shared")
	s.press("C-u", "C-c")
	s.see("nothing running", "ready$")
	s.seeNo("runs seq") // the interrupted program's end reaches the pane's border when it has ended
	s.typed("a line")
	before := s.see("> a line", "nothing running", "ready$")
	s.tmux("clear-history")
	s.tmux("send-keys", "C-l")
	s.typed(" more") // what is drawn behind the redraw is seen
	after := s.see("> a line more")
	if want := strings.Replace(before, "> a line     ", "> a line more", 1); after != want {
		t.Errorf("the screen was\n%s\nand drawn anew it is\n%s", want, after)
	}
	s.press("C-u")
	quit(s)
}

// A megabyte that is pasted into a prompt arrives whole, and what is pasted into a terminal,
// which is more than any buffer on the way holds. To a dialog a paste means nothing. (With
// NOD_E2E=1 it is a megabyte each time.)
func TestAPasteOfAMegabyte(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := filepath.Join(w.home, "made")
	summary := says("A long text was pasted.") // which is asked for, since no context holds the text
	m := serveModel(t, says("That was long."), summary, calls(shell("a", "touch "+made, true)), says("As you wish."))
	w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "%d: y yes, c, a always; äöü 漢字\n", i)
	}
	text := b.String()
	s := w.console(100, 30)
	s.see("ready$")
	s.tmux("load-buffer", "-b", "big", w.write("big", text, 0o600))
	part := text
	if !thorough() {
		part = text[:strings.LastIndexByte(text[:1<<17], '\n')+1]
	}
	s.tmux("load-buffer", "-b", "part", w.write("part", part, 0o600))

	s.tmux("paste-buffer", "-p", "-b", "big")
	s.typed("the end")
	s.see("the end")
	s.press("Enter")
	s.see("That was long.", "nothing running")
	asked := m.asked()[0].Messages
	got, _, _ := strings.Cut(asked[len(asked)-1].Content, "\n\n<screen-") // the picture of the terminal
	if digest(got) != digest(text+"the end") {
		t.Errorf("%d bytes were pasted, %d are in the prompt, which ends in %q", len(text), len(got), got[max(0, len(got)-300):])
	}
	s.typed("and now?")
	s.press("Enter")
	s.see("APPROVE", "touch ", "y approves")
	s.tmux("paste-buffer", "-p", "-b", "part")
	eventually(t, "it is answered", func() bool { // a key in the wake of the paste is none
		if !strings.Contains(s.text(), "APPROVE") {
			return true
		}
		s.press("n")
		return false
	})
	s.see("As you wish.", "denied", "nothing running")
	if _, err := os.Stat(made); err == nil {
		t.Fatal("a paste has approved")
	}
	s.press("C-u")

	s.press("C-]")
	s.typed("stty -echo; cat >~/pasted; stty echo; echo written $((6*7))")
	s.press("Enter")
	s.see("stty -echo")
	s.tmux("paste-buffer", "-p", "-b", "part")
	s.press("C-d")
	s.see("written 42")
	if got := read(t, w, "pasted"); digest(got) != digest(part) {
		t.Errorf("%d bytes were pasted, the terminal got %d", len(part), len(got))
	}
	s.press("C-]")
	quit(s)
}

func digest(text string) [sha256.Size]byte { return sha256.Sum256([]byte(text)) }

// The mouse of a real terminal, in its own words.
func TestTheMouseOfARealTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := serveModel(t, calls(shell("a", "touch "+filepath.Join(w.home, "made"), true)), says("As you wish."))
	w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	s := w.console(120, 40)
	s.tmux("set-option", "-s", "set-clipboard", "on")
	s.see("ready$")
	s.typed("!seq 1 200; echo copy-this-word")
	s.press("Enter")
	text := s.see("││200 ", "││copy-this-word", "✓ ", "nothing running")
	mouse := func(button, x, y int, end string) { s.typed(fmt.Sprintf("\x1b[<%d;%d;%d%s", button, x, y, end)) }

	// A drag copies.
	x, y := place(t, text, "copy-this-word")
	mouse(0, x, y, "M")
	mouse(32, x+len("copy-this"), y, "M")
	mouse(32, x+len("copy-this-word")-1, y, "M")
	mouse(0, x+len("copy-this-word")-1, y, "m")
	eventually(t, "it is on the clipboard", func() bool {
		out, err := s.command("show-buffer").Output()
		return err == nil && string(out) == "copy-this-word"
	})
	// The wheel reads what is above, where the mouse is.
	for range 20 {
		mouse(64, x, y, "M")
	}
	s.see("120 ", "60 lines up")
	for range 30 {
		mouse(65, x, y, "M")
	}
	s.seeNo("lines up")
	// A click brings the keyboard, the border can be dragged.
	mouse(0, 5, 38, "M")
	mouse(0, 5, 38, "m")
	s.typed("typed")
	text = s.see("> typed")
	border := strings.Index(nthLine(text, 2), "┐┌")
	border = len([]rune(nthLine(text, 2)[:border])) + 1
	mouse(0, border, 10, "M")
	mouse(32, border-10, 10, "M")
	mouse(0, border-10, 10, "m")
	s.until("see the border elsewhere", func(text string) bool {
		line := []rune(nthLine(text, 2))
		return len(line) > border && line[border-11] == '┐' && line[border-10] == '┌'
	})
	// Whose the mouse is can be changed at any time.
	s.press("C-u")
	for _, word := range []string{"off", "on"} {
		s.typed("/mouse " + word)
		s.press("Enter")
		eventually(t, "the mouse is "+word, func() bool {
			return s.tmux("display-message", "-p", "#{mouse_any_flag}") == map[string]string{"off": "0", "on": "1"}[word]
		})
	}
	// No click approves, wherever it is; where keys are named, it does what these do.
	s.typed("work")
	s.press("Enter")
	dialog := s.see("APPROVE", "y approves")
	for row, line := range strings.Split(dialog, "\n") {
		if strings.Contains(line, "deny]") || strings.Contains(line, "h held") || strings.Contains(line, "F1 help") {
			line, _, _ = strings.Cut(line, "[n") // up to there it approves
			if !strings.Contains(line, "y approve") {
				continue
			}
		}
		for col := 1; col < len([]rune(line)); col += 5 {
			mouse(0, col, row+1, "M")
			mouse(0, col, row+1, "m")
		}
	}
	answer(s, "n")
	s.see("As you wish.", "denied")
	quit(s)
}

// place is the column and the row of a text at the beginning of a line in a pane, as
// the mouse counts.
func place(t *testing.T, screen, text string) (x, y int) {
	t.Helper()
	for row, line := range strings.Split(screen, "\n") {
		if before, _, found := strings.Cut(line, "│"+text); found {
			return len([]rune(before)) + 2, row + 1
		}
	}
	t.Fatalf("no %s at the beginning of a line of\n%s", text, screen)
	return 0, 0
}

// nthLine is the n-th line.
func nthLine(text string, n int) string { return strings.Split(text, "\n")[n-1] }
