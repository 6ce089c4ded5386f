//go:build linux && (amd64 || arm64)

package jsagent

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/host"
	"github.com/nod-console/nod/tools/plugin/js"
)

// liar is a process that answers a call that was not made.
const liar = "liar"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == js.Command {
		js.Main()
		return
	}
	if len(os.Args) == 2 && os.Args[1] == liar {
		in := bufio.NewScanner(os.Stdin)
		for id := 1; in.Scan(); id = 7 {
			fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":{}}`+"\n", id)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// patience is how long an agent may take to come back.
const patience = time.Minute

// patient are limits that only what never ends meets.
var patient = host.Limits{Call: time.Hour, Start: time.Hour, Grace: time.Hour, CPU: time.Hour, Memory: 1 << 30}

// agentOf is an agent of one file that may do everything in dir.
func agentOf(dir, code string) Agent {
	return Agent{
		Manifest: Manifest{Name: "hostile", Description: "d", Mode: Agentic, EntryPoint: "main.js", MaxTurns: DefaultTurns,
			Permissions: Permissions{Shell: true, Filesystem: []string{".", dir}, Network: []string{"example.com"}}},
		Files: map[string]string{"main.js": code},
	}
}

func opened(t *testing.T, a Agent, o Options) *Run {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if o.Program == nil {
		o.Program = []string{self, js.Command}
	}
	if o.Limits == (host.Limits{}) {
		o.Limits = patient
	}
	r, err := Open(t.Context(), a, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// started is an agent whose code has run.
func started(t *testing.T, code string, o Options) *Run {
	t.Helper()
	r := opened(t, agentOf(t.TempDir(), code), o)
	if err := r.Main(t.Context(), "a goal", tools.Env{}); err != nil {
		t.Fatal(err)
	}
	return r
}

// does is an agent with a tool that does something, and another one that is well.
func does(body string) string {
	return fmt.Sprintf(`
register_tool({name: "bad", description: "bad", execute: async (args) => {
  %s
}});
register_tool({name: "good", description: "good", execute: (args) => "well"});
`, body)
}

// does calls a tool; its result is JSON.
func (r *Run) does(ctx context.Context, t *testing.T, name string, env tools.Env) string {
	t.Helper()
	for _, tool := range r.Tools() {
		if tool.Name() != name {
			continue
		}
		a, err := tool.Plan(ctx, json.RawMessage(`{"a": 1}`), env)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tool.Execute(ctx, a, env)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(got.Value)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	t.Fatalf("no tool %q", name)
	return ""
}

// What a hostile agent does is told in a sentence, and the agent works on afterwards.
func TestHostileAgents(t *testing.T) {
	t.Parallel()
	short := patient
	short.Call = time.Second // what never ends has no other end
	small := patient
	small.Memory = 0 // the default
	for _, c := range []struct {
		name, body, says string
		limits           host.Limits
	}{
		{"a loop without end", "while (true);", "took longer than 1s", short},
		{"a loop that catches all", "while (true) { try { while (true); } catch {} }", "took longer than 1s", short},
		{"jobs without end", "while (true) await null;", "took longer than 1s", short},
		{"a pattern without end", `return /^(a+)+$/.test("a".repeat(40) + "b")`, "took longer than 1s", short},
		{"a promise that never settles", "await new Promise(() => {});", "promise that never settles", patient},
		{"an array that grows", `const a = []; while (true) a.push("x".repeat(100000) + a.length)`, "main.js:3: InternalError: out of memory", small},
		{"4 GB of text", `let s = "x"; while (true) s += s`, "main.js:3: InternalError", small},
		{"calls itself", "const f = () => 1 + f(); return f()", "main.js:3: InternalError: stack overflow", patient},
		{"more than it may write", `return "x".repeat(5000000)`, "more than 4 MiB", patient},
		{"an error", `throw new Error("no such ticket")`, "main.js:3: no such ticket", patient},
		{"an error that is none", `throw "no such ticket"`, "thrown: no such ticket", patient},
		{"an error that nobody waits for", `(async () => { throw new Error("lost") })()`, "main.js:3: Error: lost (in a promise that nobody waits for", patient},
		{"a module of the system", `return await import("os")`, `imports \"os\", and the agent has no such file`, patient},
		{"an effect that nobody passes", `return await run_command("id")`, "without effects", patient},
		{"a late tool", `register_tool({name: "late", description: "d", execute: () => 1})`, "not later", patient},
		{"an unknown option", `return await run_command("id", {user: "root"})`, `no option \"user\"`, patient},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := started(t, does(c.body), Options{Limits: c.limits})
			said := r.does(t.Context(), t, "bad", tools.Env{})
			if !strings.Contains(said, c.says) || !strings.Contains(said, "agent hostile") || strings.Contains(said, "\n") {
				t.Errorf("%s", said)
			}
			if r.Pid() == 0 || c.name == "jobs without end" {
				return // its process was ended, or what it has begun goes on in each call
			}
			if said = r.does(t.Context(), t, "good", tools.Env{}); said != `"well"` {
				t.Errorf("afterwards: %s", said)
			}
		})
	}
}

// A process that ends in the middle of a call is told, and one that was started again does
// not pretend to be the same.
func TestAProcessEndsInTheMiddle(t *testing.T) {
	t.Parallel()
	r := started(t, does(`return fs.cwd() + await run_command("id")`), Options{})
	said := r.does(t.Context(), t, "bad", tools.Env{Effect: func(context.Context, tools.Effect) tools.Result {
		if err := syscall.Kill(r.Pid(), syscall.SIGKILL); err != nil {
			t.Error(err)
		}
		return tools.Result{Value: map[string]any{"exit_code": 0}}
	}})
	if !strings.Contains(said, "was ended by killed") {
		t.Error(said)
	}
	if !backendtest.Soon(patience, func() bool {
		said = r.does(t.Context(), t, "good", tools.Env{})
		return strings.Contains(said, "what it had registered is gone")
	}) {
		t.Error(said)
	}
}

// An answer to another call ends the process.
func TestAnAnswerToAnotherCall(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := opened(t, agentOf("/", ""), Options{Program: []string{self, liar}})
	if err := r.Main(t.Context(), "", tools.Env{}); err == nil || !strings.Contains(err.Error(), "it answered call 7, which was not made") {
		t.Error(err)
	}
}

// A call that is cancelled ends, and the agent works on.
func TestACallIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := started(t, does(`print("begun"); while (true);`), Options{Printed: func(string, string) { cancel() }})
	if said := r.does(ctx, t, "bad", tools.Env{}); !strings.Contains(said, "cancel") {
		t.Error(said)
	}
	if said := r.does(t.Context(), t, "good", tools.Env{}); said != `"well"` {
		t.Error(said)
	}
}

// What an agent says reaches the terminal and the model as text.
func TestTextsAreHarmless(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	printed := ""
	r := started(t, `set_system_prompt("\u001b[2J");
print("a\u001b]0;x\u0007b", {k: [1]}, null);
`+does(`return {["k\u001b"]: "\u001b[2J\u009b" + "a\u202eb"}`), Options{Printed: func(stream, text string) {
		mu.Lock()
		defer mu.Unlock()
		printed += stream + ":" + text
	}})
	said := r.does(t.Context(), t, "bad", tools.Env{}) + r.SystemPrompt() + printed
	if strings.ContainsAny(said, "\x1b\u202e\x07") || strings.Contains(said, `\u001b`) || !strings.Contains(said, "[2J") {
		t.Errorf("%q", said)
	}
	if !strings.HasSuffix(printed, "b {\"k\":[1]} null\n") || !strings.HasPrefix(printed, "print:a") {
		t.Errorf("%q", printed)
	}
}

// What goes wrong at the top level is loud, with file and line.
func TestWhatIsNotStarted(t *testing.T) {
	t.Parallel()
	tool := `register_tool({name: %s, description: "d", execute: () => 1});`
	for name, c := range map[string]struct{ code, says string }{
		"no code":          {"let x = ;", "main.js:1: SyntaxError"},
		"an error":         {"\n\nthrow new Error('not today')", "main.js:3: not today"},
		"a name":           {"\nnope()", "main.js:2: ReferenceError: 'nope' is not defined"},
		"awaited":          {"\nawait (async () => { nope() })()", "main.js:2: ReferenceError"},
		"not awaited":      {"async function main() {\n  nope();\n}\nmain();", "main.js:2: ReferenceError: 'nope' is not defined (in a promise that nobody waits for"},
		"never settles":    {"await new Promise(() => {})", "main.js: it waits for a promise that never settles"},
		"another's file":   {"import '../../etc/passwd'", "no such file"},
		"a module's error": {"import './lib.js'", "lib.js:2: TypeError"},
		"10,000 tools":     {"for (let i = 0; i < 10000; i++) " + fmt.Sprintf(tool, "'t' + i"), "can have 32 tools"},
		"a bad name":       {fmt.Sprintf(tool, `"Run Shell"`), `cannot be called "Run Shell"`},
		"a name's end":     {fmt.Sprintf(tool, `"run\n"`), `cannot be called "run\n"`},
		"twice":            {fmt.Sprintf(tool, `"a"`) + fmt.Sprintf(tool, `"a"`), "registered twice"},
		"a field":          {`register_tool({name: "a", descripton: "d", execute: () => 1})`, "descripton"},
		"no function":      {`register_tool({name: "a", description: "d"})`, "execute is not a function"},
		"no schema":        {`register_tool({name: "a", description: "d", parameters: {type: "string"}, execute: () => 1})`, "no JSON Schema"},
		"turns":            {"set_max_turns(0)", "not a number from 1 to 100"},
		"an effect":        {"fs.read_text('x')", "main.js:1: fs.read_text: not done: here, the agent's code runs without effects"},
		"nothing":          {"let x = 1", "neither a tool nor a system prompt"},
		"a prompt":         {"set_system_prompt(7)", "want a text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := agentOf(t.TempDir(), c.code)
			a.Files["lib.js"] = "\nnull.x"
			err := opened(t, a, Options{}).Main(t.Context(), "", tools.Env{})
			says := strings.ReplaceAll(c.says, "no JSON Schema", "not a JSON Schema")
			if err == nil || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), "agent hostile: ") {
				t.Error(err)
			}
		})
	}
}

