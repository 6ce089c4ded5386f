package team_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/agent/team"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAListOfTasksParses(t *testing.T) {
	list := `[{"id":"a","member":"web","task":"look"},{"id":"b","member":"db","task":"compare","after":["a"]}]`
	for _, text := range []string{list, "\n" + list + "\n", "Here it is:\n```json\n" + list + "\n```\nThat is all.", "```\r\n" + list + "```"} {
		tasks, err := team.Parse(text)
		if err != nil || len(tasks) != 2 || tasks[1].After[0] != "a" || tasks[0].Text != "look" {
			t.Errorf("%q: %+v, %v", text, tasks, err)
		}
	}
	for _, text := range []string{"", "look at it", `{"id":"a"}`, `[{"id":"a","then":["b"]}]`, list + list, `[{"id":1}]`} {
		if tasks, err := team.Parse(text); err == nil || strings.Contains(err.Error(), "json") || !strings.Contains(err.Error(), "JSON array") {
			t.Errorf("%q: %+v, %v", text, tasks, err)
		}
	}
}

// task is "b after a, c": its words.
func tasks(all ...string) []team.Task {
	var list []team.Task
	for _, text := range all {
		id, after, _ := strings.Cut(text, "<")
		t := team.Task{ID: id, Member: "m", Text: "do " + id}
		if after != "" {
			t.After = strings.Split(after, ",")
		}
		list = append(list, t)
	}
	return list
}

func TestAGraphIsChecked(t *testing.T) {
	for _, good := range [][]team.Task{tasks("a"), tasks("a", "b<a", "c<a", "d<b,c"), tasks("d<b,c", "c<a", "b<a", "a")} {
		if err := team.Check(good, []string{"m"}); err != nil {
			t.Error(err)
		}
	}
	many := make([]string, team.MaxTasks+1)
	for i := range many {
		many[i] = fmt.Sprint("t", i)
	}
	for want, bad := range map[string][]team.Task{
		"want 1 to":                   nil,
		"21 tasks":                    tasks(many...),
		"two tasks":                   tasks("a", "a"),
		"which there is not":          tasks("a<b"),
		"a after a":                   tasks("a<a"),
		"b after d after c after b":   tasks("a", "b<d", "c<b", "d<c,a"),
		`id "a b"`:                    tasks("a b"),
		`there is no member "nobody"`: {{ID: "a", Member: "nobody", Text: "x"}},
		`task "a" says nothing`:       {{ID: "a", Member: "m", Text: " "}},
	} {
		if err := team.Check(bad, []string{"m"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestReadyTasksRunTogetherAndFailuresCascade(t *testing.T) {
	var mu sync.Mutex
	var order []string
	var both sync.WaitGroup
	both.Add(2)
	broken := errors.New("broken")
	got := team.Run(t.Context(), tasks("d<b,c", "e<x", "f<e", "b<a", "c<a", "a", "x", "p"), func(_ context.Context, task team.Task, before []team.Outcome) (string, error) {
		mu.Lock()
		order = append(order, task.ID)
		mu.Unlock()
		text := task.ID
		for _, o := range before {
			text += "(" + o.Report + ")"
		}
		switch task.ID {
		case "b", "c": // each goes on only once the other one works, too
			both.Done()
			both.Wait()
		case "x":
			return "so far", broken
		case "p":
			panic("no manners")
		}
		return text, nil
	})
	if got[0].Report != "d(b(a))(c(a))" || got[0].Err != nil {
		t.Errorf("%+v", got[0])
	}
	if !errors.Is(got[6].Err, broken) || got[6].Report != "so far" {
		t.Errorf("%+v", got[6])
	}
	for _, i := range []int{1, 2} {
		if !errors.Is(got[i].Err, team.ErrBefore) || got[i].Begun {
			t.Errorf("%+v", got[i])
		}
	}
	if got[7].Err == nil || !strings.Contains(got[7].Err.Error(), "no manners") {
		t.Errorf("%+v", got[7])
	}
	at := func(id string) int { return slices.Index(order, id) }
	if at("e") >= 0 || at("f") >= 0 || at("a") > min(at("b"), at("c")) || max(at("b"), at("c")) > at("d") {
		t.Errorf("%q", order)
	}
}

func TestTheEndOfTheContextBeginsNothingMore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	got := team.Run(ctx, tasks("a", "b<a"), func(context.Context, team.Task, []team.Outcome) (string, error) {
		cancel()
		return "done", nil
	})
	if got[0].Err != nil || got[1].Begun || !errors.Is(got[1].Err, context.Canceled) {
		t.Errorf("%+v", got)
	}
}

func TestMessagesAreReadOnceAndABroadcastSkipsItsSender(t *testing.T) {
	r := team.NewRoom("a", "b", "c")
	for _, m := range []team.Message{{"a", "b", "one"}, {"a", team.Everybody, "two"}, {"c", "b", "three"}, {"a", "a", "to myself"}} {
		if err := r.Send(m); err != nil {
			t.Fatal(err)
		}
	}
	said := func(member string) string {
		var all []string
		for _, m := range r.Read(member) {
			all = append(all, m.From+": "+m.Text)
		}
		return strings.Join(all, ", ")
	}
	for member, want := range map[string]string{"a": "a: to myself", "b": "a: one, a: two, c: three", "c": "a: two"} {
		if got := said(member); got != want {
			t.Errorf("%s: %q", member, got)
		}
		if got := said(member); got != "" {
			t.Errorf("%s reads twice: %q", member, got)
		}
	}
	if r.Send(team.Message{"a", "nobody", "x"}) == nil || r.Send(team.Message{"a", "b", strings.Repeat("x", team.MaxText+1)}) == nil {
		t.Error("what cannot be sent was")
	}
	for range team.MaxWaiting {
		if err := r.Send(team.Message{"a", "b", "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if r.Send(team.Message{"a", team.Everybody, "x"}) == nil || len(r.Read("c")) != 0 {
		t.Error("a broadcast reached some of them only")
	}
}

func TestNotesAreKeptByNamespace(t *testing.T) {
	r := team.NewRoom("a")
	for _, n := range [][3]string{{"hosts", "web-1", "up"}, {"hosts", "web-1", "down"}, {"disks", "web-1", "97 %"}} {
		if err := r.Put(n[0], n[1], n[2]); err != nil {
			t.Fatal(err)
		}
	}
	hosts := r.Notes("hosts")
	if len(hosts) != 1 || hosts["web-1"] != "down" || r.Notes("disks")["web-1"] != "97 %" || len(r.Notes("none")) != 0 {
		t.Errorf("%v", hosts)
	}
	hosts["web-1"] = "changed"
	if r.Notes("hosts")["web-1"] != "down" {
		t.Error("what is read is no copy")
	}
	if r.Put("", "k", "v") == nil || r.Put("n", "", "v") == nil || r.Put("n", "k", strings.Repeat("x", team.MaxText+1)) == nil {
		t.Error("what cannot be kept was")
	}
	for i := range team.MaxNotes {
		if err := r.Put("many", fmt.Sprint(i), "v"); err != nil && i < team.MaxNotes-2 {
			t.Fatal(err)
		}
	}
	if r.Put("one", "more", "v") == nil {
		t.Error("there is no end of notes")
	}
}
