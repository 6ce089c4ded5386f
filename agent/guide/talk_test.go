package guide

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/agent/model"
)

// talk is a conversation with the guide through the ordinary client.
type talk struct {
	t        *testing.T
	client   *model.Client
	messages []model.Message
	calls    []model.Call // of the last question
	replies  int
}

func newTalk(t *testing.T) *talk {
	t.Helper()
	c, err := model.New(model.Config{BaseURL: BaseURL, Model: ModelName, Transport: New(Options{}).Transport()})
	if err != nil {
		t.Fatal(err)
	}
	return &talk{t: t, client: c}
}

var annotated = map[string]any{"type": "object", "properties": map[string]any{
	"command": map[string]any{}, "path": map[string]any{}, "content": map[string]any{}, "wait": map[string]any{},
	"risk": map[string]any{}, "mutation": map[string]any{}, "privesc": map[string]any{}, "why": map[string]any{}}}

var allTools = []model.ToolSpec{
	{Name: "run_shell", Parameters: annotated},
	{Name: "write_file", Parameters: annotated},
	{Name: "read_file", Parameters: map[string]any{"type": "object", "properties": map[string]any{"path": map[string]any{}}}},
}

// ask puts a question and answers its calls with tool until there is a final answer.
func (k *talk) ask(question string, tools []model.ToolSpec, tool func(model.Call) string) string {
	k.t.Helper()
	k.messages = append(k.messages, model.Message{Role: model.User, Content: question})
	k.calls, k.replies = nil, 0
	for range 6 {
		reply, err := k.client.Stream(context.Background(), model.Request{Messages: k.messages, Tools: tools}, nil)
		if err != nil {
			k.t.Fatal(err)
		}
		k.replies++
		k.messages = append(k.messages, reply.Message)
		if len(reply.Message.Calls) == 0 {
			return reply.Message.Content
		}
		for _, call := range reply.Message.Calls {
			if call.Invalid != "" {
				k.t.Fatalf("invalid call: %+v", call)
			}
			k.calls = append(k.calls, call)
			k.messages = append(k.messages, model.Message{Role: model.ToolRole, CallID: call.ID, Name: call.Name, Content: tool(call)})
		}
	}
	k.t.Fatal("the guide does not come to an end")
	return ""
}

func arguments(t *testing.T, c model.Call) map[string]any {
	t.Helper()
	var args map[string]any
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		t.Fatal(err)
	}
	return args
}

// envelope is a result as the tools give it.
func envelope(t *testing.T, result any) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{
		"harness_timestamp": map[string]any{"source": "harness", "unix_millis": 1}, "result": result})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// shell runs a call's command for real. Only commands of topics come here.
func (k *talk) shell(call model.Call) string {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	line, _ := arguments(k.t, call)["command"].(string)
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	exit := 0
	var failed *exec.ExitError
	if err := cmd.Run(); errors.As(err, &failed) {
		exit = failed.ExitCode()
	} else if err != nil {
		k.t.Fatal(err)
	}
	return envelope(k.t, map[string]any{"exit_code": exit, "stdout": out.String(), "stderr": errs.String(), "notices": []string{}})
}

// TestRealCommands asks every example and runs what the guide calls for on this machine:
// each gives an answer, and no command writes.
func TestRealCommands(t *testing.T) {
	for _, question := range append(Topics(), "give me an overview", "certificate of localhost.invalid") {
		t.Run(question, func(t *testing.T) {
			k := newTalk(t)
			if strings.Contains(question, "disk") || strings.Contains(question, "files") {
				question += " in " + t.TempDir() // not through all of this machine
			}
			answer := k.ask(question, allTools, k.shell)
			if len(k.calls) == 0 {
				t.Error("nothing was looked at")
			}
			body, sign, ok := strings.Cut(answer, signature[:20])
			if !ok || !strings.Contains(sign, "no language model") || !strings.Contains(sign, "nod help") {
				t.Errorf("the first answer does not say what the guide is: %q", answer)
			}
			if len(body) < 20 || strings.Contains(body, "%!") {
				t.Errorf("no answer: %q", body)
			}
			for _, call := range k.calls {
				args := arguments(t, call)
				if args["risk"] != "low" || args["mutation"] != false || args["privesc"] != false || args["why"] == "" {
					t.Errorf("annotations of %v", args)
				}
			}
			t.Log(body)
		})
	}
}

func TestSecondAnswerIsNotSigned(t *testing.T) {
	k := newTalk(t)
	k.ask("what can you do?", allTools, nil)
	if answer := k.ask("hello", allTools, nil); strings.Contains(answer, signature) {
		t.Errorf("signed again: %q", answer)
	}
}

func TestDenial(t *testing.T) {
	for _, denied := range []string{
		`{"harness_timestamp":{"source":"harness","unix_millis":1},"result":{"error":"denied by the operator: not now"}}`,
		`{"result":{"error":"the operator denied this: not now","code":"denied"}}`,
		`denied by the operator: not now`,
	} {
		k := newTalk(t)
		answer := k.ask("create a file /tmp/x with hello", allTools, func(model.Call) string { return denied })
		if len(k.calls) != 1 || !strings.HasPrefix(answer, "You denied writing `/tmp/x` (not now)") {
			t.Errorf("%d calls, answer %q", len(k.calls), answer)
		}
	}
	k := newTalk(t)
	answer := k.ask("how full is the disk?", allTools, func(model.Call) string {
		return envelope(t, map[string]any{"error": "the posture read-only denies this"})
	})
	if k.replies != 2 || !strings.Contains(answer, "was not allowed: the posture read-only denies this") {
		t.Errorf("%d replies, answer %q", k.replies, answer)
	}
}

