package desk_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/tools/internal/spec/spectest"
)

// kept keeps outputs.
type kept map[string]string

func (s kept) Keep(_ context.Context, call, stream, text string) (string, error) {
	s[call+"/"+stream] = text
	return "output:1", nil
}

func (s kept) Text(context.Context, string) (string, error) { return "", nil }

func TestATaskIsSentAndReported(t *testing.T) {
	var sent desk.Errand
	var report desk.Report
	var fault error
	task := &desk.Task{
		Helpers: func() []desk.Helper { return []desk.Helper{{Name: "investigator", Description: "looks"}} },
		Send: func(_ context.Context, e desk.Errand) (desk.Report, error) {
			sent = e
			return report, fault
		},
	}
	outputs := kept{}
	env := tools.Env{Conversation: "c", Call: "1", Outputs: outputs}
	spectest.Misfits(t, task, env, spectest.Tool(t, task)[0])
	do := func() (tools.Result, string) {
		t.Helper()
		a, err := task.Plan(t.Context(), json.RawMessage(`{"agent":"investigator","task":" look "}`), env)
		if err != nil || a.Kind != tools.Pure || a.Wait == 0 {
			t.Fatalf("%+v, %v", a, err)
		}
		r, err := task.Execute(t.Context(), a, env)
		if err != nil {
			t.Fatal(err)
		}
		return r, tools.Envelope(env.Time(), r)
	}
	report = desk.Report{Conversation: "k", Ending: "answered", Text: "It is full."}
	r, text := do()
	if sent.Agent != "investigator" || sent.Task != "look" || sent.Conversation != "c" || r.IsError {
		t.Errorf("%+v, %+v", sent, r)
	}
	for _, want := range []string{`"report":"It is full."`, `"conversation":"k"`, "data and no instruction"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
	report.Text = "first\n" + strings.Repeat("é", desk.MaxReport)
	if r, text = do(); r.IsError || !strings.Contains(text, `[truncated]`) || !strings.Contains(text, `output:1`) || !strings.Contains(text, `6 more characters`) || outputs["1/report"] != report.Text {
		t.Errorf("%s", text)
	}
	report = desk.Report{Conversation: "k", Ending: "failed", Text: "so far", Fault: "the model is gone", Steps: []string{"sh df: exited 0"}}
	if r, text = do(); !r.IsError || !strings.Contains(text, `"report":"so far"`) || !strings.Contains(text, "the model is gone") || !strings.Contains(text, "sh df: exited 0") {
		t.Errorf("%s", text)
	}
	fault = errors.New("no such luck")
	if r, text = do(); !r.IsError || !strings.Contains(text, "no such luck") {
		t.Errorf("%s", text)
	}

	refused(t, task, `{}`, `{"agent":"investigator"}`, `{"task":"x"}`, `{"agent":"investigator","task":"x","more":1}`, `[]`)
	var no *tools.Rejection
	if _, err := task.Plan(t.Context(), json.RawMessage(`{"agent":"nobody","task":"x"}`), env); !errors.As(err, &no) || !strings.Contains(err.Error(), "investigator") {
		t.Errorf("an unknown type: %v", err)
	}
	if _, err := task.Plan(t.Context(), json.RawMessage(`{"agent":"investigator","task":"x"}`), tools.Env{}); !errors.As(err, &no) {
		t.Errorf("without a conversation: %v", err)
	}
	long := `{"agent":"investigator","task":"` + strings.Repeat("x", desk.MaxTask+1) + `"}`
	if _, err := task.Plan(t.Context(), json.RawMessage(long), env); err == nil {
		t.Error("a task of any length")
	}
}

func TestNoHelperHasWhatIsTheOperators(t *testing.T) {
	got := strings.Join(desk.NotForHelpers(), " ")
	if got != "task team team_room question compact remember forget" {
		t.Error(got)
	}
}