// What main.js sets goes before agent.yaml.
func TestWhatIsRegistered(t *testing.T) {
	t.Parallel()
	r := started(t, `
set_max_turns(3);
set_system_prompt("Be " + goal + " " + nod_version());
globalThis.twice = async (args) => ({twice: JSON.parse(args).a * 2});
register_tools_json(JSON.stringify([{name: "twice", description: "d", parameters: {type: "object", properties: {a: {type: "number"}}}}]));
register_tools_json([{type: "function", function: {name: "gone", description: "d"}}]);
register_tool({name: "results", description: "d", execute: () => get_tool_results()});
register_tool({name: "nothing", description: "d", execute: async () => {}});
`, Options{Version: "1.2"})
	if r.Turns() != 3 || r.SystemPrompt() != "Be a goal 1.2" || len(r.Tools()) != 4 {
		t.Errorf("%d turns, prompt %q, %d tools", r.Turns(), r.SystemPrompt(), len(r.Tools()))
	}
	if _, there := r.Tools()[0].InputSchema()["properties"].(map[string]any)["a"]; !there {
		t.Error(r.Tools()[0].InputSchema())
	}
	for _, c := range []struct{ tool, says string }{
		{"twice", `{"twice":2}`},
		{"gone", `has no function: set globalThis[\"gone\"]`},
		{"nothing", `"OK"`},
		{"results", `{"arguments":"{\"a\": 1}","is_error":false,"name":"twice","result":{"twice":2}}`},
	} {
		if said := r.does(t.Context(), t, c.tool, tools.Env{}); !strings.Contains(said, c.says) {
			t.Errorf("%s: %s", c.tool, said)
		}
	}
}

func BenchmarkACall(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	r, err := Open(b.Context(), agentOf("/", does("")), Options{Program: []string{self, js.Command}})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	if err := r.Main(b.Context(), "", tools.Env{}); err != nil {
		b.Fatal(err)
	}
	good := r.Tools()[1]
	for b.Loop() {
		if _, err := good.Execute(b.Context(), tools.Action{Command: "{}"}, tools.Env{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAStart(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r, err := Open(b.Context(), agentOf("/", does("")), Options{Program: []string{self, js.Command}})
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Main(b.Context(), "", tools.Env{}); err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}
