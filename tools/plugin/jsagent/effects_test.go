//go:build linux && (amd64 || arm64)

package jsagent

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/js"
)

// gate plans an effect as nod's tools do, as far as a permission looks at it, and answers
// it with what was prepared for its tool.
type gate struct {
	t       *testing.T
	answers map[string]any
	asked   []string // tool and arguments
}

func (g *gate) effect(_ context.Context, e tools.Effect) tools.Result {
	var args struct{ Command, Path, URL, Target, Why string }
	if err := json.Unmarshal(e.Arguments, &args); err != nil {
		g.t.Error(err)
	}
	a := tools.Action{Tool: e.Tool, Command: args.Command, Path: args.Path, Target: args.Target}
	if e.Tool == "fetch_url" {
		a.Command = args.URL
	} else if args.Target != "local" {
		g.t.Errorf("%s is asked for on %q", e.Tool, args.Target)
	}
	if real, err := filepath.EvalSymlinks(a.Path); err == nil {
		a.Path = real // as the tools for files do
	}
	if err := e.Permit(a); err != nil {
		return tools.Failure("not_permitted", err.Error())
	}
	g.asked = append(g.asked, e.By+": "+e.Tool+" "+string(e.Arguments))
	answer, there := g.answers[e.Tool]
	if !there {
		return tools.Failure("denied", "denied by a rule")
	}
	return tools.Result{Value: answer}
}

// page is a result of read_file.
func page(text string) map[string]any {
	return map[string]any{"content": text, "first_line": 1, "last_line": 1, "total_lines": 1}
}

