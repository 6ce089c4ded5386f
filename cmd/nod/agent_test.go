package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// copyAgent puts one of the examples into the world's home.
func copyAgent(t *testing.T, w *world, name string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(w.home, name), os.DirFS("../../tools/plugin/jsagent/examples/"+name)); err != nil {
		t.Fatal(err)
	}
}

// An agent's tools are called by the model; what its code wants done passes the gate, and
// has its rows on record. One that is installed and was changed is not run.
func TestAnAgentWorksAtAGoal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	copyAgent(t, w, "explorer")
	w.write("notes/todo.txt", "first\nfix the pump\n", 0o600)
	m := serveModel(t,
		calls(call{"a", "search", map[string]any{"path": "notes", "pattern": "pump"}}),
		calls(call{"b", "read_file", map[string]any{"path": "notes/todo.txt"}}, call{"c", "read_file", map[string]any{"path": "/etc/passwd"}},
			call{"d", "run", map[string]any{"command": "rm -rf notes"}}, call{"e", "run_shell", map[string]any{"command": "id"}}),
		says("The pump."))
	server := m.URL + "/v1#scripted"
	if out, status := w.all("agent", "install", "--yes", "./explorer"); status != 0 {
		t.Fatalf("install: %d\n%s", status, out)
	}
	w.extra = append(w.extra, "NOD_TRACE=1")
	out, errs, status := w.do("agent", "run", "explorer", "--goal", "what is to be fixed?", "--model", server)
	if status != 0 || out != "The pump.\n" {
		t.Fatalf("run: %d\n%s\n%s", status, out, errs)
	}
	for _, want := range []string{"tool search: Search for a text", "3 tools in all", "goal: what is to be fixed?", "turn 2: 4 messages, 3 tools", "answered after", `call a: search {"path":"notes"`} {
		if !strings.Contains(errs, want) {
			t.Errorf("the trace lacks %q:\n%s", want, errs)
		}
	}
	asked := m.asked()
	if names := asked[0].Tools; len(names) != 3 || !strings.Contains(asked[0].Messages[0].Content, "You answer questions about the files under") {
		t.Errorf("the model was offered %v", names)
	}
	if r := asked[1].result(); !strings.Contains(r, "notes/todo.txt:2:fix the pump") {
		t.Errorf("search: %s", r)
	}
	results := ""
	for _, msg := range asked[2].Messages {
		if msg.Role == "tool" {
			results += msg.Content + "\n"
		}
	}
	for _, want := range []string{`first\nfix the pump\n`, `permissions.filesystem in its agent.yaml lacks \"/etc/passwd\"`, "nobody can be asked", "not_yours"} {
		if !strings.Contains(results, want) {
			t.Errorf("the model was not told %q: %s", want, results)
		}
	}
	if _, err := os.Stat(filepath.Join(w.home, "notes")); err != nil {
		t.Error("what nobody has approved was done:", err)
	}
	record, _ := w.all("audit", "export")
	for _, want := range []string{"agent run", "grep -rnF", "agent explorer"} {
		if !strings.Contains(record, want) {
			t.Errorf("%q is not on record: %s", want, record)
		}
	}

	// In a conversation, it is sent as a sub-agent is.
	m = serveModel(t,
		calls(call{"t", "task", map[string]any{"agent": "explorer", "task": "read the notes"}}),
		calls(call{"s", "explorer-read_file", map[string]any{"path": "notes/todo.txt"}}),
		says("The pump, it says."), says("Done."))
	w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	if out, status := w.all("ask", "what do the notes say?"); status != 0 || !strings.Contains(out, "Done.") {
		t.Fatalf("ask: %d\n%s", status, out)
	}
	asked = m.asked()
	if names := asked[1].Tools; len(names) != 3 || names[0].Function.Name != "explorer-read_file" {
		t.Errorf("the sub-agent was offered %v", names)
	}
	for _, tool := range asked[0].Tools {
		if strings.HasPrefix(tool.Function.Name, "explorer") {
			t.Errorf("the model was offered %s", tool.Function.Name)
		}
	}
	if r := asked[2].result(); !strings.Contains(r, `fix the pump`) {
		t.Errorf("the sub-agent was told %s", r)
	}
	if r := asked[3].result(); !strings.Contains(r, "The pump, it says.") {
		t.Errorf("the report: %s", r)
	}
	code := filepath.Join(w.home, ".local/state/nod/agents/explorer/main.js")
	if err := os.WriteFile(code, []byte("print(1)"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, status := w.all("agent", "run", "explorer", "--goal", "x"); status != 125 || !strings.Contains(out, "it was changed since it was accepted") {
		t.Errorf("run: %d %s", status, out)
	}
	if out, _ := w.all("agent", "list"); !strings.Contains(out, "not run: it was changed") {
		t.Errorf("list: %s", out)
	}
}

// A script does everything itself; the goal can come from standard input, and a new agent
// passes its own test.
func TestAScriptAsksTheModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	copyAgent(t, w, "report")
	m := serveModel(t, says("It is well."))
	w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
	out, errs, status := w.do("agent", "run", "./report", "--goal", "how is it?")
	if status != 0 || !strings.HasSuffix(out, "lines\nIt is well.\n") {
		t.Fatalf("run: %d\n%s\n%s", status, out, errs)
	}
	asked := m.asked()
	if last := asked[0].Messages; len(asked[0].Tools) != 0 || !strings.Contains(last[len(last)-1].Content, "how is it?") {
		t.Errorf("the model was asked %v", asked)
	}
	if out, status := w.all("agent", "new", "counter"); status != 0 {
		t.Fatalf("new: %d %s", status, out)
	}
	if out, status := w.all("agent", "check", "./counter"); status != 0 || !strings.Contains(out, "tool count_lines") {
		t.Errorf("check: %d %s", status, out)
	}
	if out, status := w.all("agent", "run", "./report"); status != 125 || !strings.Contains(out, "standard input is empty") {
		t.Errorf("without a goal: %d %s", status, out)
	}
	// When the turns are used up, the model is asked for a last answer.
	w.write("counter/main.js", "import './tool.js'; set_max_turns(1);", 0o600)
	w.write("counter/tool.js", `register_tool({name: "ask", description: "d", execute: () => input("how many?")});`, 0o600)
	m = serveModel(t, calls(call{"c", "ask", map[string]any{}}), says("Enough."))
	w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	if out, errs, status := w.do("agent", "run", "./counter", "--goal", "count"); status != 0 || out != "Enough.\n" || !strings.Contains(errs, "the agent counter asks: how many?") {
		t.Errorf("the last turn: %d\n%s\n%s", status, out, errs)
	}
	if asked := m.asked(); len(asked) != 2 || len(asked[0].Tools) != 1 || len(asked[1].Tools) != 0 {
		t.Errorf("asked %d times", len(asked))
	}
	w.extra = nil
	if out, status := w.all("agent", "run", "./counter", "--goal", "count"); status != 125 || !strings.Contains(out, "agent counter needs a model") {
		t.Errorf("without a model: %d %s", status, out)
	}
	w.write("bad/main.js", "\n\nnope()\n", 0o600)
	w.write("bad/agent.yaml", "name: bad\ndescription: bad\nmode: script\n", 0o600)
	if out, status := w.all("agent", "run", "./bad", "--goal", "x"); status != 125 || !strings.Contains(out, "agent bad: main.js:3: ReferenceError") {
		t.Errorf("an error at the top level: %d %s", status, out)
	}
}