// TestReplacement: what is not there is replaced where possible, and named otherwise.
func TestReplacement(t *testing.T) {
	run := func(question string, results map[string]string) (string, []string) {
		k := newTalk(t)
		var lines []string
		answer := k.ask(question, allTools, func(c model.Call) string {
			line, _ := arguments(t, c)["command"].(string)
			lines = append(lines, line)
			program, _, _ := strings.Cut(line, " ")
			if out, ok := results[program]; ok {
				return envelope(t, map[string]any{"exit_code": 0, "stdout": out, "stderr": ""})
			}
			// In a pane both streams are one, and a pipe hides the exit status.
			return envelope(t, map[string]any{"exit_code": 127, "stdout": "bash: " + program + ": command not found\n"})
		})
		return answer, lines
	}
	answer, lines := run("what listens?", map[string]string{
		"netstat": "Active Internet connections (only servers)\nProto Recv-Q Send-Q Local Address           Foreign Address         State\n" +
			"tcp        0      0 0.0.0.0:2024            0.0.0.0:*               LISTEN\n"})
	if len(lines) != 2 || !strings.Contains(answer, "**2024/tcp**: a process that is not named here, on all addresses") || strings.Contains(answer, "`ss`") {
		t.Errorf("%q: %s", lines, answer)
	}
	answer, lines = run("which services failed?", nil)
	if len(lines) != 2 || !strings.Contains(answer, "`systemctl` cannot say anything here") || !strings.Contains(answer, "`rc-status`") {
		t.Errorf("%q: %s", lines, answer)
	}
	answer, _ = run("which services failed?", map[string]string{
		"systemctl": "System has not been booted with systemd as init system (PID 1). Can't operate.\n"})
	if !strings.Contains(answer, "System has not been booted with systemd") {
		t.Error(answer)
	}
}

func TestWithoutTools(t *testing.T) {
	k := newTalk(t)
	answer := k.ask("how full is the disk?", nil, nil)
	if !strings.Contains(answer, "`run_shell`, which is switched off") {
		t.Error(answer)
	}
}

func TestTasks(t *testing.T) {
	for _, tc := range []struct{ question, want string }{
		{"create a file /tmp/a.txt with hello world", `write_file content="hello world\n" mutation=true path=/tmp/a.txt risk=medium`},
		{"Please create a file called `my notes.txt` with the content \"one\"", `write_file content="one\n" mutation=true path=my notes.txt risk=medium`},
		{"create an empty file x", `write_file content="" mutation=true path=x risk=medium`},
		{"create a file a with:\n```\none\ntwo\n```", `write_file content="one\ntwo\n" mutation=true path=a risk=medium`},
		{"write hello to /tmp/a", `write_file content="hello\n" mutation=true path=/tmp/a risk=medium`},
		{"run `uname -a`", `run_shell command=uname -a mutation=false risk=low`},
		{"run: uptime", `run_shell command=uptime mutation=false risk=low`},
		{"$ ls | sh", `run_shell command=ls | sh mutation=true risk=medium`},
		{"run `rm -rf /tmp/x`", `run_shell command=rm -rf /tmp/x mutation=true risk=high`},
		{"run `sudo ls`", `run_shell command=sudo ls mutation=true risk=high`},
		{"execute `cat $(id)`", `run_shell command=cat $(id) mutation=true risk=medium`},
		{"read /etc/hosts", `read_file path=/etc/hosts`},
		{"show me the file notes.txt", `read_file path=notes.txt`},
		{"is nginx running?", `service nginx`},
		{"What's the status of the service postgresql@15-main?", `service postgresql@15-main`},
		{"status of the server", `survey system,load,memory,disk,services`},
		{"please restart nginx", `run_shell command=systemctl restart nginx mutation=true risk=medium`},
		{"stop `cron`", `run_shell command=systemctl stop cron mutation=true risk=medium`},
		{"show memory", `survey memory`},
		{"run a health check", `survey system,load,memory,disk,services`},
		{"what is filling the disk?", `survey disk`},
		{"how full is the disk?", `survey disk`},
		{"show me the biggest files", `survey files`},
		{"is anything broken?", `survey services,errors,disk,memory,load`},
		{"what's using all the memory", `survey memory`},
		{"why is this server so slow?", `survey load`},
		{"which ports are open and who is logged in", `survey listeners,logins`},
		{"Who's logged in?", `survey logins`},
		{"which services have failed?", `survey services`},
		{"any recent errors?", `survey errors`},
		{"when does the certificate expire", `survey certificates`},
		{"do I need to install security updates?", `survey updates`},
		{"is docker running any containers", `survey containers`},
		{"what kernel version is it", `survey system`},
		{"what is the ip address", `survey network`},
		{"tell me a joke", "speech"},
		{"", "speech"},
	} {
		if got := describe(understand(tc.question)); got != tc.want {
			t.Errorf("%q: %s, want %s", tc.question, got, tc.want)
		}
	}
}

func describe(p plan) string {
	switch p := p.(type) {
	case survey:
		var names []string
		for _, tp := range p.topics {
			names = append(names, tp.Name)
		}
		return "survey " + strings.Join(names, ",")
	case job:
		s := p.tool
		for _, name := range []string{"command", "content", "mutation", "path", "risk"} {
			if v, ok := p.args[name]; ok && name == "content" {
				s += fmt.Sprintf(" content=%q", v)
			} else if ok {
				s += fmt.Sprintf(" %s=%v", name, v)
			}
		}
		return s
	}
	if s, ok := p.(service); ok {
		return "service " + string(s)
	}
	return "speech"
}
