package desk_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/tools/internal/spec/spectest"
)

// run plans and executes a call.
func run(t *testing.T, tool tools.Tool, args string) tools.Result {
	t.Helper()
	a, err := tool.Plan(t.Context(), json.RawMessage(args), tools.Env{})
	if err != nil || a.Kind != tools.Pure {
		t.Fatalf("%s: %+v, %v", args, a, err)
	}
	r, err := tool.Execute(t.Context(), a, tools.Env{})
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return r
}

// refused tells that the arguments of calls do not fit.
func refused(t *testing.T, tool tools.Tool, all ...string) {
	t.Helper()
	for _, args := range all {
		var invalid *tools.Error
		if a, err := tool.Plan(t.Context(), json.RawMessage(args), tools.Env{}); !errors.As(err, &invalid) || invalid.Code != tools.InvalidArgs {
			t.Errorf("%s: %+v, %v", args, a, err)
		}
	}
}

func TestTodoReplacesTheWholeList(t *testing.T) {
	examples := spectest.Tool(t, desk.Todo{})
	spectest.Misfits(t, desk.Todo{}, tools.Env{}, examples[0])
	for _, example := range examples {
		run(t, desk.Todo{}, string(example))
	}
	r := run(t, desk.Todo{}, `{"items":[{"content":"  look\n around ","status":"completed"},{"content":"b","status":"cancelled"},{"content":"c","status":"in_progress"},{"content":"d","status":"pending"}]}`)
	v, ok := r.Value.(desk.TodoValue)
	if !ok || r.IsError || v.Summary != "1 of 3 done" || len(v.Items) != 4 || v.Items[0] != (desk.TodoItem{Content: "look around", State: desk.Completed}) {
		t.Fatalf("%+v", r)
	}
	// What is kept in the history is the list.
	kept, ok := desk.TodosOf(tools.Envelope(time.Now(), r))
	if !ok || len(kept) != 4 || kept[2] != v.Items[2] {
		t.Errorf("%+v", kept)
	}
	r = run(t, desk.Todo{}, `{"items":[]}`)
	if kept, ok := desk.TodosOf(tools.Envelope(time.Now(), r)); !ok || len(kept) != 0 || r.Value.(desk.TodoValue).Items == nil {
		t.Errorf("%+v, %+v", kept, r)
	}
	for _, content := range []string{"", "x", `{"result":{"error":"denied"}}`, `{"result":"x"}`} {
		if kept, ok := desk.TodosOf(content); ok {
			t.Errorf("%q: %+v", content, kept)
		}
	}
	item := `{"content":"x","status":"pending"}`
	refused(t, desk.Todo{}, `{}`, `{"items":null}`, `{"items":{}}`, `{"items":[{"content":"","status":"pending"}]}`, `{"items":[{"content":"x","status":"done"}]}`,
		`{"items":[{"content":"x"}]}`, `{"items":[{"content":"`+strings.Repeat("x", 201)+`","status":"pending"}]}`, `{"items":[{"content":"\u001b[2J","status":"pending"}]}`,
		`{"items":[`+strings.Repeat(item+",", 50)+item+`]}`, `{"items":[],"more":1}`)
}

func TestAQuestionIsAnsweredByTheOperator(t *testing.T) {
	var said desk.Choice
	var fails error
	var asked []string
	q := desk.Question{Ask: func(_ context.Context, question string, options []string) (desk.Choice, error) {
		asked = append([]string{question}, options...)
		options[0] = "changed"
		return said, fails
	}}
	examples := spectest.Tool(t, q)
	spectest.Misfits(t, q, tools.Env{}, examples[0])
	for _, example := range examples {
		run(t, q, string(example))
	}
	const args = `{"question":" Which\none? ","options":["the  first","second"]}`
	said = desk.Choice{Given: true}
	if r := run(t, q, args); r.IsError || r.Value != (desk.QuestionValue{Answer: "the first", Option: 1}) || strings.Join(asked, "|") != "Which\none?|the first|second" {
		t.Errorf("%+v, %q", r, asked)
	}
	said = desk.Choice{Given: true, Own: "neither: the third"}
	if r := run(t, q, args); r.IsError || r.Value != (desk.QuestionValue{Answer: "neither: the third"}) {
		t.Errorf("in their own words: %+v", r)
	}
	for _, c := range []struct {
		said desk.Choice
		err  error
		code string
	}{
		{desk.Choice{Option: 1}, nil, "cancelled"}, {desk.Choice{Given: true, Option: 2}, nil, "cancelled"},
		{desk.Choice{Given: true, Option: -1}, nil, "cancelled"}, {desk.Choice{Given: true}, errors.New("no screen"), "nobody"},
	} {
		said, fails = c.said, c.err
		if r := run(t, q, args); !r.IsError || r.Value.(tools.Problem).Code != c.code {
			t.Errorf("%+v: %+v", c, r)
		}
	}
	if r := run(t, desk.Question{}, args); !r.IsError || r.Value.(tools.Problem).Code != "nobody" {
		t.Errorf("%+v", r)
	}
	refused(t, q, `{}`, `{"question":"x"}`, `{"question":"","options":["a","b"]}`, `{"question":"x","options":["a"]}`, `{"question":"x","options":["a","a "]}`,
		`{"question":"x","options":["a",""]}`, `{"question":"x","options":["1","2","3","4","5","6","7","8","9","10"]}`, `{"question":"x","options":["a","\u001bb"]}`,
		`{"question":"`+strings.Repeat("x", 1001)+`","options":["a","b"]}`, `{"question":"x","options":["a","`+strings.Repeat("x", 101)+`"]}`)
}

func TestAQuestionEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	q := desk.Question{Ask: func(ctx context.Context, _ string, _ []string) (desk.Choice, error) {
		cancel()
		<-ctx.Done()
		return desk.Choice{Given: true}, nil
	}}
	a, err := q.Plan(ctx, json.RawMessage(`{"question":"x","options":["a","b"]}`), tools.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := q.Execute(ctx, a, tools.Env{}); err != nil || r.Value.(tools.Problem).Code != "interrupted" {
		t.Errorf("%+v, %v", r, err)
	}
}
