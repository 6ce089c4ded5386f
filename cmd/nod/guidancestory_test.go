package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a folder says is read once the operator allows it; what the model wants
// to remember is shown as a difference; an earlier conversation is found and gone
// on with, in a copy.
func TestTheModelIsToldWhatTheOperatorAllows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := serveModel(t,
		calls(call{"a", "remember", map[string]any{"text": "Use apt-get here", "scope": "global", "why": "he wants it"}}),
		says("It is remembered."), says("The second answer."), says("The third answer."),
	)
	w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	w.write("AGENTS.md", "Deploy with make ship.\n", 0o600)
	s := openDisplay(t, 120, 40, w.env(), "sh", "-c", "cd "+w.home+" && exec "+w.nod)
	s.see("scripted", "ready$")
	s.typed("remember apt-get")
	s.press("Enter")
	s.see("guidance in the working folder", "Deploy with make ship.", "y yes   n no")
	s.press("y")
	s.see("APPROVE", "+- Use apt-get here")
	answer(s, "y")
	s.see("It is remembered.", "nothing running")
	file := filepath.Join(w.home, ".local/state/nod/memory/global.md")
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "\n- Use apt-get here <!-- nod: model, ") {
		t.Errorf("%s, %v", text, err)
	}
	s.typed("the second question")
	s.press("Enter")
	s.see("The second answer.", "nothing running")
	asked := m.asked()
	first, second := asked[0].Messages, asked[2].Messages
	if prompt := first[len(first)-1].Content; !strings.Contains(prompt, "Deploy with make ship.") || !strings.Contains(prompt, "<guidance mark=") {
		t.Errorf("the first prompt: %s", prompt)
	}
	if prompt := second[len(second)-1].Content; !strings.Contains(prompt, "[model] Use apt-get here (") || strings.Contains(second[0].Content, "Use apt-get") {
		t.Errorf("the second prompt: %s", prompt)
	}

	s.typed("/fork")
	s.press("Enter")
	s.see("Enter goes back to before it", "the second question")
	s.press("Enter")
	s.see("this is a copy", "> the second question", "nothing running")
	s.typed(" anew")
	s.press("Enter")
	s.see("The third answer.", "nothing running")
	last := m.asked()[3].Messages
	if text := last[len(last)-1].Content; !strings.Contains(text, "the second question anew") {
		t.Errorf("the last prompt: %s", text)
	}
	for _, message := range last {
		if strings.Contains(message.Content, "The second answer.") {
			t.Error("what was said after the fork is told")
		}
	}
	s.typed("/history second answer")
	s.press("Enter")
	s.see("conversations with second answer", "remember apt-get: The second answer.")
	s.press("Enter")
	s.see("> the second question", "The second answer.", "nothing running")
	s.seeNo("The third answer.")
	quit(s)
}
