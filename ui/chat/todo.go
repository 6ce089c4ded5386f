package chat

import (
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/ui/screen"
)

// mostTodos is how many rows the list of what is to be done takes at most.
const mostTodos = 7

// todoSigns are the states in one character.
var todoSigns = map[desk.TodoState]span{
	desk.Pending:    {text: "☐ ", tone: muted},
	desk.InProgress: {text: "▸ ", tone: accent, bold: true},
	desk.Completed:  {text: "✓ ", tone: good},
	desk.Cancelled:  {text: "✗ ", tone: muted},
}

// takeTodos takes over the list that a call has left.
func (t *Transcript) takeTodos(e agent.CallFinished) {
	if e.Tool != (desk.Todo{}).Name() || e.IsError {
		return
	}
	if items, ok := desk.TodosOf(e.Content); ok {
		t.todos = items
	}
}

// TodoHeight is how many rows DrawTodos takes of so many that there are for it; 0
// if nothing is to be done.
func (t *Transcript) TodoHeight(room int) int {
	open := 0
	for _, item := range t.todos {
		if item.State.Open() {
			open++
		}
	}
	if open == 0 || room < 1 {
		return 0
	}
	return min(1+len(t.todos), mostTodos, room)
}

// DrawTodos draws what is to be done: how much is done, then the items, those
// that are done left out first where there is no room.
func (t *Transcript) DrawTodos(s tcell.Screen, x, y, width, height int) {
	if width < 4 || height < 1 {
		return
	}
	screen.Fill(s, x, y, width, height, " ", t.styles.Text)
	head := line{{text: " todo ", tone: heading, bold: true}, {text: desk.Tally(t.todos), tone: muted}}
	items := t.visible(height - 1)
	switch left := len(t.todos) - len(items); {
	case height == 1:
		if now := t.current(); now.Content != "" {
			head = append(head, span{text: " · "}, todoSigns[now.State], span{text: screen.Clean(now.Content)})
		}
	case left > 0:
		head = append(head, span{text: fmt.Sprintf(" · %d not shown", left), tone: muted})
	}
	head.draw(s, x, y, width, t.styles)
	for i, item := range items {
		text := span{text: screen.Cut(screen.Clean(item.Content), width-4)}
		switch item.State {
		case desk.Completed:
			text.tone = muted
		case desk.Cancelled:
			text.tone, text.strike = muted, true
		case desk.InProgress:
			text.bold = true
		}
		line{{text: " "}, todoSigns[item.State], text}.draw(s, x, y+1+i, width, t.styles)
	}
}

// visible are the items for so many rows, in their order: those that are open
// before those that are not.
func (t *Transcript) visible(rows int) []desk.TodoItem {
	show := make([]bool, len(t.todos))
	for _, open := range []bool{true, false} {
		for i, item := range t.todos {
			if rows > 0 && item.State.Open() == open {
				show[i] = true
				rows--
			}
		}
	}
	var items []desk.TodoItem
	for i, item := range t.todos {
		if show[i] {
			items = append(items, item)
		}
	}
	return items
}

// current is the item that is worked on, else the first that is open.
func (t *Transcript) current() (now desk.TodoItem) {
	for _, item := range t.todos {
		if item.State == desk.InProgress {
			return item
		}
		if now.Content == "" && item.State.Open() {
			now = item
		}
	}
	return now
}
