package files_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/files"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec/spectest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is the tools on the real local target.
type bench struct {
	t      *testing.T
	dir    string
	minter *tools.Minter
	read   *files.ReadFile
	write  *files.WriteFile
	edit   *files.EditFile
	grep   *files.Grep
	glob   *files.Glob
}

func newBench(t *testing.T) *bench {
	t.Helper()
	minter, verifier := tools.NewMint()
	target := local.New(os.Environ())
	t.Cleanup(func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	})
	g := guard.New(verifier)
	if err := g.Add(guard.Place{Target: target, User: "ops", Shell: "sh"}); err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	seen := &files.Seen{}
	return &bench{
		t: t, dir: dir, minter: minter,
		read:  &files.ReadFile{Guard: g, Seen: seen},
		write: &files.WriteFile{Guard: g, Seen: seen},
		edit:  &files.EditFile{Guard: g, Seen: seen},
		grep:  &files.Grep{Guard: g},
		glob:  &files.Glob{Guard: g},
	}
}

// outputs keep one output.
type outputs struct{}

func (outputs) Keep(context.Context, string, string, string) (string, error) { return "", nil }

func (outputs) Text(_ context.Context, ref string) (string, error) {
	if ref != "output:7" {
		return "", fs.ErrNotExist
	}
	return strings.Repeat("line\n", 3000), nil
}

