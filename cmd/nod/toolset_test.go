package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestTheToolsTogether: what is to be done stands on the screen, also after the
// conversation was taken up again; a search, a question that the operator
// answers, an edit that he approves, and a page that is not fetched.
func TestTheToolsTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var reached atomic.Int32
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(private.Close)
	folder := filepath.Join(w.home, "app")
	conf := filepath.Join(folder, "app.conf")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(conf, []byte("port = 80\r\nname = x\r\n"), 0o640); err != nil { //nolint:gosec // its mode must stay
		t.Fatal(err)
	}
	plan := func(first, second string) call {
		return call{"t" + first, "todo", map[string]any{"items": []any{
			map[string]any{"content": "set the port", "status": first}, map[string]any{"content": "restart it tomorrow", "status": second},
		}}}
	}
	m := serveModel(t,
		calls(plan("in_progress", "pending"), call{"b", "glob", map[string]any{"path": folder, "pattern": "**"}},
			call{"c", "grep", map[string]any{"path": folder, "pattern": `^port\b.*\d+$`}}),
		calls(call{"d", "question", map[string]any{"question": "Which port shall it be?", "options": []string{"it stays at 80", "8080 for a start"}}}),
		calls(reads("e", conf), call{"f", "fetch_url", map[string]any{"url": private.URL}}, call{"g", "edit_file", map[string]any{
			"path": conf, "old_text": "port = 80\n", "new_text": "port = 8080\n", "risk": "medium", "mutation": true, "privesc": false, "why": "as chosen",
		}}),
		calls(plan("completed", "pending")),
		says("All set."),
	)
	w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
	s := w.console(120, 40)
	s.see("ready$")
	s.typed("set the port")
	s.press("Enter")
	s.see("the model asks", "Which port shall it be?", "2  8080 for a start", "a digit chooses")
	s.press("2")
	approveHere(s, "+port = 8080")
	s.see("All set.", "todo 1 of 2 done", "☐ restart it tomorrow")
	if text, err := os.ReadFile(conf); err != nil || string(text) != "port = 8080\r\nname = x\r\n" { //nolint:gosec // it is the test's own
		t.Errorf("%q, %v", text, err)
	}
	results := map[string]string{}
	for _, message := range m.asked()[4].Messages {
		if message.Role == "tool" {
			results[message.ToolCallID] = message.Content
		}
	}
	for id, want := range map[string]string{
		"b": `"found":["app.conf"]`, "c": `"file":"app.conf","line":1,"text":"port = 80"`, "d": `"answer":"8080 for a start"`,
		"f": `"code":"forbidden_host"`, "g": `Wrote 23 bytes`,
	} {
		if !strings.Contains(results[id], want) {
			t.Errorf("result %s lacks %s: %s", id, want, results[id])
		}
	}
	if reached.Load() != 0 {
		t.Errorf("a server on this machine was asked %d times", reached.Load())
	}
	leave(s)
	again := w.console(120, 40, "--resume")
	again.see("All set.", "todo 1 of 2 done", "☐ restart it tomorrow", "ready$")
	leave(again)
}
