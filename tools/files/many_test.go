package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/files"
	"github.com/nod-console/nod/tools/internal/fleettest"
)

// TestFilesOfSeveralTargetsAreFolded: the same content comes once, with its targets; a target
// without the file says so, and one that could not be connected.
func TestFilesOfSeveralTargetsAreFolded(t *testing.T) {
	b := fleettest.New(t, "ssh:web-1", "ssh:web-2").Apart("ssh:web-3")
	b.Refused = map[string]error{"ssh:web-3": os.ErrDeadlineExceeded}
	if b.Connect(t.Context(), "ssh:web-3") == nil {
		t.Fatal("connected")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "app.conf")
	if err := os.WriteFile(name, []byte("port=80\nname=x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := &files.ReadFile{Guard: b.Guard, Seen: &files.Seen{}, Fleet: b.Fleet}
	grep := &files.Grep{Guard: b.Guard, Fleet: b.Fleet}
	for _, c := range []struct {
		tool tools.Tool
		args string
		want []string
	}{
		{read, fmt.Sprintf(`{"path":%q,"targets":["web-[1-3]"]}`, name), []string{
			`"count":"3 targets: 2 read, 1 not connected"`, `{"targets":"ssh:web-[1-2]","path":`, `"content":"port=80\nname=x\n"`, `{"targets":"ssh:web-3","error":"it could not be connected: `,
		}},
		{read, fmt.Sprintf(`{"path":%q,"targets":"web-[1-2]"}`, name+".none"), []string{`"count":"2 targets: 2 not found"`, `"code":"not_found"`}},
		{grep, fmt.Sprintf(`{"path":%q,"pattern":"^port","targets":["web-[1-2]"]}`, dir), []string{
			`"count":"2 targets: 2 searched"`, `{"targets":"ssh:web-[1-2]","path":`, `"matches":[{"file":"app.conf","line":1,"text":"port=80"}]`,
		}},
		{read, fmt.Sprintf(`{"path":%q,"targets":["web-1"],"target":"ssh:web-2"}`, name), []string{"give one of them"}},
		{read, `{"path":"relative","targets":["web-1"]}`, []string{"not absolute"}},
		{grep, `{"path":"/etc","pattern":"x","targets":["web-9"]}`, []string{"there is no target", "web-1"}},
		{grep, `{"path":"/etc","pattern":"(","targets":["web-1"]}`, []string{"invalid_args"}},
		{read, fmt.Sprintf(`{"path":%q,"targets":["web-2"]}`, name), []string{`{"path":`, `"content":"port=80\nname=x\n"`}},
	} {
		got := fleettest.JSON(t, b.Do(t.Context(), c.tool, c.args, tools.Env{Target: "ssh:web-1"}))
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s %s: %s, want %s", c.tool.Name(), c.args, got, want)
			}
		}
	}
	properties, _ := read.InputSchema()["properties"].(map[string]any)
	if properties["targets"] == nil || !strings.Contains(read.Description(), "targets as in run_shell") || strings.Contains((&files.ReadFile{}).Description(), "targets") {
		t.Error("targets are offered where there are none, or not where there are")
	}
}

// TestALongFileOfSeveralTargetsFitsTheBudget of one call.
func TestALongFileOfSeveralTargetsFitsTheBudget(t *testing.T) {
	b := fleettest.New(t, "ssh:web-1", "ssh:web-2")
	name := filepath.Join(t.TempDir(), "long")
	if err := os.WriteFile(name, []byte(strings.Repeat("line of a long file\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	read := &files.ReadFile{Guard: b.Guard, Seen: &files.Seen{}, Fleet: b.Fleet}
	got := fleettest.JSON(t, b.Do(t.Context(), read, fmt.Sprintf(`{"path":%q,"targets":["web-*"]}`, name), tools.Env{}))
	if len(got) > 9500 || !strings.Contains(got, "read on with offset") {
		t.Errorf("%d: %.500s", len(got), got)
	}
}

// TestBoundsHoldOnSeveralTargets: a workspace is this machine's.
func TestBoundsHoldOnSeveralTargets(t *testing.T) {
	b := fleettest.New(t, "local", "ssh:web-1")
	read := &files.ReadFile{Guard: b.Guard, Seen: &files.Seen{}, Fleet: b.Fleet, Bounds: files.Bounds{Workspace: t.TempDir()}}
	if got := fleettest.JSON(t, b.Do(t.Context(), read, `{"path":"/etc/hosts","targets":["@*"]}`, tools.Env{})); !strings.Contains(got, "outside_workspace") {
		t.Error(got)
	}
}
