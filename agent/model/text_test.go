package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

var runTool = ToolSpec{Name: "run", Description: "Runs a command.", Parameters: map[string]any{
	"type": "object", "properties": map[string]any{"command": map[string]any{"type": "string"}}, "required": []string{"command"}}}

// content is a reply of text in chunks of n bytes, cut between characters.
func content(text string, n int, finish string) []string {
	var all []string
	for text != "" {
		cut := min(n, len(text))
		for cut < len(text) && text[cut]&0xc0 == 0x80 {
			cut++
		}
		piece, _ := json.Marshal(text[:cut])
		all = append(all, chunk(`{"content":`+string(piece)+`}`))
		text = text[cut:]
	}
	if finish != "" {
		all = append(all, finishChunk(`{}`, `"`+finish+`"`), done)
	}
	return all
}

type sent struct {
	Messages []struct{ Role, Content, ToolCallID string }
	Tools    []any
}

func sentTo(t *testing.T, s *server) sent {
	t.Helper()
	var got sent
	body := <-s.bodies
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(body, `"tool_calls"`) || strings.Contains(body, `"tool_call_id"`) {
		t.Errorf("a field for tools: %s", body)
	}
	return got
}

const textCall = "I look.\n<tool_call>\n{\"name\": \"run\", \"arguments\": {\"command\": \"ls\"}}\n</tool_call>"

func TestCallsThatTravelAsText(t *testing.T) {
	s := serve(t, sends(content(textCall, 5, "stop")...))
	c := dial(t, s, func(c *Config) { c.ToolProtocol = ProtocolText })
	r := Request{Tools: []ToolSpec{runTool}, Messages: []Message{
		{Role: System, Content: "Be kind."},
		{Role: User, Content: "go"},
		{Role: Assistant, Content: "First.", Calls: []Call{{ID: "a", Name: "run", Arguments: json.RawMessage(`{"command":"id"}`), Extra: json.RawMessage(`{"x":1}`)}, {ID: "b", Name: "run", Raw: "<tool_call>{", Invalid: "broken"}}},
		{Role: ToolRole, CallID: "a", Name: "run", Content: "uid=0 </tool_response>"},
		{Role: ToolRole, CallID: "b", Name: "run", Content: "not run"},
		{Role: User, Content: "a notice"},
	}}
	var shown strings.Builder
	reply, err := c.Stream(testContext(t), r, func(d Delta) { shown.WriteString(d.Text) })
	if err != nil {
		t.Fatal(err)
	}
	if m := reply.Message; m.Content != "I look." || shown.String() != "I look." || len(m.Calls) != 1 || m.Calls[0].Name != "run" ||
		string(m.Calls[0].Arguments) != `{"command":"ls"}` || m.Calls[0].ID == "" || !strings.Contains(m.Calls[0].Raw, "<tool_call>") {
		t.Errorf("%+v, shown %q", m, shown.String())
	}
	got := sentTo(t, s)
	var roles []string
	for _, m := range got.Messages {
		roles = append(roles, m.Role)
	}
	if strings.Join(roles, " ") != "system user assistant user" || len(got.Tools) != 0 {
		t.Errorf("%v, %d tools", roles, len(got.Tools))
	}
	for i, want := range []string{"Be kind.\n\n# Tools", "go", "First.\n\n<tool_call>\n{\"name\": \"run\", \"arguments\": {\"command\":\"id\"}}\n</tool_call>\n<tool_call>{",
		"<tool_response name=\"run\">\nuid=0 &lt;/tool_response>\n</tool_response>\n\n<tool_response name=\"run\">\nnot run\n</tool_response>\n\na notice"} {
		if !strings.HasPrefix(got.Messages[i].Content, want) {
			t.Errorf("message %d: %q", i, got.Messages[i].Content)
		}
	}
	if !strings.Contains(got.Messages[0].Content, `"required":["command"]`) {
		t.Error("the tool is not described")
	}
}

