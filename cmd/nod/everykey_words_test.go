package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/nod-console/nod/ui/keys"
)

// showingStory is about words that show something, and those about the console
// itself.
func showingStory(h *hand) {
	m := serveModel(h.w.t, says("It is well."), says("It is better."))
	h.w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	h.opens(120, 40)
	h.word("/status")
	h.see("target: local", "posture: ask", "model: scripted", "terminals: 1")
	h.word("/help")
	h.see("┌ help", "/ searches")
	h.word("/target")
	h.see("┌ targets", "• local")
	h.word("/target nosuch:place")
	h.see("connect to nosuch:place", "nosuch")
	h.word("/memory")
	h.see("nothing is remembered yet")
	h.word("/memory strike 99")
	h.see("/memory:", "/memory shows the IDs")
	h.word("/mcp")
	h.see("/mcp: not available here")
	h.word("/prompt")
	h.see("/prompt: not available here")
	h.word("/plugins")
	h.see("no plugin is installed")
	h.word("/plugins reload")
	h.see("nothing has changed")
	h.word("/queue")
	h.see("nothing waits")

	h.typed("how is it?")
	h.press("Enter")
	h.see("It is well.", "nothing running")
	h.word("/find well")
	h.see("┌ search the chat", "It is well.")
	h.word("/overview")
	h.see("1 target")
	h.press("q")
	h.at(keys.Input)
	h.word("/inbox")
	h.see("nothing waits for you")
	h.word("/export " + filepath.Join(h.w.home, "said.md"))
	eventually(h.t, "the conversation is there", func() bool {
		text, err := os.ReadFile(filepath.Join(h.w.home, "said.md"))
		return err == nil && strings.Contains(string(text), "## how is it?")
	})
	h.word("/pane 1")
	h.at(keys.Pane)
	h.word("/context")
	h.see("context of scripted", "2 messages")
	h.word("/model")
	h.see("▸ environment", "guide")
	h.word("/model guide")
	h.see("model: guide")
	h.word("/model environment")
	h.see("model: scripted")

	first := func(text string) string { line, _, _ := strings.Cut(text, "\n"); return line }
	for word, shown := range map[string]string{"ask-all": "  ask-all  ", "read-only": "  read-only  ", "ask": "  ask  "} {
		h.word("/approve " + word)
		h.until("see the posture "+word, func(text string) bool { return strings.Contains(first(text), shown) })
	}
	h.word("/approve ask")
	h.until("see the posture", func(text string) bool { return strings.Contains(first(text), "  ask  ") })
	h.word("/approve 10m")
	h.until("see the window", func(text string) bool { return strings.Contains(first(text), "ask, changes run ") })
	chatSays(h.display, "changes that can be undone run without asking")
	h.typed("!mkdir " + filepath.Join(h.w.home, "unasked"))
	h.press("Enter")
	if !soonOrLate(func() bool { _, err := os.Stat(filepath.Join(h.w.home, "unasked")); return err == nil }) {
		h.t.Fatalf("the folder is not there:\n%s", h.tmux("capture-pane", "-p"))
	}
	h.word("/approve 0")
	h.see("changes ask again")

	for word, flag := range map[string]string{"off": "0", "on": "1"} {
		h.word("/mouse " + word)
		h.mouse(flag)
	}
	was := h.tmux("display-message", "-p", "#{mouse_any_flag}")
	h.word("/mouse")
	h.mouse(map[string]string{"0": "1", "1": "0"}[was])

	// What the screen wears is the text's colours.
	looks := func() string { return h.tmux("capture-pane", "-p", "-e") }
	wears := func(what string, holds func() bool) {
		h.t.Helper()
		if !soonOrLate(holds) {
			h.t.Fatalf("%s: it wears %q", what, looks())
		}
	}
	h.word("/theme dracula")
	const pink = "\x1b[38;" // a colour of the theme's own, in 256
	wears("a theme", func() bool { return strings.Contains(looks(), pink) })
	h.word("/theme ansi")
	wears("no theme", func() bool { return !strings.Contains(looks(), pink) })
	h.word("/theme")
	h.see("┌ themes", "› ansi")
	h.press("Down", "Down", "Down", "Down")
	wears("what is marked", func() bool { return strings.Contains(looks(), pink) })
	h.press("Escape")
	h.seeNo("┌ themes")
	wears("what it wore", func() bool { return !strings.Contains(looks(), pink) })

	h.word("/tour")
	h.see("Tour, 1 of 5.")
	h.to(keys.Input)
	h.word("/quit")
	if status := h.ended(); status != "0" {
		h.t.Errorf("exit status %s", status)
	}
}

