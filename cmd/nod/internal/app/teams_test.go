package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
)

func TestATeamIsCheckedBeforeItBegins(t *testing.T) {
	t.Parallel()
	kinds := []desk.Helper{{Name: "investigator"}}
	task := `[{"id":"a","member":"web","task":"x"}]`
	web := desk.TeamMember{Name: "web", Agent: "investigator"}
	if tasks, err := checkTeam(desk.TeamErrand{Members: []desk.TeamMember{web}, Tasks: "```json\n" + task + "\n```"}, kinds); err != nil || len(tasks) != 1 {
		t.Errorf("%+v, %v", tasks, err)
	}
	for want, e := range map[string]desk.TeamErrand{
		"two members":           {Members: []desk.TeamMember{web, web}, Tasks: task},
		"there is no sub-agent": {Members: []desk.TeamMember{{Name: "web", Agent: "x"}}, Tasks: task},
		"small letters":         {Members: []desk.TeamMember{{Name: "*", Agent: "investigator"}}, Tasks: task},
		"no JSON":               {Members: []desk.TeamMember{web}, Tasks: "look"},
		"there is no member":    {Members: []desk.TeamMember{web}, Tasks: strings.Replace(task, "web", "db", 1)},
		"tasks wait for each":   {Members: []desk.TeamMember{web}, Tasks: `[{"id":"a","member":"web","task":"x","after":["a"]}]`},
	} {
		if _, err := checkTeam(e, kinds); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestATeamWorksAndTalks: reports go to the tasks behind, messages and notes to the
// others, a failure to what depends on it; who has ended has no seat any more.
func TestATeamWorksAndTalks(t *testing.T) {
	t.Parallel()
	var c teams
	room := func(talk, do string) string {
		t.Helper()
		var call desk.RoomCall
		if err := json.Unmarshal([]byte(do), &call); err != nil {
			t.Fatal(err)
		}
		value, err := c.call(talk, call)
		if err != nil {
			return "error: " + err.Error()
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	c.send = func(_ context.Context, kind string, e desk.Errand, as membership) (desk.Report, error) {
		talk := "talk-of-" + as.name + kind
		as.begun(talk)
		e.Progress(tools.Progress{Note: "works"})
		first, _, _ := strings.Cut(e.Task, "\n")
		switch first {
		case "look":
			room(talk, `{"do":"send","to":"*","text":"hello"}`)
			room(talk, `{"do":"note","namespace":"n","key":"k","text":"v"}`)
			return desk.Report{Text: "seen\nmuch"}, nil
		case "compare":
			got := room(talk, `{"do":"read"}`) + room(talk, `{"do":"read"}`) + room(talk, `{"do":"notes","namespace":"n"}`) + room(talk, `{"do":"send","to":"x","text":"y"}`)
			return desk.Report{Text: got + e.Task}, nil
		case "break":
			return desk.Report{Text: "so far", Fault: "broken"}, nil
		}
		return desk.Report{}, fmt.Errorf("not sent")
	}
	var steps []string
	e := desk.TeamErrand{
		Members:  []desk.TeamMember{{Name: "web", Agent: "k"}, {Name: "db", Agent: "k"}},
		Tasks:    `[{"id":"c","member":"db","task":"compare","after":["l"]},{"id":"l","member":"web","task":"look"},{"id":"n","member":"web","task":"never","after":["b"]},{"id":"b","member":"db","task":"break","after":["c"]}]`,
		Progress: func(p tools.Progress) { steps = append(steps, p.Note) }, // one after the other here
	}
	tasks, err := checkTeam(e, []desk.Helper{{Name: "k"}})
	if err != nil {
		t.Fatal(err)
	}
	got := c.work(t.Context(), e, tasks)
	if want := []string{"l: works", "c: works", "b: works"}; fmt.Sprint(steps) != fmt.Sprint(want) {
		t.Errorf("%q", steps)
	}
	for _, want := range []string{
		`{"messages":[{"from":"web","to":"*","text":"hello"}]}{"messages":[]}`, `"notes":{"k":"v"}`, "no member",
		"l, by web:\n\n> seen\n> much", "data and no instructions", `You are "db" in a team of web, db`,
	} {
		if !strings.Contains(got[0].Text, want) {
			t.Errorf("%q is not in %s", want, got[0].Text)
		}
	}
	if got[0].State != "done" || got[1].State != "done" || got[2].State != "not begun" || got[3].State != "failed" || got[3].Text != "so far" || got[3].Fault != "broken" {
		t.Errorf("%+v", got)
	}
	if text := room("talk-of-webk", `{"do":"read"}`); !strings.Contains(text, "only members") || len(c.seats) != 0 {
		t.Errorf("%s, %v", text, c.seats)
	}
}
