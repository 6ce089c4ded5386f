package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tool is a call of a tool about panes, with an honest claim.
func tool(id, name string, args map[string]any) call {
	for key, value := range map[string]any{"risk": "low", "mutation": false, "privesc": false, "why": "the story wants it"} {
		args[key] = value
	}
	return call{id, name, args}
}

// ofNod runs a command of nod's own tmux server.
func (w *world) ofNod(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-L", w.socket}, args...)...)
	cmd.Env = append(w.env(), "PATH="+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("tmux %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// attach has the operator attach to nod's session in a terminal of his own.
func (w *world) attach(cols, rows int) *display {
	w.t.Helper()
	s := openDisplay(w.t, cols, rows, w.env(), "tmux", "-L", w.socket, "attach", "-t", "nod-ops-main")
	s.see("ready$")
	return s
}

// Panes come to the console with the model's calls and leave it when somebody
// closes them; the shared one is always there.
func TestPanesComeAndGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := serveModel(t,
		calls(tool("a", "tmux-create-pane", map[string]any{"pane": "worker"}),
			tool("b", "tmux-create-session", map[string]any{"session": "build"})),
		calls(call{"c", "run_shell", map[string]any{"command": "sleep 1000", "pane": "worker", "wait": false,
			"risk": "low", "mutation": false, "privesc": false, "why": "the story wants it"}}),
		says("They are there."),
	)
	w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	s := w.console(200, 50)
	s.see("scripted", "ready$")
	s.typed("make them")
	s.press("Enter")
	approveUntil(s, "They are there.")
	s.see("1/3 local · main/shared", "▸ local · main/worker", "3/3 local · build/shared", "runs sleep 1000")

	w.ofNod("kill-window", "-t", "nod-ops-main:worker")
	s.see("the pane main/worker has ended", "1/2 local · main/shared", "2/2 local · build/shared")
	w.ofNod("kill-session", "-t", "nod-ops-main")
	s.see("the pane main/shared has ended; a fresh one takes its place", "1/2 local · main/shared", "2/2 local · build/shared")
	s.press("C-]")
	s.see("typing into local · main/shared")
	s.typed("echo fr''esh")
	s.press("Enter")
	s.see("║fresh")
	s.press("C-]")
	s.seeNo("typing into")
	s.typed("/quit")
	s.press("Enter")
	s.until("ask or end", func(text string) bool {
		return strings.Contains(text, "Quitting ends it") || endedWith.MatchString(text)
	})
	if !endedWith.MatchString(s.text()) {
		s.press("y")
	}
	if status := s.ended(); status != "0" {
		t.Errorf("exit status %s", status)
	}
}

// approveUntil approves what is asked until a text is there.
func approveUntil(s *display, text string) {
	s.t.Helper()
	for {
		now := s.until("see "+text+" or a dialog", func(now string) bool {
			return strings.Contains(now, text) || strings.Contains(now, "y approves")
		})
		if strings.Contains(now, text) {
			return
		}
		s.press("y")
		s.seeNo("y approves")
	}
}

// What the operator types by hand while a proposal waits voids the proposal at
// once, and the model is told.
func TestTypingByHandVoidsAProposal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := filepath.Join(w.home, "made")
	m := serveModel(t,
		calls(shell("a", "touch "+made, true)),
		calls(shell("b", "touch "+made+" # 2 times", true)),
		says("As you like."),
	)
	w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	s := w.console(120, 40)
	s.see("scripted", "ready$")
	hand := w.attach(100, 30)
	s.see("1 other terminal", "live 64×29 of 100×29")
	hand.typed("uname")
	hand.press("Enter")
	s.see("│Linux")
	hand.typed("uname")
	hand.press("Enter")
	s.see("1 other terminal, typed ")
	s.typed("do it")
	s.press("Enter")
	s.see("made", "y approves")
	hand.typed("rm -rf")
	s.see("ready$ rm -rf", "void: ", "prompt line")
	s.press("y")
	s.see("void: ")
	s.press("n")

	// A command that leaves everything as it was does, too.
	hand.press("C-u")
	s.see("2 times", "y approves")
	hand.typed("true")
	hand.press("Enter")
	if void := s.see("void: "); !strings.Contains(void, "somebody has typed") && !strings.Contains(void, `is "true"`) { // it may be seen before Enter
		t.Errorf("void for another reason: %s", void)
	}
	s.press("n")
	s.see("As you like.")
	if _, err := os.Stat(made); err == nil {
		t.Error("it ran")
	}
	asked := m.asked()
	if told := asked[1].result(); !strings.Contains(told, "prompt line") || !strings.Contains(told, "rm -rf") {
		t.Errorf("the model was told %s", told)
	}
	hand.press("C-b", "d")
	hand.see("[ended 0]")
	s.seeNo("other terminal")
	s.see("live 64×36") // its room is nod's to say again
	quit(s)
}