// mouse waits until the terminal reports the mouse, or does not.
func (h *hand) mouse(flag string) {
	h.t.Helper()
	if !soonOrLate(func() bool { return h.tmux("display-message", "-p", "#{mouse_any_flag}") == flag }) {
		h.t.Fatalf("the mouse is not %s", flag)
	}
}

// tellingStory is about what is said to a turn that runs, and what becomes of a
// conversation.
func tellingStory(h *hand) {
	dir := h.briefly()
	gone, made := filepath.Join(dir, "gone"), filepath.Join(dir, "made")
	// In a shell of its own, which one Ctrl-C ends: bash itself goes on now and then.
	waits := calls(shell("a", "sh -c 'until test -e "+gone+"; do sleep 0.1; done'", false))
	replies := [][]string{
		waits, waits, says("The first."), says("The second."),
		calls(writes("b", made, "text\n")), says("The third."),
	}
	for i := range 6 {
		replies = append(replies, says(fmt.Sprintf("Answer %d.", i)))
	}
	replies = append(replies, says("A summary of it all."))
	m := serveModel(h.w.t, replies...)
	h.w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	h.opens(120, 40)
	ask := func(prompt string) {
		h.t.Helper()
		h.typed(prompt)
		h.see("> " + prompt)
		h.press("Enter")
		h.see("> " + prompt)
	}
	ask("wait")
	h.see("runs sh -c 'until test")
	h.word("/steer look at var only")
	h.see("gets in at the next step: look at var only")
	ask("afterwards")
	h.see("afterwards  (waits)")
	ask("never")
	h.word("/queue")
	h.see("at the next step: look at var only", "1 after this turn: afterwards", "2 after this turn: never")
	h.word("/queue clear")
	h.seeNo("(waits)")
	h.see("> look at var only", "  afterwards", "  never")
	h.press("C-c") // the turn
	h.see("nothing running", "> look at var only")
	h.press("C-c") // what is written
	h.see("> ask for something")

	ask("wait again")
	h.see("runs sh -c 'until test")
	h.word("/steer only look at var")
	ask("afterwards")
	h.see("afterwards  (waits)")
	if err := os.WriteFile(gone, nil, 0o600); err != nil {
		h.t.Fatal(err)
	}
	h.see("The first.", "> afterwards", "The second.", "nothing running")
	told := false
	for _, message := range m.asked()[2].Messages {
		told = told || strings.Contains(message.Content, "only look at var")
	}
	if !told {
		h.t.Error("the turn was not told")
	}

	h.typed("write it")
	h.press("Enter")
	approveHere(h.display, "removes the file")
	h.see("The third.", "nothing running")
	h.word("/undo list")
	chatSays(h.display, "create "+made)
	h.word("/undo")
	approveHere(h.display, "deletes files")
	chatSays(h.display, "taken back: create")
	if _, err := os.Stat(made); err == nil {
		h.t.Error("taken back, and it is there")
	}

	for i := range 6 {
		h.typed(fmt.Sprint("question ", i))
		h.press("Enter")
		h.see(fmt.Sprintf("Answer %d.", i), "nothing running")
	}
	h.word("/compact")
	chatSays(h.display, "a summary stands for 21 messages")
	h.see("nothing running")
	h.word("/replay")
	h.see("Space pause", "_local_main_shared_")
	h.press("q")
	h.seeNo("Space pause")
	quit(h.display)
}

// pastStory is about earlier conversations.
func pastStory(h *hand) {
	m := serveModel(h.w.t, says("About disks."), says("About nets."), says("About disks again."))
	h.w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	h.opens(120, 30)
	h.typed("tell me of disks")
	h.press("Enter")
	h.see("About disks.", "nothing running")
	h.word("/new")
	h.seeNo("About disks.")
	h.typed("tell me of nets")
	h.press("Enter")
	h.see("About nets.", "nothing running")
	h.word("/history")
	h.see("┌ conversations", "tell me of disks", "tell me of nets", "it is open")
	h.word("/history disks")
	h.see("conversations with disks", "tell me of disks: ")
	h.press("Enter")
	h.see("> tell me of disks", "About disks.", "nothing running")
	h.seeNo("About nets.")
	h.word("/fork")
	h.see("┌ fork", "tell me of disks")
	h.press("Enter")
	h.see("> tell me of disks", "nothing running")
	h.seeNo("About disks.")
	h.press("Enter")
	h.see("About disks again.", "nothing running")
	if err := syscall.Kill(h.pid(), syscall.SIGKILL); err != nil {
		h.t.Fatal(err)
	}
	h.see("nod was killed")
	h.opens(120, 30)
	h.see("tell me of disks", "/resume")
	h.word("/resume")
	h.see("About disks again.", "nothing running")
	quit(h.display)
}
