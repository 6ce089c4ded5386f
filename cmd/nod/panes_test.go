package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// A model makes a session, works in it and ends it; the operator sees what ends
// with it, and it is on record.
func TestModelMakesAndEndsASession(t *testing.T) {
	t.Parallel()
	for name, size := range map[string][2]int{"wide": {120, 40}, "narrow": {80, 24}} {
		t.Run(name, func(t *testing.T) { t.Parallel(); endASession(t, size[0], size[1]) })
	}
}

func endASession(t *testing.T, cols, rows int) {
	w := newWorld(t)
	claim := func(risk string, mutation bool, more map[string]any) map[string]any {
		more["risk"], more["mutation"], more["privesc"], more["why"] = risk, mutation, false, "the story wants it"
		return more
	}
	m := serveModel(t,
		calls(
			call{"a", "tmux-create-session", claim("low", false, map[string]any{"session": "Build"})},
			call{"b", "tmux-create-pane", claim("low", false, map[string]any{"session": "build", "pane": "worker"})},
			call{"c", "run_shell", claim("low", false, map[string]any{"session": "build", "pane": "worker", "command": "sleep 1000", "wait": false})},
			call{"d", "tmux-kill-session", claim("medium", true, map[string]any{"session": "main"})},
			call{"e", "tmux-kill-session", claim("medium", true, map[string]any{"session": "build"})},
			call{"f", "capture-pane", map[string]any{"session": "build", "pane": "worker"}},
		),
		says("Gone."),
	)
	w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	s := w.console(cols, rows)
	s.see("scripted")
	s.typed("build it")
	s.press("Enter")
	s.see("APPROVE", "kill-session build", "what ends with it", "nod-ops-build:shared %", "MEDIUM  mutate")
	if cols > 100 { // else it is folded
		s.see("at its prompt", `runs "sleep 1000"`)
	}
	readsOn(s, "nod-ops-build:worker %")
	there := func() string {
		out, err := exec.Command("tmux", "-L", w.socket, "list-sessions", "-F", "#{session_name}").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if !strings.Contains(there(), "nod-ops-build\n") {
		t.Errorf("there are %s", there())
	}
	answer(s, "y")
	s.see("Gone.")
	if strings.Contains(there(), "build") {
		t.Errorf("it is still there: %s", there())
	}
	results := map[string]string{}
	for _, msg := range m.asked()[1].Messages {
		results[msg.ToolCallID] = msg.Content
	}
	for id, want := range map[string]string{
		"a": `"session":"nod-ops-build","pane":"shared","pane_id":"%\d+","created":true,"attach":"tmux -L nod-test-\w+ attach -t '=nod-ops-build'"`,
		"b": `"pane":"worker"`,
		"c": `"dispatched to pane %`,
		"d": `"code":"protected"`,
		"e": `"ended":true,"notices":\["\\"sleep 1000\\" still ran there and was ended with it: its outcome is unknown"\]`,
		"f": `"text":"\[there is no pane \\"worker\\" of session \\"build\\": this is the shared pane, %\d+\]`,
	} {
		if !regexp.MustCompile(want).MatchString(results[id]) {
			t.Errorf("result of %s: %s", id, results[id])
		}
	}
	out, errs, status := w.do("audit", "show")
	if status != 0 || !strings.Contains(out, "kill-session build") || !strings.Contains(out, "create-session build") {
		t.Errorf("audit: %d %s%s", status, out, errs)
	}
	quit(s)
}
