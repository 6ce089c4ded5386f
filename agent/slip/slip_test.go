package slip

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
)

var shellSchema = map[string]any{"properties": map[string]any{
	"command": map[string]any{"type": "string"}, "literal_text": map[string]any{"type": "string"},
	"keys": map[string]any{"type": "array"}, "lines": map[string]any{"type": "integer"},
	"until": map[string]any{"anyOf": []any{
		map[string]any{"type": "boolean"}, map[string]any{"type": "string", "pattern": "^[0-9]+[smh]$"}, map[string]any{"type": "integer"}}},
	"share": map[string]any{"type": "number"}, "env": map[string]any{"type": "object"},
	"wait":     map[string]any{"anyOf": []any{map[string]any{"type": "boolean"}, map[string]any{"type": "string"}}},
	"risk":     map[string]any{"type": "string", "enum": []string{"low", "medium", "high"}},
	"mutation": map[string]any{"type": "boolean"},
}}

// TestSlipsThatLeaveNoDoubtAreRepaired, and said; all else stays as it was written.
func TestSlipsThatLeaveNoDoubtAreRepaired(t *testing.T) {
	for _, c := range []struct{ in, out, notes string }{
		{`{"command":"ls","mutation":false}`, "", ""},
		{`{"mutation":"False"}`, `{"mutation":false}`, `"mutation" was "False"`},
		{`{"mutation":"perhaps"}`, "", ""},
		{`{"command":"true"}`, "", ""},
		{`{"wait":"true"}`, "", ""},
		{`{"until":"False"}`, `{"until":false}`, "until"},
		{`{"until":"30"}`, `{"until":30}`, "until"},
		{`{"until":"30s"}`, "", ""},
		{`{"until":"soon"}`, "", ""},
		{`{"mutation":0}`, `{"mutation":false}`, "mutation"},
		{`{"mutation":"yes"}`, `{"mutation":true}`, "mutation"},
		{`{"mutation":2}`, "", ""},
		{`{"share":"0.5"}`, `{"share":0.5}`, "share"},
		{`{"share":"NaN"}`, "", ""},
		{`{"env":"{\"A\":1}"}`, `{"env":{"A":1}}`, "env"},
		{`{"env":"{A}"}`, "", ""},
		{`{"literal_text":7}`, `{"literal_text":"7"}`, "literal_text"},
		{`{"literal_text":1e9}`, "", ""},
		{`{"literal_text":["a"]}`, "", ""},
		{`{"lines":"12"}`, `{"lines":12}`, "lines"},
		{`{"lines":12.0}`, `{"lines":12}`, "lines"},
		{`{"lines":12.5}`, "", ""},
		{`{"keys":"C-c"}`, `{"keys":["C-c"]}`, "keys"},
		{`{"keys":"[\"C-c\", \"q\""}`, "", ""},
		{`{"keys":"[\"C-c\", \"q\"]"}`, `{"keys":["C-c","q"]}`, "keys"},
		{`{"risk":"LOW"}`, `{"risk":"low"}`, "risk"},
		{`{"risk":"none"}`, "", ""},
		{`{"Command":"ls","literalText":"x"}`, `{"command":"ls","literal_text":"x"}`, `"literalText" was taken for "literal_text"`},
		{`{"command":"ls","Command":"rm"}`, "", ""},
		{`{"arguments":{"command":"ls"}}`, `{"command":"ls"}`, "within"},
		{`{"parameters":"{\"command\":\"ls\"}"}`, `{"command":"ls"}`, "within"},
		{`{"command":"ls","explanation":"to see"}`, `{"command":"ls"}`, `no argument "explanation"`},
		{`{"command":"ls","timeout":30}`, `{"command":"ls"}`, "timeout"},
		{`{"command":"ls","sudo":false}`, `{"command":"ls"}`, "sudo"},
		// Without these, something else would be done than was meant.
		{`{"command":"rm x","cwd":"/tmp"}`, "", ""},
		{`{"command":"rm x","dry_run":true}`, "", ""},
		{`{"command":"rm x","background":true}`, "", ""},
		{`{"command":"rm x","host":"web-1"}`, "", ""},
		{`[1]`, "", ""},
	} {
		got, notes := Arguments(shellSchema, json.RawMessage(c.in))
		want := c.out
		if want == "" {
			want = c.in
		}
		if string(got) != want || (notes != nil) != (c.out != "") || !strings.Contains(strings.Join(notes, "; "), c.notes) {
			t.Errorf("%s: %s, %q; want %s", c.in, got, notes, want)
		}
	}
	// A call that only looks can lose more.
	looks := map[string]any{"properties": map[string]any{"path": map[string]any{"type": "string"}}}
	if got, _ := Arguments(looks, json.RawMessage(`{"path":"/x","recursive":true}`)); string(got) != `{"path":"/x"}` {
		t.Errorf("%s", got)
	}
}

type namedTool struct{ name string }

func (n namedTool) Name() string              { return n.name }
func (namedTool) Description() string         { return "" }
func (namedTool) InputSchema() map[string]any { return nil }
func (namedTool) Parallelizable() bool        { return false }
func (namedTool) Plan(context.Context, json.RawMessage, tools.Env) (tools.Action, error) {
	return tools.Action{}, nil
}
func (namedTool) Execute(context.Context, tools.Action, tools.Env) (tools.Result, error) {
	return tools.Result{}, nil
}

func TestNamesOfTools(t *testing.T) {
	registry := &tools.Registry{}
	for _, name := range []string{"run_shell", "read_file", "write_file", "edit_file", "capture-pane", "send-keys", "grep", "glob"} {
		if err := registry.Register(namedTool{name}); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"run_shell": "run_shell", "functions.run_shell": "run_shell", "Run_Shell": "run_shell", "runShell": "run_shell", "capture_pane": "capture-pane",
		"default_api:send_keys": "send-keys", " run_shell\n": "run_shell", "functions.run_shell:0": "run_shell", "run_shell()": "run_shell", "`run_shell`": "run_shell",
		"run shell": "run_shell", "bash": "", "other.run_shell": "", "run_shel": "", "": "",
	} {
		if got, ok := Resolve(registry, name); got != want || ok != (want != "") {
			t.Errorf("%q: %q", name, got)
		}
	}
	for name, want := range map[string]string{
		"bash": "run_shell", "run_shel": "run_shell", "read": "read_file", "file_read": "read_file", "str_replace_editor": "edit_file",
		"capture": "capture-pane", "ls": "glob", "xyzzy": "capture-pane, edit_file, glob, grep, read_file, run_shell, send-keys, write_file",
	} {
		p, ok := Unknown(registry, name).Value.(tools.Problem)
		_, near, _ := strings.Cut(p.Error, "; the nearest: ")
		if !ok || !strings.HasPrefix(near, want) {
			t.Errorf("%q: %+v", name, p)
		}
	}
}
