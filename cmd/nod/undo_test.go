package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writes is a call of write_file.
func writes(id, path, content string) call {
	return call{id, "write_file", map[string]any{
		"path": path, "content": content, "risk": "medium", "mutation": true, "privesc": false, "why": "the story wants it",
	}}
}

func reads(id, path string) call { return call{id, "read_file", map[string]any{"path": path}} }

// slash sends a slash command.
func slash(s *display, line string) {
	s.t.Helper()
	s.see("nothing running")
	s.typed(line)
	s.press("Enter")
}

// approveHere approves, on this machine, the dialog that has a text in it: read to
// its end, with the machine's name where that is wanted. So many quick approvals
// as here are not let pass by a key.
func approveHere(s *display, marker string) {
	s.t.Helper()
	s.see("APPROVE on local", marker)
	open := func(text string) bool {
		return strings.Contains(text, "APPROVE") && (strings.Contains(text, marker) || wantsReading(text))
	}
	for {
		text := s.keysCount()
		switch {
		case !open(text):
			return
		case strings.Contains(text, "then Enter:"), strings.Contains(text, "name: "):
			s.typed("local")
			s.press("Enter")
			s.see("the name is typed")
			s.press("y")
			s.until("approve "+marker, func(text string) bool { return !open(text) })
			return
		case wantsReading(text):
			s.press("PgDn")
			s.until("see the next rows", func(now string) bool { return now != text })
		default:
			s.press("y")
			s.until("have the key taken", func(now string) bool {
				return !open(now) || strings.Contains(now, "then Enter:") || strings.Contains(now, "name: ")
			})
		}
	}
}

// leave quits once nothing runs any more.
func leave(s *display) {
	s.t.Helper()
	s.see("nothing running")
	quitAny(s)
}

// What nod wrote is taken back, last first, each asked and on record; what has
// changed since is not touched.
func TestUndo(t *testing.T) {
	t.Parallel()
	for name, size := range someSizes() {
		if name == "tiny" {
			continue // there is no room for its words
		}
		t.Run(name, func(t *testing.T) { takesBack(t, size[0], size[1]) })
	}
}