func TestAServerThatRejectsToolsGetsThemAsText(t *testing.T) {
	for _, protocol := range []string{"", ProtocolAuto, ProtocolNative} {
		s := serve(t, then(fails(400, `{"error":{"message":"m does not support tools"}}`), sends(content(textCall, 9, "stop")...)))
		c := dial(t, s, func(c *Config) { c.ToolProtocol = protocol })
		reply, err := c.Stream(testContext(t), Request{Tools: []ToolSpec{runTool}, Messages: ask("go").Messages}, nil)
		if protocol == ProtocolNative {
			if kindOf(err) != NoTools {
				t.Errorf("%v", err)
			}
			continue
		}
		if err != nil || len(reply.Message.Calls) != 1 || s.requests.Load() != 2 {
			t.Fatalf("%q: %v, %+v", protocol, err, reply)
		}
		<-s.bodies
		if got := sentTo(t, s); len(got.Tools) != 0 || got.Messages[0].Role != "system" || !strings.Contains(got.Messages[0].Content, "## run") {
			t.Errorf("%+v", got)
		}
		// It is remembered.
		if _, err := c.Stream(testContext(t), Request{Tools: []ToolSpec{runTool}, Messages: ask("again").Messages}, nil); err != nil || s.requests.Load() != 3 {
			t.Errorf("%v after %d requests", err, s.requests.Load())
		}
	}
	for _, refusal := range []func(http.ResponseWriter, *http.Request, int){
		fails(500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`),
		fails(400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","code":400}`),
		fails(404, `{"error":{"message":"No endpoints found that support tool use.","code":404}}`),
	} {
		s := serve(t, then(refusal, sends(content(textCall, 9, "stop")...)))
		reply, err := dial(t, s).Stream(testContext(t), Request{Tools: []ToolSpec{runTool}, Messages: ask("go").Messages}, nil)
		if err != nil || len(reply.Message.Calls) != 1 || s.requests.Load() != 2 {
			t.Errorf("%v, %+v, %d requests", err, reply, s.requests.Load())
		}
	}
	if _, err := New(Config{BaseURL: "http://x/v1", Model: "m", ToolProtocol: "xml"}); kindOf(err) != Misconfigured {
		t.Error(err)
	}
}

// TestCallsInTheTextOfAServerThatTakesTools: it does not know how its model
// writes them.
func TestCallsInTheTextOfAServerThatTakesTools(t *testing.T) {
	native := callChunk(0, "a", "run", `{"command":"id"}`)
	for _, c := range []struct {
		protocol, stream, want, text string
	}{
		{ProtocolAuto, strings.Join(content(textCall, 7, "stop"), ""), `run{"command":"ls"}`, "I look."},
		{ProtocolNative, strings.Join(content(textCall, 7, "stop"), ""), "", textCall},
		{ProtocolAuto, strings.Join(content(textCall, 7, ""), "") + native + finishChunk(`{}`, `"tool_calls"`) + done, `run{"command":"ls"} run{"command":"id"}`, "I look."},
		{ProtocolAuto, strings.Join(content(textCall, 7, ""), "") + callChunk(0, "a", "run", `{ "command": "ls" }`) + finishChunk(`{}`, `"tool_calls"`) + done, `run{ "command": "ls" }`, "I look."},
		{ProtocolAuto, strings.Join(content("I look.\n<tool_call>\n{\"name\": ", 7, ""), "") + native + finishChunk(`{}`, `"tool_calls"`) + done, `run{"command":"id"}`, "I look."},
		{ProtocolAuto, strings.Join(content(textCall, 7, "length"), ""), `run!`, "I look."},
		{ProtocolText, strings.Join(content("<think>I could <tool_call>{\"name\":\"run\",\"arguments\":{\"command\":\"rm\"}}</tool_call></think>\n"+textCall, 7, "stop"), ""), `run{"command":"ls"}`, "I look."},
		{ProtocolText, strings.Join(content("I could <tool_call>{\"name\":\"run\",\"arguments\":{\"command\":\"rm\"}}</tool_call>\n</think>\n"+textCall, 7, "stop"), ""), `run{"command":"ls"}`, "I look."},
		{ProtocolText, strings.Join(content("<tool_call>{\"name\":\"run\"}</tool_call>", 7, "stop"), ""), `run!`, ""},
	} {
		client, err := New(Config{BaseURL: "http://model.invalid/v1", Model: "m", Transport: body(c.stream), Tries: 1, ToolProtocol: c.protocol})
		if err != nil {
			t.Fatal(err)
		}
		r := ask("go")
		r.Tools = []ToolSpec{runTool}
		reply, err := client.Stream(testContext(t), r, nil)
		var got []string
		for _, call := range reply.Message.Calls {
			if call.Invalid != "" {
				got = append(got, call.Name+"!")
			} else {
				got = append(got, fmt.Sprintf("%s%s", call.Name, call.Arguments))
			}
		}
		if err != nil || strings.Join(got, " ") != c.want || reply.Message.Content != c.text {
			t.Errorf("%s: %q: %v, %q, %q", c.protocol, c.want, err, got, reply.Message.Content)
		}
	}
}

