package main

import (
	"strings"
	"testing"
)

// What a command writes comes in events as it is written, without secrets for "nod ask".
func TestOutputComesInPieces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out, errs, status := w.do("run", "--json", "--progress", "--", "printf 'one\\ntwo\\n'; echo three >&2")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if status != 0 || len(lines) < 3 || !strings.Contains(out, `{"type":"output","target":"local","stderr":"three\n"}`) || !strings.Contains(lines[len(lines)-1], `"stdout":"one\ntwo\n"`) {
		t.Errorf("%d %s%s", status, out, errs)
	}
	if out, errs, status := w.do("run", "--progress", "--", "true"); status != 125 || !strings.Contains(out+errs, "--progress is for") {
		t.Errorf("without --json: %d %s%s", status, out, errs)
	}
	out, errs, status = w.do("run", "--json", "--progress", "--pane", "--", "echo four; printf five")
	if status != 0 || !strings.Contains(out, `{"type":"output","target":"local","terminal":"four\r\n"}`+"\n"+`{"type":"output","target":"local","terminal":"five"}`+"\n{") {
		t.Errorf("in a pane: %d %s%s", status, out, errs)
	}
	m := serveModel(t, calls(call{"c1", "run_shell", map[string]any{
		"command": "echo hello; echo AKIAIOSFODNN7EXAMPLQ; echo odd >&2", "risk": "low", "mutation": false, "privesc": false, "why": "to see",
	}}), says("Done."))
	w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
	out, errs, status = w.do("ask", "--json", "go")
	var pieces string
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, `{"type":"call_progress"`) {
			pieces += line
		}
	}
	if status != 0 || !strings.Contains(pieces, "hello") || !strings.Contains(pieces, `"stderr":"odd\n"`) || strings.Contains(out, "AKIAIOSFODNN7EXAMPLQ\\n") {
		t.Errorf("%d %s%s", status, out, errs)
	}
}