func takesBack(t *testing.T, cols, rows int) {
	w := newWorld(t)
	dir, err := os.MkdirTemp("", "u") // short, for a narrow screen
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	file, fresh, moved := filepath.Join(dir, "conf"), filepath.Join(dir, "new"), filepath.Join(dir, "moved")
	if err := os.WriteFile(file, []byte("one\ntwo\n"), 0o640); err != nil { //nolint:gosec // its mode must stay
		t.Fatal(err)
	}
	m := serveModel(t,
		calls(reads("a", file)), calls(writes("b", file, "one\n2\n")), calls(writes("c", fresh, "made\n")),
		calls(shell("d", "mv "+file+" "+moved, true)), says("Written."),
	)
	w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
	s := w.console(cols, rows)
	s.see("ready$")
	slash(s, "/undo")
	chatSays(s, "nothing to take back")
	s.typed("do it")
	s.press("Enter")
	s.see("afterwards", "writes back what", "+2", "-two")
	approveHere(s, "/undo writes back")
	approveHere(s, "removes the file")
	approveHere(s, "/undo proposes")
	s.see("Written.")
	slash(s, "/undo list")
	chatSays(s, "create "+fresh, "mv "+file)

	slash(s, "/undo")
	s.see("APPROVE on local", "mv -nT")
	s.keysCount()
	s.press("n")
	chatSays(s, "not taken back: mv")
	slash(s, "/undo")
	approveHere(s, "mv -nT")
	chatSays(s, "taken back: mv")
	slash(s, "/undo")
	approveHere(s, "deletes files")
	chatSays(s, "taken back: create")
	slash(s, "/undo")
	s.see("+two", "-2")
	approveHere(s, "+two")
	chatSays(s, "taken back: write")
	for path, want := range map[string]string{file: "one\ntwo\n", fresh: "", moved: ""} {
		if text, _ := os.ReadFile(path); string(text) != want {
			t.Errorf("%s holds %q, want %q", path, text, want)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v %v", info, err)
	}
	slash(s, "/undo")
	s.until("read at the end that there is nothing to take back", func(text string) bool {
		said := chatText(text)
		return strings.Contains(said[max(strings.LastIndex(said, "taken back: write"), 0):], "nothing to take back")
	})
	leave(s)
	record := w.must("audit", "export")
	if n := strings.Count(record, `"tool":"undo"`); n != 4 { // three that ran, one that was denied
		t.Errorf("%d are on record", n)
	}
	w.must("audit", "verify")
}

// What somebody else has changed since stays as it is, and the difference is
// shown.
func TestUndoLeavesWhatHasChangedSince(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "conf")
	m := serveModel(t, calls(writes("a", file, "nod's\n")), says("Written."))
	w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
	s := w.console(120, 40)
	s.see("ready$")
	s.typed("do it")
	s.press("Enter")
	approveHere(s, "removes the file")
	s.see("Written.")
	if err := os.WriteFile(file, []byte("somebody's\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	slash(s, "/undo")
	chatSays(s, "has changed since nod wrote it", "-nod's", "+somebody's")
	if text, _ := os.ReadFile(file); string(text) != "somebody's\n" {
		t.Errorf("it holds %q", text)
	}
	// Between the dialog and the answer, too.
	if err := os.WriteFile(file, []byte("nod's\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	slash(s, "/undo")
	s.see("APPROVE on local")
	if err := os.WriteFile(file, []byte("late\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	approveHere(s, "deletes files")
	chatSays(s, "/undo: exited 1")
	if text, _ := os.ReadFile(file); string(text) != "late\n" {
		t.Errorf("it holds %q", text)
	}
	leave(s)
}

// Before the operator decides they may run the command held, to see what it would do.
func TestTryItHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("d/a", "text", 0o600)
	file := filepath.Join(w.home, "d", "a")
	m := serveModel(t, calls(shell("a", "rm "+file+" && echo removed", true)), says("As you like."))
	w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
	s := w.console(100, 40)
	s.see("nothing running")
	s.typed("do it")
	s.press("Enter")
	s.see("APPROVE on local", "h held")
	s.keysCount()
	s.press("h")
	s.see("held: it ran where it can change nothing", "the cage refused: remove")
	s.keysCount()
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	s.press("n")
	s.see("As you like.")
	leave(s)
	if record := w.must("audit", "export"); !strings.Contains(record, `"decision":"preview"`) || !strings.Contains(record, `"grants":"C"`) {
		t.Errorf("it is not on record: %s", record)
	}
}

// Before the operator decides he may look; what is found stands below the command,
// and keys count anew.
func TestPreview(t *testing.T) {
	t.Parallel()
	for name, size := range oneSize("tiny") {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			dir := filepath.Join(w.home, "d")
			for _, name := range []string{"a", "b", "c"} {
				w.write("d/"+name, "text", 0o600)
			}
			m := serveModel(t, calls(shell("a", "rm -r "+dir, true)), says("As you like."))
			w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
			s := w.console(size[0], size[1])
			s.see("nothing running")
			s.typed("do it")
			s.press("Enter")
			s.see("APPROVE on local", "p ")
			s.keysCount()
			s.press("p")
			s.until("read the preview", func(text string) bool {
				if !strings.Contains(text, "exit") && !strings.Contains(text, "total") {
					s.press("Down")
				}
				return strings.Contains(text, "total")
			})
			s.press("Home")
			s.see("rm -r")
			s.keysCount()
			if _, err := os.Stat(dir); err != nil {
				t.Error(err)
			}
			s.press("n")
			s.see("As you like.")
			leave(s)
			record := w.must("audit", "export")
			if n := strings.Count(record, `"decision":"preview"`); n != 2 {
				t.Errorf("%d looks are on record", n)
			}
			if !strings.Contains(record, "find "+dir+" | wc -l") {
				t.Error("the look is not on record")
			}
		})
	}
}

// keysCount waits until a dialog takes keys, and returns what is shown then.
func (s *display) keysCount() string {
	s.t.Helper()
	return s.until("have keys count", func(text string) bool { return !strings.Contains(text, "keys count in a moment") })
}
