package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/agent/redact"
	"github.com/nod-console/nod/agent/runbook"
	"github.com/nod-console/nod/backends/local"
)

func TestOnlySecretsLookLikeSecrets(t *testing.T) {
	t.Parallel()
	detector, err := redact.NewDetector()
	if err != nil {
		t.Fatal(err)
	}
	looks := looksSecret(redact.NewKeeper(detector))
	for text, want := range map[string]bool{
		"Use apt-get here": false, "the logs are in /srv/log": false, "": false,
		"the token is ghp_" + strings.Repeat("a1B2", 9): true, "password=Xk29fj2lQ9": true, "first\npassword=Xk29fj2lQ9\nlast": true,
	} {
		if got := looks(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestARunbookIsFoundByItsTarget(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"web-1.md": "of the host", "ssh:web-2.md": "whole\x1b[31m", "long.md": strings.Repeat("x", runbook.MaxTold+1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	k := &knowledge{runbooks: dir, warn: func(text string) { t.Error(text) }}
	for target, want := range map[string]string{
		"ssh:web-1": "of the host", "docker:web-1": "of the host", "ssh:web-2": "whole", "ssh:web-3": "", "local": "", "ssh:../web-1": "", "ssh:/etc/passwd": "",
	} {
		if got := k.runbook(target); got != want && (want != "whole" || !strings.HasPrefix(got, want) || strings.Contains(got, "\x1b")) {
			t.Errorf("%s: %q", target, got)
		}
		if g := k.guidance(target); (g.Own != "") != (want != "") || g.Folder != "" {
			t.Errorf("%s: %+v", target, g)
		}
	}
	if got := k.runbook("ssh:long"); len(got) > runbook.MaxTold+100 || !strings.Contains(got, "does not fit") {
		t.Errorf("%d bytes", len(got))
	}
}

// What a target says is told while the model works there, once the operator has
// allowed those very bytes; without anybody to ask, and after a no, it is not.
func TestATargetsGuidanceNeedsConsent(t *testing.T) {
	t.Parallel()
	target := local.New(os.Environ())
	defer func() { _ = target.Close() }()
	home, state := t.TempDir(), filepath.Join(t.TempDir(), "folders.json")
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(home, "AGENTS.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var asked, warned []string
	yes := true
	look := func(allow allower) *knowledge {
		k := &knowledge{consents: runbook.Open(state), allow: allow, warn: func(text string) { warned = append(warned, text) }}
		k.considerTarget(t.Context(), target, home)
		k.considerTarget(t.Context(), target, home) // it is looked at once
		return k
	}
	ask := func(_ context.Context, title, text string) (bool, error) {
		asked = append(asked, title+"\n"+text)
		return yes, nil
	}
	if k := look(ask); k.guidance("local").Folder != "" || len(asked)+len(warned) > 0 {
		t.Errorf("nothing is there: %q, %q", asked, warned)
	}
	write("Deploy with make ship.\n")
	if k := look(nil); k.guidance("local").Folder != "" || len(warned) != 1 || !strings.Contains(warned[0], "nobody has allowed it yet") {
		t.Errorf("nobody was asked: %q", warned)
	}
	if k := look(ask); !strings.Contains(k.guidance("local").Folder, "Deploy with make ship.") || k.guidance("ssh:other").Folder != "" {
		t.Errorf("%+v", k.guidance("local"))
	}
	if len(asked) != 1 || !strings.Contains(asked[0], "guidance on local") || !strings.Contains(asked[0], "local:"+home) {
		t.Errorf("asked %q", asked)
	}
	if k := look(nil); !strings.Contains(k.guidance("local").Folder, "make ship") {
		t.Error("what was allowed is asked again")
	}
	write("Something else.\n")
	yes = false
	for range 2 {
		if k := look(ask); k.guidance("local").Folder != "" {
			t.Error("told after a no")
		}
	}
	if len(asked) != 2 || !strings.Contains(asked[1], "It has changed since you were asked.") || len(warned) != 1 {
		t.Errorf("asked %q, warned %q", asked, warned)
	}
}

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
	s.see("you  the second question", "The second answer.", "nothing running")
	s.seeNo("The third answer.")
	quit(s)
}
