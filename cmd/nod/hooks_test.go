package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program and a plugin have a say in what runs: in "nod run" as anywhere else, on record,
// and where one is required also when it is not there.
func TestHooksHaveASay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("bin/style.sh", "#!/bin/sh\nread -r e\ncase $e in *made*) echo '{\"deny\":\"nothing is made here\"}';; *) echo '{\"note\":\"be brief\"}';; esac\n", 0o700)
	w.write(".config/nod/config.toml", "[tmux]\nsocket = \""+w.socket+"\"\n[hook.style]\nevents = [\"pre_tool\"]\ncommand = [\""+filepath.Join(w.home, "bin/style.sh")+"\"]\nrequired = true\n", 0o600)
	if out, status := w.all("run", "--dangerously-approve-all", "--", "touch made"); status != 126 || !strings.Contains(out, "denied: hook style: nothing is made here") {
		t.Errorf("%d %s", status, out)
	}
	if out, status := w.all("run", "--", "echo hello"); status != 0 || !strings.Contains(out, "hello") || !strings.Contains(out, "hook style: be brief") {
		t.Errorf("%d %s", status, out)
	}
	if out, _ := w.all("audit", "export"); !strings.Contains(out, "hook denied") || !strings.Contains(out, "style (pre_tool") || !strings.Contains(out, "deny-hook") {
		t.Errorf("not on record: %s", out)
	}

	if out, status := w.all("plugin", "new", "busy"); status != 0 || !strings.Contains(out, "nod plugin check busy") {
		t.Fatalf("new: %d %s", status, out)
	}
	if out, status := w.all("plugin", "check", "busy"); status != 0 || !strings.Contains(out, "tool busy") || !strings.Contains(out, "hook pre_tool") || !strings.Contains(out, "test.lua has passed") {
		t.Fatalf("check: %d %s", status, out)
	}
	manifest := filepath.Join(w.home, "busy/plugin.toml")
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	w.write("busy/plugin.toml", strings.Replace(string(text), "hooks = [\"pre_tool\"]", "hooks = [\"pre_tool\"]\nrequired_hooks = [\"pre_tool\"]", 1), 0o600)
	if out, status := w.all("plugin", "install", "--yes", "busy"); status != 0 || !strings.Contains(out, "hooks:   pre_tool (required)") {
		t.Fatalf("install: %d %s", status, out)
	}
	if out, status := w.all("run", "--dangerously-approve-all", "--", "echo shutdown"); status != 126 || !strings.Contains(out, "hook plugin busy: shutdown is not for nod") {
		t.Errorf("%d %s", status, out)
	}
	w.write(".local/state/nod/plugins/busy/main.lua", "-- nothing\n", 0o600)
	if out, status := w.all("run", "--", "echo hello"); status != 126 || !strings.Contains(out, "hook plugin busy is required and failed: it is not running: it was changed since it was accepted") {
		t.Errorf("changed: %d %s", status, out)
	}
	if out, status := w.all("plugin", "remove", "busy"); status != 0 {
		t.Errorf("remove: %d %s", status, out)
	}
	if out, status := w.all("run", "--", "echo hello"); status != 0 {
		t.Errorf("removed: %d %s", status, out)
	}
}
