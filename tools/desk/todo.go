package desk

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/internal/spec"
)

// Limits of a list.
const (
	MaxTodos = 50
	MaxTodo  = 200 // characters of an item
)

//go:embed todo.md
var todoGuide string

// TodoState says how far an item is.
type TodoState string

// The states.
const (
	Pending    TodoState = "pending"
	InProgress TodoState = "in_progress"
	Completed  TodoState = "completed"
	Cancelled  TodoState = "cancelled"
)

// Open reports whether there is still something to do.
func (s TodoState) Open() bool { return s == Pending || s == InProgress }

// TodoItem is one thing to do.
type TodoItem struct {
	Content string    `json:"content"`
	State   TodoState `json:"status"`
}

// Todo is the tool todo: the list of what is to be done in a conversation. Its
// result is the list, so that it is kept and taken up again with the messages
// and nowhere else: see TodosOf. The zero value is ready.
type Todo struct{}

var _ tools.Tool = Todo{}

// Name implements [tools.Tool].
func (Todo) Name() string { return "todo" }

// Description implements [tools.Tool].
func (Todo) Description() string { return spec.Brief(todoGuide) }

// Guidance implements [tools.Documented].
func (Todo) Guidance() string { return spec.Whole(todoGuide) }

// Parallelizable implements [tools.Tool].
func (Todo) Parallelizable() bool { return false }

// InputSchema implements [tools.Tool].
func (Todo) InputSchema() map[string]any {
	return spec.Schema(map[string]any{
		"items": map[string]any{
			"type": "array", "description": fmt.Sprintf("at most %d; empty clears the list", MaxTodos),
			"items": spec.Schema(map[string]any{
				"content": spec.String(""),
				"status": map[string]any{
					"type": "string", "enum": []string{string(Pending), string(InProgress), string(Completed), string(Cancelled)},
				},
			}, "content", "status"),
		},
	}, "items")
}

// Plan implements [tools.Tool]. The list, as it will be, stands in the action's
// Command.
func (t Todo) Plan(_ context.Context, raw json.RawMessage, _ tools.Env) (tools.Action, error) {
	var args struct {
		Items *[]TodoItem `json:"items"`
	}
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	if args.Items == nil {
		return tools.Action{}, spec.Missing("items")
	}
	items := *args.Items
	if len(items) > MaxTodos {
		return tools.Action{}, tools.Invalid("%d items are more than %d: put some together, and leave out what is done", len(items), MaxTodos)
	}
	for i := range items {
		item := &items[i]
		item.Content = strings.Join(strings.Fields(item.Content), " ")
		switch item.State {
		case Pending, InProgress, Completed, Cancelled:
		default:
			return tools.Action{}, tools.Invalid("item %d: status is %q, want pending, in_progress, completed or cancelled", i+1, item.State)
		}
		if item.Content == "" || utf8.RuneCountInString(item.Content) > MaxTodo || strings.ContainsFunc(item.Content, unicode.IsControl) {
			return tools.Action{}, tools.Invalid("item %d: content is %q, want one line of 1 to %d characters", i+1, item.Content, MaxTodo)
		}
	}
	command, err := json.Marshal(items)
	if err != nil {
		return tools.Action{}, tools.Failed("todo: %w", err)
	}
	return tools.Action{Tool: t.Name(), Kind: tools.Pure, Command: string(command)}, nil
}

// TodoValue is the Value of todo's Result.
type TodoValue struct {
	Summary string     `json:"summary"`
	Items   []TodoItem `json:"items"`
}

// Execute implements [tools.Tool].
func (Todo) Execute(_ context.Context, a tools.Action, _ tools.Env) (tools.Result, error) {
	items := []TodoItem{}
	if err := json.Unmarshal([]byte(a.Command), &items); err != nil {
		return tools.Result{}, tools.Failed("todo: %q is not one of its own", a.Command)
	}
	return tools.Result{
		Value:  TodoValue{Summary: Tally(items), Items: items},
		Record: tools.Record{Outcome: backends.ExitedWith(0)},
	}, nil
}

// Tally is a list in a few words, "2 of 5 done", without what was cancelled.
func Tally(items []TodoItem) string {
	done, all := 0, 0
	for _, item := range items {
		if item.State == Completed {
			done++
		}
		if item.State != Cancelled {
			all++
		}
	}
	if all == 0 {
		return "nothing to do"
	}
	return fmt.Sprintf("%d of %d done", done, all)
}

// TodosOf reads the list from the content of a todo call's result, as it is in
// the history; ok is false if that holds none.
func TodosOf(content string) (items []TodoItem, ok bool) {
	var envelope struct {
		Result struct {
			Items *[]TodoItem `json:"items"`
		} `json:"result"`
	}
	if json.Unmarshal([]byte(content), &envelope) != nil || envelope.Result.Items == nil {
		return nil, false
	}
	return *envelope.Result.Items, true
}
