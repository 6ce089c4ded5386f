package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// asText is a reply with calls of run_shell in its text.
func asText(commands ...string) []string {
	var b strings.Builder
	for _, c := range commands {
		args, err := json.Marshal(shell("", c, true).args)
		if err != nil {
			panic(err)
		}
		b.WriteString("<tool_call>{\"name\": \"run_shell\", \"arguments\": " + string(args) + "}</tool_call>\n")
	}
	return []string{chunk(map[string]any{"content": b.String()}, nil), chunk(map[string]any{}, "stop")}
}

// A password that a command shows reaches neither the model nor the disk; the
// model uses it all the same, by its placeholder and the operator's approval. The
// model can only call tools in the text of its replies.
func TestASecretIsUsedWithoutBeingTold(t *testing.T) {
	t.Parallel()
	const secret = "Zx9hunter22qq"
	w := newWorld(t)
	made := filepath.Join(w.home, "made")
	w.write("app.conf", "user = app\npassword = "+secret+"\n", 0o600)
	m := serveModel(t, asText("cat "+filepath.Join(w.home, "app.conf")), asText("echo ⟦secret:1⟧ >"+made+"; echo it was ⟦secret:1⟧"), says("Made."))
	w.write(".config/nod/config.toml", "[tmux]\nsocket = \""+w.socket+"\"\n[model.m]\nbase_url = \""+m.URL+"/v1\"\nmodel = \"scripted\"\ntool_protocol = \"text\"\n", 0o600)
	s := w.console(120, 40)
	s.see("scripted", "ready$")
	s.typed("do it")
	s.press("Enter")
	s.see("APPROVE", "app.conf") // the model claims that it changes something
	answer(s, "y")
	s.see("APPROVE", "secret:1")
	answer(s, "y")
	s.see("Made.")
	if got, err := os.ReadFile(made); err != nil || string(got) != secret+"\n" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	quit(s)
	for i, r := range m.asked() {
		if len(r.Tools) != 0 {
			t.Errorf("request %d has tools", i)
		}
		for _, msg := range r.Messages {
			if strings.Contains(msg.Content, secret) {
				t.Errorf("request %d tells the secret: %s", i, msg.Content)
			}
		}
	}
	if asked := m.asked(); len(asked) != 3 || !strings.Contains(asked[2].result(), "it was ⟦secret:1⟧") {
		t.Errorf("%d requests: %+v", len(asked), asked)
	}
	files := 0
	err := filepath.WalkDir(filepath.Join(w.home, ".local", "state"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil || files < 3 {
		t.Errorf("%d files of state, %v", files, err)
	}
}
