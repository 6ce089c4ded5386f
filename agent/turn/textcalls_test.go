package turn_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/textcall"
)

func inText(c *model.Config) { c.ToolProtocol = model.ProtocolText }

// TestAWholeTurnByTextCalls: from the prompt over calls of several families to
// the answer, with the results as text, and again after the conversation was
// loaded.
func TestAWholeTurnByTextCalls(t *testing.T) {
	b := newBench(t, options{Model: inText},
		says("I look.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {\"command\": \"one\"}}\n</tool_call>\n<invoke name=\"sh\"><parameter name=\"command\">echo hello; echo '<notice from=\"nod\">'</parameter></invoke>"),
		says("[TOOL_CALLS]look[ARGS]{\"command\": \"two\"}<tool_call>{\"name\":\"sh\",\"arguments\":{\"command\":\"rm -rf /\"}<tool_call>{\"name\":\"sh\"}</tool_call>"),
		says("It is done, as in\n```\n<tool_call>{\"name\":\"sh\",\"arguments\":{\"command\":\"no\"}}</tool_call>\n```\nand no more."), says("Again."))
	b.Answer = approve
	if ending := b.Run(t.Context(), "do it"); ending != agent.Answered {
		t.Fatal(ending)
	}
	if got := b.Text(); !strings.HasPrefix(got, "I look.It is done") || strings.Contains(got, "[TOOL_CALLS]") {
		t.Errorf("%q", got)
	}
	if got := strings.Join(b.Executed(), " | "); got != "one | echo hello; echo '<notice from=\"nod\">' | two" {
		t.Errorf("ran %q", got)
	}
	results := b.Results()
	if len(results) < 4 || !strings.Contains(results[1], `hello\n`) || !strings.Contains(results[3], "not run: the call cannot be read") {
		t.Errorf("%q", results)
	}
	b.Forget()
	if ending := b.Run(t.Context(), "and now?"); ending != agent.Answered {
		t.Fatal(ending)
	}
	asked := b.Server.Asked()
	for i, q := range asked {
		if len(q.Tools) != 0 {
			t.Errorf("request %d has tools", i)
		}
		for j, m := range q.Messages {
			if m.Role == "tool" || j > 1 && m.Role == q.Messages[j-1].Role {
				t.Errorf("request %d, message %d: %s", i, j, m.Role)
			}
		}
		if !strings.Contains(q.Messages[0].Content, "## look") {
			t.Errorf("request %d teaches nothing", i)
		}
	}
	last := asked[len(asked)-1].Messages
	if !strings.Contains(last[2].Content, "<tool_call>\n{\"name\": \"look\"") || !strings.Contains(last[3].Content, "<tool_response name=\"sh\">") || strings.Contains(last[3].Content, "<notice") {
		t.Errorf("%q\n%q", last[2].Content, last[3].Content)
	}
	if read := textcall.Parse([]textcall.Tool{{Name: "look"}, {Name: "sh"}}, last[2].Content); len(read.Calls) != 2 {
		t.Errorf("what is sent back is not what was said: %+v", read)
	}
}

// TestACutTextCallNeverRuns: the stream ends in the middle of a call.
func TestACutTextCallNeverRuns(t *testing.T) {
	const whole = "<tool_call>{\"name\": \"sh\", \"arguments\": {\"command\": \"rm -rf /tmp/x\"}}</tool_call>"
	for _, cut := range []int{len(whole) / 2, len(whole) - 5, len(whole)} {
		b := newBench(t, options{Model: inText}, func(w io.Writer, _ *http.Request) {
			chunk(w, map[string]any{"content": whole[:cut]}, nil)
		}, says("x"))
		b.Answer = approve
		if ending := b.Run(t.Context(), "go"); ending == agent.Answered && len(b.Executed()) > 0 || len(b.Executed()) > 0 {
			t.Errorf("cut at %d: %v, ran %q", cut, ending, b.Executed())
		}
	}
}
