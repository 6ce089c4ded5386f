package main

import (
	"os"
	"strings"
	"testing"
)

// TestPanesOfAHostAreRecorded here, where the record is.
func TestPanesOfAHostAreRecorded(t *testing.T) {
	t.Parallel()
	w, _ := newRemote(t)
	if out := w.must("run", "-t", "box", "--pane", "--dangerously-approve-all", "--", "echo over there"); !strings.Contains(out, "over there") {
		t.Fatal(out)
	}
	if out := w.must("recordings", "list"); !strings.Contains(out, "_ssh-box_main_shared_") {
		t.Error(out)
	}
	if out := w.must("replay", "--export", "text"); !strings.Contains(out, "\nover there\n") {
		t.Error(out)
	}
	if text := w.must("replay", "--export", "v2"); !strings.Contains(text, `"target":"ssh:box"`) || !strings.Contains(text, `"m", "exited 0: echo over there"`) {
		t.Error(text)
	}
}

// TestSecretsAreNotRecorded: what is recorded passes the filter.
func TestSecretsAreNotRecorded(t *testing.T) {
	t.Parallel()
	_, path := recorded(t, "echo AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY; echo done")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "K7MDENG") || !strings.Contains(string(text), "done") {
		t.Errorf("%s", text)
	}
}
