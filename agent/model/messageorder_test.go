package model

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestWhatATemplateRefusesIsLearnt: a refusal that names its reason is answered with a
// request that avoids it, and is never met again.
func TestWhatATemplateRefusesIsLearnt(t *testing.T) {
	list := []Message{
		{Role: System, Content: "S"},
		{Role: User, Content: "go"},
		{Role: Assistant, Content: "I look.", Calls: []Call{{ID: "a", Name: "f", Arguments: json.RawMessage("{}"), Extra: json.RawMessage(`{"x":1}`)}, {ID: "b", Name: "f", Arguments: json.RawMessage("{}"), Extra: json.RawMessage(`{"x":2}`)}}},
		{Role: ToolRole, CallID: "a", Content: "A"},
		{Role: ToolRole, CallID: "b", Content: "B"},
		{Role: User, Aside: FromOperator, Content: "faster"},
		{Role: User, Aside: FromNod, Content: "<screen>"},
	}
	for _, c := range []struct{ refusal, first, then string }{
		{"", "system:S user:go assistant:I look.[ab] tool:A tool:B|<screen> assistant:[the operator says more] user:faster", ""},
		{"This model only supports single tool-calls at once!", "", "system:S user:go assistant:I look.[a] tool:A assistant:[b] tool:B|<screen> assistant:[the operator says more] user:faster"},
		{"System role not supported", "", "user:S|go assistant:I look.[ab] tool:A tool:B|<screen> assistant:[the operator says more] user:faster"},
	} {
		for _, status := range []int{400, 500} { // a template's error is the server's for some
			h := sends(chunk(`{"content":"ok"}`), finishChunk(`{}`, `"stop"`), done)
			if c.refusal != "" {
				h = then(fails(status, `{"error":{"message":"`+c.refusal+`"}}`), h)
			}
			s := serve(t, h)
			client := dial(t, s)
			if _, err := client.Stream(testContext(t), Request{Messages: list}, nil); err != nil {
				t.Fatal(err)
			}
			first := outline(t, <-s.bodies)
			if c.refusal == "" {
				if first != c.first {
					t.Errorf("%s", first)
				}
				continue
			}
			if got := outline(t, <-s.bodies); got != c.then {
				t.Errorf("%s: %s", c.refusal, got)
			}
			if _, err := client.Stream(testContext(t), Request{Messages: list}, nil); err != nil || s.requests.Load() != 3 {
				t.Errorf("%s: %v after %d requests", c.refusal, err, s.requests.Load())
			}
			if got := outline(t, <-s.bodies); got != c.then {
				t.Errorf("%s: not remembered: %s", c.refusal, got)
			}
		}
	}
}

func outline(t *testing.T, body string) string {
	t.Helper()
	var q struct {
		Messages []struct {
			Role, Content string
			ToolCalls     []struct {
				ID    string
				Extra struct{ X int } `json:"extra_content"`
			} `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal([]byte(body), &q); err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, m := range q.Messages {
		part := m.Role + ":" + strings.ReplaceAll(m.Content, "\n\n", "|")
		ids := ""
		for _, c := range m.ToolCalls {
			ids += c.ID
			if c.Extra.X != map[string]int{"a": 1, "b": 2}[c.ID] {
				t.Errorf("call %s got what another server attached: %d", c.ID, c.Extra.X)
			}
		}
		if ids != "" {
			part += "[" + ids + "]"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " ")
}