// put makes a file and returns its path.
func (b *bench) put(name, content string) string {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// call plans, grants and executes, as an approved call would be. meanwhile is
// done between the approval and the execution.
func (b *bench) call(tool tools.Tool, args map[string]any, meanwhile ...func()) (tools.Action, tools.Result) {
	b.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	env := tools.Env{Call: "1", Target: "local", Outputs: outputs{}}
	a, err := tool.Plan(b.t.Context(), raw, env)
	var rejected *tools.Rejection
	if errors.As(err, &rejected) {
		return a, rejected.Result
	}
	if err != nil {
		b.t.Fatalf("%s: %v", raw, err)
	}
	for _, f := range meanwhile {
		f()
	}
	env.Grant = b.minter.Mint(a)
	r, err := tool.Execute(b.t.Context(), a, env)
	if err != nil {
		b.t.Fatalf("%s: %v", raw, err)
	}
	return a, r
}

func (b *bench) readValue(args map[string]any) files.ReadValue {
	b.t.Helper()
	_, r := b.call(b.read, args)
	v, ok := r.Value.(files.ReadValue)
	if !ok || r.IsError {
		b.t.Fatalf("%v: %+v", args, r)
	}
	return v
}

// problem returns the code of a failed call.
func problem(t *testing.T, r tools.Result) string {
	t.Helper()
	p, ok := r.Value.(tools.Problem)
	if !ok || !r.IsError || p.Error == "" {
		t.Fatalf("not a failure: %+v", r)
	}
	return p.Code
}

func writing(path, content string) map[string]any {
	return map[string]any{"path": path, "content": content, "risk": "low", "mutation": true, "privesc": false, "why": "test"}
}

func TestWhatTheToolsSayOfThemselves(t *testing.T) {
	b := newBench(t)
	for _, tool := range []tools.Tool{b.read, b.write, b.edit, b.grep, b.glob} {
		spectest.Misfits(t, tool, tools.Env{Target: "local"}, spectest.Tool(t, tool)[0])
	}
	for name, want := range map[tools.Tool][]string{
		b.read: {"path"}, b.write: {"path", "content", "risk", "mutation", "privesc", "why"},
		b.edit: {"path", "risk", "mutation", "privesc", "why"}, b.grep: {"pattern", "path"}, b.glob: {"pattern", "path"},
	} {
		if got := name.InputSchema()["required"]; !slices.Equal(got.([]string), want) {
			t.Errorf("%s requires %q", name.Name(), got)
		}
	}
}

func TestArgumentsThatDoNotParse(t *testing.T) {
	b := newBench(t)
	claim := `"risk":"low","mutation":true,"privesc":false,"why":"x"`
	for text, tool := range map[string]tools.Tool{
		`{}`:                                                       b.read,
		`{"path":""}`:                                              b.read,
		`{"path":"relative"}`:                                      b.read,
		`{"path":"~/x"}`:                                           b.read,
		`{"path":"/x\u0000y"}`:                                     b.read,
		`{"path":"/x","offset":0}`:                                 b.read,
		`{"path":"/x","limit":-1}`:                                 b.read,
		`{"path":"/x","ofset":1}`:                                  b.read,
		`{"path":"/x","content":"y"}`:                              b.write,
		`{"path":"/x",` + claim + `}`:                              b.write,
		`{"content":"",` + claim + `}`:                             b.write,
		`{"path":"/x","old_text":"a",` + claim + `}`:               b.edit,
		`{"path":"/x","new_text":"a",` + claim + `}`:               b.edit,
		`{"old_text":"b","new_text":"a",` + claim + `}`:            b.edit,
		`{"path":"/x","old_text":"b","new_text":"a"}`:              b.edit,
		`{"path":"x","old_text":"b","new_text":"a",` + claim + `}`: b.edit,
		`{"path":"/x"}`:                                            b.grep,
		`{"pattern":"x"}`:                                          b.grep,
		`{"pattern":"","path":"/"}`:                                b.grep,
		`{"pattern":"(","path":"/"}`:                               b.grep,
		`{"pattern":"x","path":"/","limit":0}`:                     b.grep,
		`{"pattern":"x","path":"/","include":"[a"}`:                b.grep,
		`{"pattern":"x","path":"etc"}`:                             b.grep,
		`{"pattern":"","path":"/"}` + " ":                          b.glob,
		`{"pattern":"../x","path":"/"}`:                            b.glob,
		`{"pattern":"/etc/*","path":"/"}`:                          b.glob,
		`{"pattern":"*","path":"/","limit":-3}`:                    b.glob,
	} {
		var invalid *tools.Error
		if a, err := tool.Plan(t.Context(), json.RawMessage(text), tools.Env{Target: "local"}); !errors.As(err, &invalid) || invalid.Code != tools.InvalidArgs {
			t.Errorf("%s: %+v, %v", text, a, err)
		}
	}
}

func TestReadReturnsLinesAndHowToReadOn(t *testing.T) {
	b := newBench(t)
	var numbered strings.Builder
	for i := 1; i <= 5000; i++ {
		fmt.Fprintf(&numbered, "%d\n", i)
	}
	path := b.put("numbers", numbered.String())

	var all strings.Builder
	offset := 1
	for calls := 0; offset > 0; calls++ {
		if calls > 20 {
			t.Fatal("reading on does not end")
		}
		v := b.readValue(map[string]any{"path": path, "offset": offset})
		if v.FirstLine != offset || v.TotalLines != 5000 || len(v.Content) > files.MaxCharacters || v.LastLine-v.FirstLine >= files.MaxLines {
			t.Fatalf("%+v", v)
		}
		all.WriteString(v.Content)
		offset = 0
		for _, n := range v.Notices {
			if _, err := fmt.Sscanf(n, "there are more lines: read on with offset %d", &offset); err != nil {
				t.Errorf("notice %q: %v", n, err)
			}
		}
	}
	if all.String() != numbered.String() {
		t.Error("the pieces are not the file")
	}
	if v := b.readValue(map[string]any{"path": path, "offset": 10, "limit": 2}); v.Content != "10\n11\n" || v.LastLine != 11 {
		t.Errorf("%+v", v)
	}
	if v := b.readValue(map[string]any{"path": path, "offset": 5000}); v.Content != "5000\n" || len(v.Notices) != 0 {
		t.Errorf("the last line: %+v", v)
	}
	_, r := b.call(b.read, map[string]any{"path": path, "offset": 5001})
	if code := problem(t, r); code != "past_end" {
		t.Errorf("behind the end: %s", code)
	}
}

func TestReadOfOddFiles(t *testing.T) {
	b := newBench(t)
	euro := strings.Repeat("€", 9000)
	for name, c := range map[string]struct{ content, want, notice string }{
		"empty":        {"", "", "the file is empty"},
		"no newline":   {"a\nb", "a\nb", ""},
		"crlf":         {"a\r\nb\r\n", "a\r\nb\r\n", ""},
		"one line":     {euro + "\nnext\n", strings.Repeat("€", 8000), "line 1 is cut: 1001 more characters"},
		"exactly":      {strings.Repeat("x", 7999) + "\n", strings.Repeat("x", 7999) + "\n", ""},
		"not utf-8":    {"a\xffb\n", "a\uFFFDb\n", "not UTF-8"},
		"full":         {strings.Repeat("y", 6000) + "\n" + strings.Repeat("z", 6000) + "\n", strings.Repeat("y", 6000) + "\n", "read on with offset 2"},
		"huge line":    {strings.Repeat("w", 3<<20), strings.Repeat("w", 8000), fmt.Sprintf("%d more characters", 3<<20-8000)},
		"control only": {"\x1b[31mred\x1b[0m\n", "\x1b[31mred\x1b[0m\n", ""},
	} {
		v := b.readValue(map[string]any{"path": b.put(name, c.content)})
		notices := strings.Join(v.Notices, "; ")
		if v.Content != c.want || !strings.Contains(notices, c.notice) || c.notice == "" && notices != "" {
			t.Errorf("%s: %.60q (%d), %q", name, v.Content, len(v.Content), notices)
		}
	}
}

func TestReadFailuresSayWhatToDo(t *testing.T) {
	b := newBench(t)
	fifo := filepath.Join(b.dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(b.dir, "none"): "not_found",
		b.dir:                        "is_directory",
		b.dir + "/":                  "is_directory",
		fifo:                         "not_regular",
		"/dev/null":                  "not_regular",
		b.put("bin", "ELF\x00\x01"):  "binary",
		"output:8":                   "not_found",
	} {
		_, r := b.call(b.read, map[string]any{"path": path})
		if got := problem(t, r); got != want || r.Record.Failed == "" {
			t.Errorf("%s: %q, want %q: %+v", path, got, want, r)
		}
	}
	_, r := b.call(b.read, map[string]any{"path": "/x", "target": "ssh:nowhere"})
	if got := problem(t, r); got != "no_target" {
		t.Errorf("unknown target: %q", got)
	}
}

func TestReadNamesTheFileBehindALink(t *testing.T) {
	b := newBench(t)
	path := b.put("real", "content\n")
	link := filepath.Join(b.dir, "link")
	if err := os.Symlink("real", link); err != nil {
		t.Fatal(err)
	}
	a, r := b.call(b.read, map[string]any{"path": link})
	if a.Path != path || r.Value.(files.ReadValue).Path != path {
		t.Errorf("planned %s, read %+v", a.Path, r.Value)
	}
}

func TestReadContinuesInAKeptOutput(t *testing.T) {
	b := newBench(t)
	a, r := b.call(b.read, map[string]any{"path": "output:7", "offset": 2900})
	v := r.Value.(files.ReadValue)
	if a.Kind != tools.Pure || v.FirstLine != 2900 || v.TotalLines != 3000 || strings.Count(v.Content, "line\n") != 101 {
		t.Errorf("%+v, %+v", a, v)
	}
}

func TestWriteMakesANewFileWithItsFolders(t *testing.T) {
	b := newBench(t)
	path := filepath.Join(b.dir, "a/b/file")
	a, r := b.call(b.write, writing(path, "one\ntwo\n"))
	v, ok := r.Value.(files.WriteValue)
	if !ok || !v.Created || v.Bytes != 8 || !r.Record.Outcome.OK() || r.Record.Bytes != 8 {
		t.Errorf("%+v", r)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "one\ntwo\n" {
		t.Errorf("%q, %v", data, err)
	}
	if !strings.HasSuffix(a.Diff, "+one\n+two\n") || a.Claim.Why != "test" || a.Kind != tools.Write {
		t.Errorf("%+v", a)
	}
	// What it wrote itself it has seen.
	if _, r := b.call(b.write, writing(path, "three\n")); r.IsError {
		t.Errorf("a second write: %+v", r)
	}
}

func TestWriteOverwritesOnlyWhatWasSeen(t *testing.T) {
	b := newBench(t)
	path := b.put("file", "old\n")
	_, r := b.call(b.write, writing(path, "new\n"))
	if code := problem(t, r); code != "not_read" {
		t.Fatalf("unseen: %s", code)
	}
	b.readValue(map[string]any{"path": path})
	b.put("file", "other\n")
	_, r = b.call(b.write, writing(path, "new\n"))
	if code := problem(t, r); code != "changed_on_disk" {
		t.Fatalf("changed before the plan: %s", code)
	}
	b.readValue(map[string]any{"path": path})
	_, r = b.call(b.write, writing(path, "new\n"), func() { b.put("file", "while the operator thought\n") })
	if code := problem(t, r); code != "changed_on_disk" {
		t.Fatalf("changed after the approval: %s", code)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "while the operator thought\n" {
		t.Fatalf("%q, %v", data, err)
	}
	b.readValue(map[string]any{"path": path})
	a, r := b.call(b.write, writing(path, "new\n"))
	if r.IsError || r.Value.(files.WriteValue).Created || !strings.Contains(a.Diff, "-while the operator thought\n+new\n") {
		t.Fatalf("read again: %+v", r)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
	b.write.Seen.Forget()
	_, r = b.call(b.write, writing(path, "newer\n"))
	if code := problem(t, r); code != "not_read" {
		t.Errorf("in a new conversation: %s", code)
	}
}

func TestWriteRefusesWhatComesMeanwhile(t *testing.T) {
	b := newBench(t)
	path := filepath.Join(b.dir, "file")
	_, r := b.call(b.write, writing(path, "new"), func() { b.put("file", "theirs") })
	if code := problem(t, r); code != "changed_on_disk" {
		t.Errorf("a file that came: %s", code)
	}
	other := b.put("other", "theirs")
	path = filepath.Join(b.dir, "second")
	_, r = b.call(b.write, writing(path, "new"), func() {
		if err := os.Symlink(other, path); err != nil {
			t.Fatal(err)
		}
	})
	if code := problem(t, r); code != "changed" {
		t.Errorf("a link that came: %s", code)
	}
	if data, err := os.ReadFile(other); err != nil || string(data) != "theirs" {
		t.Errorf("behind the link: %q, %v", data, err)
	}
}

func TestWriteFailuresSayWhatToDo(t *testing.T) {
	b := newBench(t)
	large := b.put("large", "")
	if err := os.Truncate(large, guard.MaxPresent+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		b.dir:                   "is_directory",
		b.dir + "/x/":           "is_directory",
		"/dev/null":             "system_folder",
		large:                   "too_large",
		b.put("f", "") + "/sub": "",
	} {
		_, r := b.call(b.write, writing(path, "x"))
		if got := problem(t, r); got != want {
			t.Errorf("%s: %q, want %q: %+v", path, got, want, r)
		}
	}
}

func TestNothingHappensWithoutTheGrant(t *testing.T) {
	b := newBench(t)
	path := b.put("file", "x")
	env := tools.Env{Target: "local"}
	for tool, args := range map[tools.Tool]map[string]any{
		b.read: {"path": path}, b.write: writing(filepath.Join(b.dir, "new"), "x"),
	} {
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		a, err := tool.Plan(t.Context(), raw, env)
		if err != nil {
			t.Fatal(err)
		}
		var denied *tools.Error
		r, err := tool.Execute(t.Context(), a, env)
		if !errors.As(err, &denied) || denied.Code != tools.PermissionDenied || r.Value != nil {
			t.Errorf("%s: %+v, %v", tool.Name(), r, err)
		}
	}
	if entries, err := os.ReadDir(b.dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestInterruptedReadsEnd(t *testing.T) {
	b := newBench(t)
	raw := json.RawMessage(fmt.Sprintf(`{"path":%q}`, b.put("file", string(bytes.Repeat([]byte("x\n"), 1000)))))
	env := tools.Env{Target: "local"}
	a, err := b.read.Plan(t.Context(), raw, env)
	if err != nil {
		t.Fatal(err)
	}
	env.Grant = b.minter.Mint(a)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := b.read.Execute(ctx, a, env)
	if err != nil || problem(t, r) != "interrupted" {
		t.Errorf("%+v, %v", r, err)
	}
}
