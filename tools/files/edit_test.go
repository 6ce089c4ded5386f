package files_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/files"
)

func editing(path, from, to string, all bool) map[string]any {
	return map[string]any{"path": path, "old_text": from, "new_text": to, "replace_all": all, "risk": "low", "mutation": true, "privesc": false, "why": "test"}
}

func (b *bench) content(path string) string {
	b.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

func TestAnEditChangesWhatItNamesAndNothingElse(t *testing.T) {
	b := newBench(t)
	for name, c := range map[string]struct {
		content, from, to string
		all               bool
		want              string
	}{
		"a value":                     {"a=1\nb=2\n", "b=2", "b=3", false, "a=1\nb=3\n"},
		"several lines":               {"x\ny\nz\n", "x\ny\n", "q\n", false, "q\nz\n"},
		"removed":                     {"x\ny\n", "x\n", "", false, "y\n"},
		"every one":                   {"a a\na", "a", "bb", true, "bb bb\nbb"},
		"no line feed at the end":     {"x\ny", "y", "z", false, "x\nz"},
		"returns are kept":            {"a\r\nb\r\nc\r\n", "a\nb", "1\n2\n3", false, "1\r\n2\r\n3\r\nc\r\n"},
		"returns given and kept":      {"a\r\nb\r\n", "a\r\nb", "1\r\n2", false, "1\r\n2\r\n"},
		"no returns where none are":   {"a\nb\n", "a\r\nb", "1\r\n2", false, "1\n2\n"},
		"mixed: as the place has it":  {"a\r\nb\nc\r\n", "b\nc", "B\nC", false, "a\r\nB\nC\r\n"},
		"mixed: found with a return":  {"a\r\nb\r\nc\n", "a\nb", "A\nB", false, "A\r\nB\r\nc\n"},
		"bytes that are no text stay": {"caf\xe9 x\n", "x", "y", false, "caf\xe9 y\n"},
		"a byte order mark stays":     {"\ufeffx\n", "x", "y", false, "\ufeffy\n"},
		"no pattern":                  {"a.c abc\n", "a.c", "$1", false, "$1 abc\n"},
	} {
		path := b.put("f", c.content)
		b.readValue(map[string]any{"path": path})
		a, r := b.call(b.edit, editing(path, c.from, c.to, c.all))
		if r.IsError || b.content(path) != c.want || a.Kind != tools.Write || string(a.Content) != c.want || a.Diff == "" {
			t.Errorf("%s: %q, want %q; %+v", name, b.content(path), c.want, r.Value)
		}
		if v, ok := r.Value.(files.WriteValue); !ok || v.Created || v.Bytes != len(c.want) {
			t.Errorf("%s: %+v", name, r.Value)
		}
	}
	info, err := os.Stat(b.dir + "/f")
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
}

func TestEditsThatCannotBeDone(t *testing.T) {
	b := newBench(t)
	path := b.put("f", "one\n  two\none\n")
	b.readValue(map[string]any{"path": path})
	unread := b.put("unread", "one\n")
	binary := b.put("binary", "a\x00b")
	for _, c := range []struct {
		path, from, to string
		code, says     string
	}{
		{path, "", "x", "empty_old_text", "empty"},
		{path, "one", "one", "no_change", "nothing would change"},
		{path, "three", "x", "not_found", "does not occur"},
		{path, "\ttwo", "x", "not_found", "line 2 is similar"},
		{path, "⟦secret:1⟧", "x", "not_found", "placeholder"},
		{path, "one", "x", "ambiguous", "occurs 2 times"},
		{path, "one", "x", "ambiguous", "lines 1, 3"},
		{path, "one\n", "one\r\n", "ambiguous", "2 times"},
		{path, "two\n", "two\r\n", "no_change", "line endings"},
		{b.dir, "x", "y", "is_directory", "directory"},
		{b.dir + "/", "x", "y", "is_directory", "directory"},
		{b.dir + "/none", "x", "y", "not_found", "create it with write_file"},
		{unread, "one", "x", "not_read", "read it with read_file"},
		{"/usr/bin/env", "x", "y", "system_folder", "package manager"},
		{"/proc/sys/kernel/hostname", "x", "y", "system_folder", "kernel"},
	} {
		_, r := b.call(b.edit, editing(c.path, c.from, c.to, false))
		if code := problem(t, r); code != c.code || !strings.Contains(r.Value.(tools.Problem).Error, c.says) {
			t.Errorf("%s %q: %+v, want %s with %q", c.path, c.from, r.Value, c.code, c.says)
		}
	}
	b.call(b.read, map[string]any{"path": binary}) // which is no reading of its content
	if _, r := b.call(b.edit, editing(binary, "a", "c", false)); problem(t, r) != "not_read" {
		t.Errorf("%+v", r)
	}
	if err := os.WriteFile(path, []byte("one\nchanged\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, r := b.call(b.edit, editing(path, "one", "x", false)); problem(t, r) != "changed_on_disk" {
		t.Errorf("%+v", r)
	}
	b.readValue(map[string]any{"path": path})
	_, r := b.call(b.edit, editing(path, "one", "x", false), func() { b.put("f", "one\nmeanwhile\n") })
	if problem(t, r) != "changed_on_disk" || b.content(path) != "one\nmeanwhile\n" {
		t.Errorf("%+v, %q", r, b.content(path))
	}
}

// several is a call with a list of edits, each an old and a new text.
func several(path string, pairs ...string) map[string]any {
	all := editing(path, "", "", false)
	delete(all, "old_text")
	delete(all, "new_text")
	delete(all, "replace_all")
	var edits []map[string]any
	for i := 0; i < len(pairs); i += 2 {
		edits = append(edits, map[string]any{"old_text": pairs[i], "new_text": pairs[i+1]})
	}
	all["edits"] = edits
	return all
}

// Several edits are one action with one difference, and none is made where one cannot be.
func TestSeveralEditsAreMadeAllOrNone(t *testing.T) {
	b := newBench(t)
	const before = "port = 80\r\nname = x\r\nlog = off\r\n"
	path := b.put("f", before)
	b.readValue(map[string]any{"path": path})
	for _, c := range []struct {
		pairs      []string
		code, says string
	}{
		{[]string{"port = 80", "port = 81", "none", "x"}, "not_found", "edit 2 of 2: old_text does not occur"},
		{[]string{"port = 80", "port = 81", "port = 80", "x"}, "not_found", "edit 2 of 2"}, // the first has replaced it
		{[]string{"=", "x", "name = x", "y"}, "ambiguous", "edit 1 of 2: old_text occurs 3 times"},
		{[]string{"port", "gate", "", "x"}, "empty_old_text", "edit 2 of 2"},
		{[]string{"port", "gate", "gate", "port"}, "no_change", "undo each other"},
	} {
		_, r := b.call(b.edit, several(path, c.pairs...))
		if code := problem(t, r); code != c.code || !strings.Contains(r.Value.(tools.Problem).Error, c.says) {
			t.Errorf("%q: %+v, want %s with %q", c.pairs, r.Value, c.code, c.says)
		}
		if b.content(path) != before {
			t.Fatalf("%q: an edit was made", c.pairs)
		}
	}
	a, r := b.call(b.edit, several(path, "port = 80\n", "port = 81\n", "port = 81\nname", "port = 82\nname", "off", "on"))
	const after = "port = 82\r\nname = x\r\nlog = on\r\n"
	if r.IsError || b.content(path) != after || string(a.Content) != after || strings.Count(a.Diff, "@@ -") != 1 || strings.Contains(a.Diff, "port = 81") {
		t.Errorf("%q, %s, %+v", b.content(path), a.Diff, r.Value)
	}
	mixed := several(path, "on", "off")
	mixed["old_text"] = "port"
	raw, err := json.Marshal(mixed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.edit.Plan(t.Context(), raw, tools.Env{Target: "local"}); err == nil || !strings.Contains(err.Error(), "edits stands for old_text") {
		t.Errorf("both ways at once: %v", err)
	}
}

// keeper remembers what it was given.
type keeper struct {
	old     []string
	dropped int
}

func (k *keeper) Keep(_ tools.Action, old []byte) (func(), error) {
	k.old = append(k.old, string(old))
	return func() { k.dropped++ }, nil
}

func TestAnEditCanBeTakenBack(t *testing.T) {
	b := newBench(t)
	k := &keeper{}
	b.edit.Keeper = k
	path := b.put("f", "one\n")
	b.readValue(map[string]any{"path": path})
	if _, r := b.call(b.edit, editing(path, "one", "two", false)); r.IsError {
		t.Fatalf("%+v", r)
	}
	// It has seen what it wrote: another edit needs no reading.
	if _, r := b.call(b.edit, editing(path, "two", "three", false)); r.IsError {
		t.Fatalf("%+v", r)
	}
	if len(k.old) != 2 || k.old[0] != "one\n" || k.old[1] != "two\n" || k.dropped != 0 {
		t.Errorf("%+v", k)
	}
	a, _ := b.call(b.edit, editing(path, "three", "four", false))
	if a.Expect != backends.VersionOf([]byte("three\n")) {
		t.Errorf("%+v", a)
	}
}

func TestFilesLieInTheWorkspace(t *testing.T) {
	b := newBench(t)
	inside, outside := b.dir+"/ws", b.dir+"/elsewhere"
	for _, dir := range []string{inside, outside, outside + "/allowed"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"ws/f", "elsewhere/f", "elsewhere/allowed/f", "ws-not"} {
		b.put(name, "text\n")
	}
	if err := os.Symlink(outside, inside+"/link"); err != nil {
		t.Fatal(err)
	}
	bounds := files.Bounds{Workspace: inside, Allowed: []string{outside + "/allowed"}}
	b.read.Bounds, b.write.Bounds, b.edit.Bounds, b.grep.Bounds, b.glob.Bounds = bounds, bounds, bounds, bounds, bounds
	calls := func(folder string) map[string]tools.Result {
		all := map[string]tools.Result{}
		_, all["read"] = b.call(b.read, map[string]any{"path": folder + "/f"})
		_, all["write"] = b.call(b.write, writing(folder+"/f", "text\n"))
		_, all["edit"] = b.call(b.edit, editing(folder+"/f", "text", "text", false))
		_, all["new"] = b.call(b.write, writing(folder+"/new", "x"))
		_, all["grep"] = b.call(b.grep, map[string]any{"pattern": "text", "path": folder})
		_, all["glob"] = b.call(b.glob, map[string]any{"pattern": "*", "path": folder})
		return all
	}
	for _, folder := range []string{inside, outside + "/allowed"} {
		for name, r := range calls(folder) {
			if p, _ := r.Value.(tools.Problem); r.IsError && p.Code != "no_change" {
				t.Errorf("%s in %s: %+v", name, folder, r.Value)
			}
		}
	}
	for _, folder := range []string{outside, inside + "/link", inside + "/..", inside + "-not/.."} {
		for name, r := range calls(folder) {
			if p, _ := r.Value.(tools.Problem); p.Code != "outside_workspace" && p.Code != "no_change" && p.Code != "" {
				t.Errorf("%s in %s: %+v", name, folder, r.Value)
			} else if !r.IsError {
				t.Errorf("%s in %s: %+v", name, folder, r.Value)
			}
		}
	}
	if _, err := os.Stat(outside + "/new"); err == nil {
		t.Error("a file was made outside")
	}
}
