package chat

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/themes"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/ui/screen"
)

// todoRows draws the list in so many rows.
func todoRows(t *testing.T, tr *Transcript, width, height int) []string {
	t.Helper()
	s := tcell.NewSimulationScreen("UTF-8")
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	defer s.Fini()
	s.SetSize(width, height)
	tr.DrawTodos(s, 0, 0, width, height)
	s.Show()
	cells, w, h := s.GetContents()
	rows := make([]string, h)
	for y := range h {
		for x := range w {
			if r := cells[y*w+x].Runes; len(r) > 0 {
				rows[y] += string(r)
			}
		}
		rows[y] = strings.TrimRight(rows[y], " ")
	}
	return rows
}

func todoCall(failed bool, items ...desk.TodoItem) agent.CallFinished {
	r := tools.Result{Value: desk.TodoValue{Items: items}}
	return agent.CallFinished{Call: "1", Tool: "todo", IsError: failed, Content: tools.Envelope(time.Now(), r)}
}

func TestWhatIsToBeDoneStandsThere(t *testing.T) {
	theme, err := themes.Load("ansi")
	if err != nil {
		t.Fatal(err)
	}
	styles := screen.NewStyles(theme)
	tr := NewTranscript(&styles, time.Now)
	if tr.TodoHeight(10) != 0 {
		t.Error("an empty list takes room")
	}
	tr.Event(todoCall(false, desk.TodoItem{Content: "look", State: desk.Completed}, desk.TodoItem{Content: "decide \x1b[2J", State: desk.Cancelled},
		desk.TodoItem{Content: "change", State: desk.InProgress}, desk.TodoItem{Content: "check", State: desk.Pending}))
	if h := tr.TodoHeight(10); h != 5 {
		t.Errorf("%d rows", h)
	}
	if got := strings.Join(todoRows(t, tr, 40, 5), "|"); !strings.HasPrefix(got, " todo 1 of 3 done| ✓ look| ✗ decide ") || !strings.HasSuffix(got, "| ▸ change| ☐ check") || strings.Contains(got, "\x1b") {
		t.Errorf("%q", got)
	}
	if got := strings.Join(todoRows(t, tr, 40, 3), "|"); got != " todo 1 of 3 done · 2 not shown| ▸ change| ☐ check" {
		t.Errorf("%q", got)
	}
	if got := todoRows(t, tr, 40, 1)[0]; got != " todo 1 of 3 done · ▸ change" {
		t.Errorf("%q", got)
	}
	// A call that failed leaves it as it is; one in which nothing is open takes
	// it away, and so does a new conversation.
	tr.Event(todoCall(true))
	tr.Event(agent.CallFinished{Call: "2", Tool: "other", Content: `{"result":{"items":[]}}`})
	if tr.TodoHeight(10) != 5 {
		t.Error("it has gone")
	}
	tr.Event(todoCall(false, desk.TodoItem{Content: "look", State: desk.Completed}))
	if tr.TodoHeight(10) != 0 {
		t.Error("what is done takes room")
	}
	var many []desk.TodoItem
	for n := range 40 {
		many = append(many, desk.TodoItem{Content: fmt.Sprint("item ", n), State: desk.Pending})
	}
	tr.Event(todoCall(false, many...))
	if tr.TodoHeight(30) != mostTodos || tr.TodoHeight(2) != 2 || tr.TodoHeight(0) != 0 {
		t.Errorf("%d, %d rows", tr.TodoHeight(30), tr.TodoHeight(2))
	}
	tr.Clear()
	if tr.TodoHeight(10) != 0 {
		t.Error("it is there in a new conversation")
	}
}
