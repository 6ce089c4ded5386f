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
	s.see("wrong.toml:2: unknown key", "ready$")
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
