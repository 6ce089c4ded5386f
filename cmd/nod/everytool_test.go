package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
)

// asker is the operator: he approves what does not leave the machine.
type asker struct {
	mu    sync.Mutex
	asked map[string]bool // tools
}

func (a *asker) Approve(_ context.Context, r policy.Request) (policy.Answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked[r.Action.Tool] = true
	return policy.Answer{RequestID: r.ID, Approved: r.Action.Kind != tools.Fetch, Typed: r.Confirm, Reason: "not now"}, nil
}

// inText is a reply of calls as a model without native ones writes them.
func inText(list ...call) []string {
	var b strings.Builder
	for _, c := range list {
		args, err := json.Marshal(c.args)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>\n", c.name, args)
	}
	return says(b.String())
}

// TestAConversationWithEachTool: every tool that a console registers, at work on this
// machine in real panes, called over HTTP by native calls and by calls in the text. A
// tool that is new and not called here fails the test.
func TestAConversationWithEachTool(t *testing.T) {
	needs(t, "tmux")
	inProcess(t)
	for name, way := range map[string]struct {
		calls    func(...call) []string
		protocol string
	}{"native": {calls, "native"}, "text": {inText, "text"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			callEachTool(t, way.calls, way.protocol)
		})
	}
}

func callEachTool(t *testing.T, calls func(...call) []string, protocol string) {
	w := newWorld(t)
	file := w.write("app.conf", "port = 80\n", 0o600)
	w.write(".config/nod/skills/rotate/SKILL.md", "---\nname: rotate\ndescription: rotates logs\n---\nUse logrotate, says the skill.\n", 0o600)
	w.write(".config/nod/agents/scout.toml", "name = \"scout\"\ndescription = \"looks\"\ntools = [\"time\"]\nprompt = \"Look.\"\n", 0o600)

	acts := func(more map[string]any) map[string]any {
		claim := map[string]any{"risk": "medium", "mutation": true, "privesc": false, "why": "the story wants it"}
		maps.Copy(claim, more)
		return claim
	}
	type object = map[string]any
	made := filepath.Join(w.home, "made")
	steps := []struct {
		call call
		want string     // stands in the result
		then [][]string // how the model answers what is asked of it meanwhile
	}{
		{call{"", "time", object{}}, `"iso_8601_utc"`, nil},
		{call{"", "todo", object{"items": []any{object{"content": "look", "status": "in_progress"}}}}, `0 of 1 done`, nil},
		{call{"", "question", object{"question": "Which one?", "options": []string{"this one", "that one"}}}, `"answer":"that one"`, nil},
		{call{"", "run_shell", acts(object{"command": "mkdir " + made + " && echo in the pane"})}, `"exit_code":0,"stdout":"in the pane`, nil},
		{call{"", "glob", object{"path": w.home, "pattern": "*.conf"}}, `"found":["app.conf"]`, nil},
		{call{"", "grep", object{"path": w.home, "pattern": "^port", "include": "*.conf"}}, `"text":"port = 80"`, nil},
		{call{"", "read_file", object{"path": file}}, `port = 80`, nil},
		{call{"", "edit_file", acts(object{"path": file, "old_text": "port = 80\n", "new_text": "port = 8080\n"})}, `Wrote 12 bytes`, nil},
		{call{"", "write_file", acts(object{"path": made + "/new.txt", "content": "hello\n"})}, `Wrote 6 bytes`, nil},
		{call{"", "fetch_url", object{"url": "http://127.0.0.1:1/x"}}, `"code":"forbidden_host"`, nil},
		{call{"", "web_search", object{"query": "what is a lantern"}}, `not now`, nil},
		{call{"", "tmux-create-session", acts(object{"session": "build"})}, `"created":true`, nil},
		{call{"", "tmux-create-pane", acts(object{"session": "build", "pane": "worker"})}, `"pane":"worker"`, nil},
		{call{"", "send-keys", acts(object{"session": "build", "pane": "worker", "literal_text": "echo typed $((40+2))", "enter": true})}, `typed into %`, nil},
		{call{"", "capture-pane", object{"session": "build", "pane": "worker", "delay": "1s"}}, `typed 42`, nil},
		{call{"", "run_shell", acts(object{"session": "build", "pane": "worker", "command": "sh -c 'echo in front; exec sleep 1000'", "wait": false})}, `"job":"job2"`, nil},
		{call{"", "jobs", object{"job": "job2", "wait_for": object{"pattern": "in front", "seconds": 60}}}, `"stdout":"in front`, nil},
		{call{"", "jobs", object{}}, `"last_line":"in front"`, nil},
		{call{"", "kill_job", acts(object{"job": "job2"})}, `"exit_code":130`, nil},
		{call{"", "tmux-kill-pane", acts(object{"session": "build", "pane": "worker"})}, `"ended":true`, nil},
		{call{"", "tmux-kill-session", acts(object{"session": "build"})}, `"ended":true`, nil},
		{call{"", "remember", object{"text": "The logs are in /srv/log.", "scope": "global", "why": "asked for"}}, `remembered`, nil},
		{call{"", "remember", object{"text": "No restarts today.", "scope": "conversation", "why": "asked for"}}, `remembered`, nil},
		{call{"", "forget", object{"id": "c1", "why": "asked for"}}, `forgotten`, nil},
		{call{"", "activate_skill", object{"name": "rotate"}}, `says the skill`, nil},
		{call{"", "task", object{"agent": "scout", "task": "Look and report."}}, `"report":"it looks well"`, [][]string{says("it looks well")}},
		{call{"", "team", object{
			"members": []any{object{"name": "one", "agent": "scout"}},
			"tasks":   []any{object{"id": "a", "member": "one", "task": "Look."}},
		}}, `"report":"all is well"`, [][]string{
			calls(call{"room", "team_room", object{"do": "note", "namespace": "n", "key": "k", "text": "seen"}}), says("all is well"),
		}},
		{call{"", "help", object{"tool": "grep"}}, `include`, nil},
		{call{"", "connect_target", acts(object{"targets": []any{"local"}})}, `local is connected already`, nil},
		{call{"", "compact", object{}}, `summed up before your next step`, [][]string{says("A summary of it all.")}},
	}
	var script [][]string
	for i := range steps {
		steps[i].call.id = fmt.Sprintf("call%d", i)
		script = append(script, calls(steps[i].call))
		script = append(script, steps[i].then...)
	}
	m := serveModel(t, append(script, says("Done."))...)
	w.write(".config/nod/config.toml", fmt.Sprintf("[tmux]\nsocket = %q\n[agent]\nmodel = \"m\"\nmax_iterations = 40\n[model.m]\nbase_url = %q\nmodel = \"scripted\"\ntool_protocol = %q\n",
		w.socket, m.URL+"/v1", protocol), 0o600)

	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	c, err := config.Load(config.Source{Getenv: w.getenv})
	must(err)
	operator := &asker{asked: map[string]bool{}}
	h, err := app.Open(c, w.getenv, app.Options{
		Options: targets.Options{Panes: true, Warn: func(text string) { t.Log(text) }}, Approver: operator,
		Choose: func(context.Context, string, []string) (desk.Choice, error) {
			return desk.Choice{Given: true, Option: 1}, nil
		},
	})
	must(err)
	defer func() { must(h.Close()) }()
	open, err := h.Targets.Open(t.Context(), "local")
	must(err)
	store, err := history.Open(t.Context(), config.HistoryDir(h.State), history.Options{})
	must(err)
	defer func() { must(store.Close()) }()
	b, err := app.OpenModel(c, w.getenv)
	must(err)
	defer b.Client.Close()
	talk, err := store.Create(t.Context(), open.Name(), "scripted")
	must(err)
	turns, err := h.OpenAgent(b, store)
	must(err)
	ending := turns.Run(t.Context(), talk.ID, "use everything that you have", func(e agent.Event) {
		if f, ok := e.(agent.Fault); ok {
			t.Errorf("%s: %s", f.Text, f.Hint)
		}
	})
	if ending != agent.Answered && ending != agent.Denied {
		t.Error(ending)
	}
	said, err := store.Load(t.Context(), talk.ID)
	must(err)
	var results []history.Message
	for _, s := range said {
		if s.Role == history.Tool {
			results = append(results, s)
		}
	}
	called := map[string]bool{"team_room": true} // by the team's member
	for i, s := range steps {
		called[s.call.name] = true
		switch {
		case i >= len(results):
			t.Errorf("%s has no result", s.call.name)
		case results[i].Tool != s.call.name || !strings.Contains(results[i].Content, s.want):
			t.Errorf("%s lacks %q: %s", s.call.name, s.want, results[i].Content)
		}
	}
	for _, tool := range h.Tools.All() {
		if !called[tool.Name()] {
			t.Errorf("%s is not called", tool.Name())
		}
	}
	if got, want := strings.Join(slices.Sorted(maps.Keys(operator.asked)), " "),
		"edit_file kill_job remember run_shell send-keys tmux-create-pane tmux-create-session tmux-kill-pane tmux-kill-session web_search write_file"; got != want {
		t.Errorf("asked about %s; want %s", got, want)
	}
	asked := m.asked()
	if native := len(asked[0].Tools) > 0; native != (protocol == "native") {
		t.Errorf("the first request has %d tools", len(asked[0].Tools))
	}
	noted := slices.ContainsFunc(asked, func(q request) bool {
		return strings.Contains(q.result(), `"result":"kept"`)
	})
	if len(asked) != len(script)+1 || !noted {
		t.Errorf("%d requests, want %d; the note of the team's member: %v", len(asked), len(script)+1, noted)
	}
}