// Each effect is a call of one of nod's own tools, within what agent.yaml asks for.
func TestEffects(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	shell := func(stdout, stderr string, code int) map[string]any {
		return map[string]any{"stdout": stdout, "stderr": stderr, "exit_code": code}
	}
	for name, c := range map[string]struct {
		code   string
		answer map[string]any
		says   string // of the result, as JSON
		asked  string // of the last call
		no     Permissions
	}{
		"a command":           {code: `return await run_command("ls", {cwd: "/srv", stdin: "x"})`, answer: map[string]any{"run_shell": shell("a\n", "b", 2)}, says: `"a\nb\n(exit status 2)"`, asked: `"command":"ls","cwd":"/srv","mutation":false,"privesc":false,"risk":"low","stdin":"x"`},
		"its other name":      {code: `return await runCommand("ls")`, answer: map[string]any{"run_shell": shell("a\n", "", 0)}, says: `"a\n"`},
		"one that acts":       {code: `return await run_command("deploy", {mutation: true})`, says: "denied by a rule", asked: ``},
		"a program":           {code: `return await spawn("echo", ["a b", "$x"])`, answer: map[string]any{"run_shell": shell("y", "", 0)}, says: `"stdout":"y"`, asked: `"command":"echo 'a b' '$x'"`},
		"without permission":  {code: `return await run_command("ls")`, no: Permissions{Filesystem: []string{dir}}, says: "permissions.shell in its agent.yaml is not true"},
		"a file":              {code: `return fs.read_text("DIR/a")`, answer: map[string]any{"read_file": page("text")}, says: `"text"`, asked: `"path":"` + dir + `/a"`},
		"a file elsewhere":    {code: `return fs.read_text("/etc/passwd")`, says: `permissions.filesystem in its agent.yaml lacks \"/etc/passwd\"`},
		"a way out":           {code: `return fs.read_text("DIR/../../etc/passwd")`, says: "permissions.filesystem"},
		"a link out":          {code: `return fs.read_text("DIR/link/passwd")`, says: "permissions.filesystem"},
		"a folder by a link":  {code: `return fs.list_dir("DIR/link")`, says: "permissions.filesystem"},
		"writing":             {code: `fs.write_text("DIR/a", "b")`, answer: map[string]any{"write_file": map[string]any{}}, says: `"OK"`, asked: `"content":"b","mutation":true`},
		"a folder":            {code: `return fs.list_dir("DIR")`, answer: map[string]any{"run_shell": shell("a\nb/\n", "", 0)}, says: `["a","b/"]`, asked: "ls -1Ap -- " + dir, no: Permissions{Filesystem: []string{dir}}},
		"an empty folder":     {code: `return fs.list_dir("DIR")`, answer: map[string]any{"run_shell": shell("", "", 0)}, says: `[]`},
		"no folder":           {code: `return fs.is_dir("DIR/x")`, answer: map[string]any{"run_shell": shell("", "", 1)}, says: `false`, asked: "test -d"},
		"a new folder":        {code: `fs.mkdir("DIR/x y")`, answer: map[string]any{"run_shell": shell("", "", 0)}, says: `"OK"`, asked: `mkdir -p -- '` + dir + `/x y'","cwd"`},
		"a page":              {code: `return await http_get("https://example.com/x")`, answer: map[string]any{"fetch_url": map[string]any{"status": "200 OK", "content": "hello"}}, says: `"hello"`, asked: `fetch_url {"url":"https://example.com/x"}`},
		"a page elsewhere":    {code: `return await http_get("https://example.org/")`, says: `permissions.network in its agent.yaml lacks \"example.org\"`},
		"a name in front":     {code: `return await http_get("https://example.com@evil.org/")`, says: "has a user in it"},
		"two hosts":           {code: `return await http_post("https://evil.org\\\\@example.com/", "")`, says: "no URL"},
		"a strange host":      {code: `return await http_post("https://evil.org;example.com/", "")`, says: "no host's name"},
		"a file as a page":    {code: `return await http_get("file:///etc/passwd")`, says: "no URL of http or https"},
		"posting":             {code: `return await http_post("https://example.com/x", {a: 1})`, answer: map[string]any{"run_shell": shell("done\n201", "", 0)}, says: `"done"`, asked: `"stdin":"{\"a\":1}"`, no: Permissions{Network: []string{"example.com"}}},
		"posting elsewhere":   {code: `return await http_post("http://169.254.169.254/", "")`, says: "permissions.network"},
		"a request":           {code: `const r = await fetch("https://example.com/", {method: "put", headers: {"X-A": "it's"}, body: "{}"}); return [r.ok, r.status, await r.json()]`, answer: map[string]any{"run_shell": shell("{}\n404", "", 0)}, says: `[false,404,{}]`, asked: `curl -q -sS --max-time 60 -w '\\n%{http_code}' -X PUT -H 'X-A: it'\\''s' --data-binary @- --globoff -- https://example.com/`},
		"a header too many":   {code: `return await fetch("https://example.com/", {headers: {"X": "a\r\nHost: evil.org"}})`, says: "cannot be sent"},
		"a header of a file":  {code: `return await fetch("https://example.com/", {headers: {"@/etc/passwd": ""}})`, says: "cannot be sent"},
		"a method too many":   {code: `return await fetch("https://example.com/", {method: "-o/tmp/x"})`, says: "no method"},
		"curl fails":          {code: `return await http_post("https://example.com/", "")`, answer: map[string]any{"run_shell": shell("", "curl: (6) no such host", 6)}, says: "no such host"},
		"a team that is none": {code: `memory.set("k", {a: 1}); messages.send("b", "hello " + memory.get("k") + memory.get("none"))`, says: "works in no team"},
		"nobody there":        {code: `return input("name? ")`, says: "nobody is there"},
		"no model":            {code: `return await ask_llm("hello")`, says: "no model to ask"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := agentOf(dir, does(strings.ReplaceAll(c.code, "DIR", dir)))
			if c.no.Filesystem != nil || c.no.Network != nil {
				a.Permissions = c.no
			}
			r := opened(t, a, Options{})
			if err := r.Main(t.Context(), "", tools.Env{}); err != nil {
				t.Fatal(err)
			}
			g := &gate{t: t, answers: c.answer}
			said := r.does(t.Context(), t, "bad", tools.Env{Effect: g.effect})
			last := ""
			if n := len(g.asked); n > 0 {
				last = g.asked[n-1]
			}
			if !strings.Contains(said, c.says) || !strings.Contains(last, c.asked) || last != "" && !strings.HasPrefix(last, "agent hostile: ") {
				t.Errorf("%s\nasked %s", said, last)
			}
		})
	}
}

// A script cannot ask a model without end.
func TestTheModelIsNotAskedWithoutEnd(t *testing.T) {
	t.Parallel()
	times := 0
	r := started(t, does(`while (true) await ask_llm("more")`), Options{Ask: func(context.Context, string, string) (string, error) {
		times++
		return "", nil
	}})
	if said := r.does(t.Context(), t, "bad", tools.Env{}); times != js.MaxTurns || !strings.Contains(said, "100 times in a run") {
		t.Errorf("asked %d times: %s", times, said)
	}
}

// kept is what outputs were kept.
type kept map[string]string

func (k kept) Keep(context.Context, string, string, string) (string, error) { return "", nil }
func (k kept) Text(_ context.Context, ref string) (string, error)           { return k[ref], nil }