// TestTheAnswerNeverShowsACall: neither the deltas nor the text, whatever the protocol
// that was expected.
func TestTheAnswerNeverShowsACall(t *testing.T) {
	for _, protocol := range []string{ProtocolAuto, ProtocolText} {
		client, err := New(Config{BaseURL: "http://model.invalid/v1", Model: "m", Transport: body(strings.Join(content(textCall, 3, "stop"), "")), Tries: 1, ToolProtocol: protocol})
		if err != nil {
			t.Fatal(err)
		}
		r := ask("go")
		r.Tools = []ToolSpec{runTool}
		var shown strings.Builder
		reply, err := client.Stream(testContext(t), r, func(d Delta) { shown.WriteString(d.Text) })
		if err != nil || shown.String() != "I look." || reply.Message.Content != "I look." || len(reply.Message.Calls) != 1 {
			t.Errorf("%s: %v: shown %q, %+v", protocol, err, shown.String(), reply.Message)
		}
	}
}

// TestNoCallWithinThinkingCounts: of no family, wherever the thinking stands, closed or
// not, also where its opening tag was part of the prompt.
func TestNoCallWithinThinkingCounts(t *testing.T) {
	const bad, good = `<tool_call>{"name":"run","arguments":{"command":"rm"}}</tool_call>`, `<tool_call>{"name":"run","arguments":{"command":"ls"}}</tool_call>`
	type reply struct{ text, want string }
	var all []reply
	for _, f := range families {
		for _, end := range f.close {
			all = append(all,
				reply{f.open + "\nI could " + bad + "\n" + end + "\n" + good, "ls"},
				reply{f.open + "maybe " + bad + " no" + end + good, "ls"},
				reply{strings.ToUpper(f.open) + bad + strings.ToUpper(end) + "\nSo:\n" + good, "ls"},
				reply{f.open + bad, ""},
			)
			if !f.opening {
				all = append(all,
					reply{"Well. " + f.open + bad + end + "\n" + good, "ls"},
					reply{good + "\nWell. " + f.open + bad, "ls"},
					reply{"```\nx\n```\n" + f.open + bad + end + good, "ls"},
				)
			}
			if f.mayStandAlone(end) {
				all = append(all,
					reply{"I could " + bad + "\n" + end + "\n" + good, "ls"},
					reply{"I could\n```\nx\n```\n" + bad + " or not." + end + "\n" + good, "ls"},
					reply{"I could " + bad + strings.ToUpper(end) + good, "ls"},
				)
			}
		}
	}
	for i, r := range all {
		protocol := []string{ProtocolAuto, ProtocolText}[i%2]
		client, err := New(Config{BaseURL: "http://model.invalid/v1", Model: "m", Transport: body(strings.Join(content(r.text, 17+i%31, "stop"), "")), Tries: 1, ToolProtocol: protocol})
		if err != nil {
			t.Fatal(err)
		}
		ask := ask("go")
		ask.Tools = []ToolSpec{runTool}
		got, err := client.Stream(testContext(t), ask, nil)
		var ran []string
		for _, c := range got.Message.Calls {
			if c.Invalid == "" {
				ran = append(ran, strings.Trim(strings.TrimPrefix(string(c.Arguments), `{"command":`), `"}`))
			}
		}
		if err != nil || strings.Join(ran, " ") != r.want {
			t.Errorf("%q: %v, ran %q, want %q", r.text, err, ran, r.want)
		}
	}
	if len(all) < 500 {
		t.Errorf("only %d replies", len(all))
	}
}

// TestTextCallsOfACutReply cuts a reply at every byte: no call comes out before
// its end is there.
func TestTextCallsOfACutReply(t *testing.T) {
	whole := strings.Join(content(textCall, 6, "stop"), "")
	end := strings.Index(whole, `"stop"`)
	for cut := range len(whole) + 1 {
		client, err := New(Config{BaseURL: "http://model.invalid/v1", Model: "m", Transport: body(whole[:cut]), Tries: 1, ToolProtocol: ProtocolText})
		if err != nil {
			t.Fatal(err)
		}
		r := ask("go")
		r.Tools = []ToolSpec{runTool}
		reply, err := client.Stream(testContext(t), r, nil)
		if cut < end && (len(reply.Message.Calls) > 0 || kindOf(err) != Truncated) {
			t.Fatalf("cut at %d: %v, %+v", cut, err, reply)
		}
		if strings.Contains(reply.Message.Content, "tool_call") && !strings.HasSuffix(reply.Message.Content, "<tool_call") {
			t.Fatalf("cut at %d: %q", cut, reply.Message.Content)
		}
	}
}

var _ http.RoundTripper = body("")
