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

func TestATeamIsSentAndReports(t *testing.T) {
	var sent desk.TeamErrand
	reports := []desk.TeamReport{
		{ID: "a", Member: "web", State: "done", Text: strings.Repeat("é", 3001)},
		{ID: "b", Member: "web", State: "not begun"},
	}
	team := &desk.Team{
		Helpers: func() []desk.Helper { return []desk.Helper{{Name: "investigator", Description: "looks"}} },
		Check: func(e desk.TeamErrand) error {
			if strings.Contains(e.Tasks, "wrong") {
				return errors.New("it is wrong")
			}
			return nil
		},
		Send: func(_ context.Context, e desk.TeamErrand) ([]desk.TeamReport, error) {
			sent = e
			return reports, nil
		},
	}
	outputs := kept{}
	env := tools.Env{Conversation: "c", Call: "1", Outputs: outputs}
	spectest.Misfits(t, team, env, spectest.Tool(t, team)[0], "tasks", "name", "agent")
	member := `"members":[{"name":"web","agent":"investigator"}]`
	for _, args := range []string{`{` + member + `,"tasks":[{"id":"a"}]}`, `{` + member + `,"tasks":"` + "```json\\n[{\\\"id\\\":\\\"a\\\"}]```" + `"}`} {
		a, err := team.Plan(t.Context(), json.RawMessage(args), env)
		if err != nil || a.Kind != tools.Pure || a.Wait == 0 {
			t.Fatalf("%s: %+v, %v", args, a, err)
		}
		r, err := team.Execute(t.Context(), a, env)
		text := tools.Envelope(env.Time(), r)
		if err != nil || r.IsError || !strings.Contains(text, "1 more characters; read on") || !strings.Contains(text, `"state":"not begun"`) {
			t.Errorf("%v, %s", err, text)
		}
		if sent.Conversation != "c" || sent.Members[0].Name != "web" || !strings.Contains(sent.Tasks, `[{"id":"a"}]`) {
			t.Errorf("%+v", sent)
		}
		if outputs["1/report of a"] != reports[0].Text {
			t.Error("the whole report is not kept")
		}
	}
	reports[1].Fault = "the model is gone"
	a, err := team.Plan(t.Context(), json.RawMessage(`{`+member+`,"tasks":[]}`), env)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := team.Execute(t.Context(), a, env); err != nil || !r.IsError || !strings.Contains(tools.Envelope(env.Time(), r), "the model is gone") {
		t.Errorf("%+v, %v", r, err)
	}
	for _, args := range []string{`{}`, `{` + member + `}`, `{"members":[],"tasks":[]}`, `{` + member + `,"tasks":"wrong"}`, `{` + member + `,"tasks":[],"x":1}`} {
		var invalid *tools.Error
		if _, err := team.Plan(t.Context(), json.RawMessage(args), env); !errors.As(err, &invalid) || invalid.Code != tools.InvalidArgs {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestARoomIsForMembers(t *testing.T) {
	var called desk.RoomCall
	room := &desk.TeamRoom{Call: func(_ string, c desk.RoomCall) (any, error) {
		called = c
		if c.To == "nobody" {
			return nil, errors.New("there is no member of that name")
		}
		return "sent", nil
	}}
	spectest.Misfits(t, room, tools.Env{}, spectest.Tool(t, room)[0])
	if room.Offered() {
		t.Error("it is offered to everybody")
	}
	if r := run(t, room, `{"do":"send","to":"db","text":"x"}`); r.IsError || called.To != "db" {
		t.Errorf("%+v", r)
	}
	if r := run(t, room, `{"do":"send","to":"nobody","text":"x"}`); !r.IsError {
		t.Errorf("%+v", r)
	}
	refused(t, room, `{}`, `{"do":"shout"}`, `{"do":"send","to":"db"}`, `{"do":"send","text":"x"}`, `{"do":"note","namespace":"a","key":"b"}`, `{"do":"notes"}`, `{"do":"read","x":1}`)
}
