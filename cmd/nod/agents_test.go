package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestASubAgentAtWork: a type of the operator's own is sent, asks under its name,
// reports, and is found in the history and the record under what sent it. Then two
// of it are sent as a team, one after the other.
func TestASubAgentAtWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".config/nod/agents/maker.toml", "name = \"maker\"\ndescription = \"makes folders\"\ntools = [\"run_shell\"]\nprompt = \"Be a maker.\"\n", 0o600)
	w.write(".config/nod/agents/wrong.toml", "name = \"wrong\"\nreadonly = true\n", 0o600)
	made := filepath.Join(w.home, "made-by-it")
	m := serveModel(t,
		calls(call{"a", "task", map[string]any{"agent": "maker", "task": "Make the folder and report."}}),
		calls(shell("b", "mkdir "+made, true)),
		says("It is made."),
		calls(call{"c", "team", map[string]any{
			"members": []any{map[string]any{"name": "one", "agent": "maker"}, map[string]any{"name": "two", "agent": "maker"}},
			"tasks":   "```json\n" + `[{"id":"say","member":"one","task":"Say something."},{"id":"hear","member":"two","task":"Hear it.","after":["say"]}]` + "\n```",
		}}),
		calls(call{"d", "team_room", map[string]any{"do": "send", "to": "two", "text": "mind the step"}}),
		says("I have said it."),
		calls(call{"e", "team_room", map[string]any{"do": "read"}}),
		says("I have heard it."),
		says("The makers are done."),
	)
	w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
	s := w.console(140, 40)
	s.see("wrong.toml:2:", "unknown key", "ready$")
	s.typed("have a folder made")
	s.press("Enter")
	s.see("for the sub-agent maker")
	approveHere(s, "mkdir "+made)
	s.see("The makers are done.", "maker: Make the folder and report.", "team one, two")
	leave(s)
	asked := m.asked()
	if len(asked) != 9 || len(asked[1].Messages) != 2 || !strings.Contains(asked[1].Messages[0].Content, "Be a maker.") {
		t.Fatalf("%d requests: %+v", len(asked), asked[1].Messages)
	}
	if got := asked[3].result(); !strings.Contains(got, `"report":"It is made."`) {
		t.Error(got)
	}
	if got := asked[7].result(); !strings.Contains(got, "mind the step") {
		t.Error(got)
	}
	if got := asked[6].Messages[1].Content; !strings.Contains(got, "> I have said it.") {
		t.Error(got)
	}
	if got := asked[8].result(); !strings.Contains(got, `"state":"done","report":"I have heard it."`) {
		t.Error(got)
	}
	if _, err := os.Stat(made); err != nil {
		t.Error(err)
	}

	lines := strings.Split(strings.TrimSpace(w.must("history", "list", "--json")), "\n")
	var parent, child conversationJSON
	if len(lines) != 4 || json.Unmarshal([]byte(lines[0]), &parent) != nil || json.Unmarshal([]byte(lines[1]), &child) != nil {
		t.Fatalf("%q", lines)
	}
	if child.Parent != parent.ID || child.Agent != "maker" || parent.Agent != "" {
		t.Errorf("%+v, %+v", parent, child)
	}
	if list := w.must("history", "list"); !strings.Contains(list, "└ maker: Make the folder and report.") {
		t.Error(list)
	}
	if show := w.must("audit", "show"); !strings.Contains(show, "run_shell (maker under "+parent.ID+")") {
		t.Error(show)
	}
	list := w.must("agents")
	for _, want := range []string{"investigator", "only looks", "makes folders", "not used: ", "wrong.toml:2: unknown key"} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is not in\n%s", want, list)
		}
	}
}

// TestSubAgentsAskOnTheTerminal: two that work at the same time ask one after the
// other, and nothing of what the other does comes behind a question that stands.
func TestSubAgentsAskOnTheTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".config/nod/agents/maker.toml", "name = \"maker\"\ndescription = \"makes folders\"\ntools = [\"run_shell\"]\nprompt = \"Be a maker.\"\n", 0o600)
	send := func(id, task string) call {
		return call{id, "task", map[string]any{"agent": "maker", "task": task}}
	}
	made := []string{filepath.Join(w.home, "one"), filepath.Join(w.home, "two")}
	m := serveModel(t,
		calls(send("a", "Make a folder."), send("b", "Make another.")),
		calls(shell("c", "mkdir "+made[0], true)), calls(shell("d", "mkdir "+made[1], true)),
		says("It is made."), says("It is made."),
		says("Both are there."),
	)
	w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
	s := openDisplay(t, 150, 60, w.env(), w.nod, "ask", "have two folders made")
	for n := range made {
		s.until("see a question at the end", func(text string) bool {
			text = strings.TrimSpace(text)
			return strings.Count(text, "APPROVE on local for the sub-agent maker") == n+1 && strings.HasSuffix(text, "the rule for always]")
		})
		eventually(t, "both have asked for their calls", func() bool { return len(m.asked()) >= 3 })
		if text := strings.TrimSpace(s.text()); !strings.HasSuffix(text, "the rule for always]") {
			t.Errorf("something stands behind the question:\n%s", text)
		}
		s.press("y")
		s.press("Enter")
	}
	if status := s.ended(); status != "0" {
		t.Errorf("exit status %s:\n%s", status, s.text())
	}
	s.see("Both are there.")
	for _, dir := range made {
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	}
}