// What is cut for a model is whole for code.
func TestOutputsAreWhole(t *testing.T) {
	t.Parallel()
	r := started(t, does(`return await run_command("seq 9")`), Options{})
	g := &gate{t: t, answers: map[string]any{"run_shell": map[string]any{"stdout": "1\n...[truncated]", "stderr": "", "exit_code": 0,
		"notices": []string{`stdout is cut: 8 more characters; read on with read_file {"path": "output:3", "offset": 2}`}}}}
	if said := r.does(t.Context(), t, "bad", tools.Env{Effect: g.effect, Outputs: kept{"output:3": "1\n2\n"}}); said != `"1\n2\n"` {
		t.Error(said)
	}
}

// The examples register what they say and do it.
func TestTheExamples(t *testing.T) {
	t.Parallel()
	explorer, err := Read("examples/explorer")
	if err != nil {
		t.Fatal(err)
	}
	r := opened(t, explorer, Options{})
	g := &gate{t: t, answers: map[string]any{
		"run_shell": map[string]any{"stdout": "", "exit_code": 1}, "read_file": page("all of it"),
	}}
	env := tools.Env{Effect: g.effect}
	if err := r.Main(t.Context(), "", env); err != nil || r.Turns() != 12 || !strings.Contains(r.SystemPrompt(), r.at.dir) {
		t.Fatal(err, r.Turns(), r.SystemPrompt())
	}
	for _, c := range []struct{ tool, args, says string }{
		{"run", `{"command": "false"}`, "(exit status 1)"},
		{"read_file", `{"path": "doc.go"}`, "all of it"},
		{"search", `{"path": ".", "pattern": "it's"}`, "nothing found"},
	} {
		for _, tool := range r.Tools() {
			if tool.Name() != c.tool {
				continue
			}
			got, err := tool.Execute(t.Context(), tools.Action{Command: c.args}, env)
			if err != nil || got.Value != c.says {
				t.Errorf("%s: %v %v", c.tool, got.Value, err)
			}
		}
	}
	report, err := Read("examples/report")
	if err != nil {
		t.Fatal(err)
	}
	prompt, printed := "", ""
	r = opened(t, report, Options{
		Printed: func(_, text string) { printed += text },
		Ask: func(_ context.Context, system, asked string) (string, error) {
			prompt = system + asked
			return "It is well.", nil
		},
	})
	g.answers["run_shell"] = map[string]any{"stdout": "a\nb\n", "exit_code": 0}
	if err := r.Main(t.Context(), "how is it?", env); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(prompt, "how is it?") || printed != "looked with 3 commands; df has 2 lines\nIt is well.\n" {
		t.Errorf("asked %q, printed %q", prompt, printed)
	}
}

// The hand-over tells of what was looked at, and of what was not.
func TestTheExampleOfAHandover(t *testing.T) {
	t.Parallel()
	handover, err := Read("examples/handover")
	if err != nil {
		t.Fatal(err)
	}
	asked, printed := "", ""
	r := opened(t, handover, Options{
		Printed: func(_, text string) { printed += text },
		Ask: func(_ context.Context, _, prompt string) (string, error) {
			asked = prompt
			return "db-2 is back.", nil
		},
	})
	g := &gate{t: t, answers: map[string]any{"run_shell": map[string]any{"stdout": "nginx.service loaded failed\n", "exit_code": 0}}}
	env := tools.Env{Effect: func(ctx context.Context, e tools.Effect) tools.Result {
		if strings.Contains(string(e.Arguments), "last -n") {
			return tools.Failure("denied", "not run: the operator said no")
		}
		return g.effect(ctx, e)
	}}
	if err := r.Main(t.Context(), "to Ada", env); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"to Ada\n", "## what has failed (systemctl --failed --no-legend)\nnginx.service loaded failed", "## who was here (last -n 10)\nnot looked at: run_command: not run: the operator said no"} {
		if !strings.Contains(asked, want) {
			t.Errorf("asked without %q: %q", want, asked)
		}
	}
	if printed != "db-2 is back.\n" {
		t.Errorf("printed %q", printed)
	}
}

func FuzzCurl(f *testing.F) {
	f.Add("https://example.com/a b", "POST", "X-A", "v", "body")
	f.Fuzz(func(t *testing.T, to, method, name, value, body string) {
		line, _, err := curl(request{URL: to, Method: method, Headers: map[string]string{name: value}, Body: &body})
		if at, wrong := url.Parse(to); err != nil || wrong != nil || at.Host == "" {
			return
		}
		if !strings.HasPrefix(line, "curl -q -sS ") || !strings.HasSuffix(line, "-- "+word(to)) || strings.ContainsAny(line, "\r") && !strings.Contains(to, "\r") {
			t.Errorf("%q", line)
		}
	})
}
