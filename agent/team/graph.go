package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// MaxTasks is how many tasks a graph may have.
const MaxTasks = 20

// Task is something to do.
type Task struct {
	ID     string   `json:"id"`
	Member string   `json:"member"` // who does it
	Text   string   `json:"task"`
	After  []string `json:"after,omitempty"` // the tasks that must be done before
}

// fenced is a list in a Markdown fence.
var fenced = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?s)```(?:json)?[ \t]*\r?\n(.*?)```") })

// Parse reads a list of tasks: a JSON array, or one in a fence with words around it.
func Parse(text string) ([]Task, error) {
	if m := fenced().FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	var tasks []Task
	if err := dec.Decode(&tasks); err != nil {
		return nil, fmt.Errorf("%s; tasks: want a JSON array of {id, member, task, after}: texts, and in after an array of ids", misread(err))
	}
	if dec.More() {
		return nil, errors.New("something comes behind the list of tasks: want one JSON array")
	}
	return tasks, nil
}

// misread says what in a list of tasks cannot be read, in the words of JSON.
func misread(err error) string {
	var wrong *json.UnmarshalTypeError
	name, unknown := strings.CutPrefix(err.Error(), "json: unknown field ")
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Sprintf("%s is a JSON %s", wrong.Field, wrong.Value)
	case errors.As(err, &wrong):
		return "the list of tasks is a JSON " + wrong.Value
	case unknown:
		return "a task has no " + name
	}
	return "the list of tasks is not whole, or no JSON"
}

var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$`) })

// Check says what is wrong with a graph, nil if it can be run.
func Check(tasks []Task, members []string) error {
	if len(tasks) == 0 || len(tasks) > MaxTasks {
		return fmt.Errorf("%d tasks: want 1 to %d", len(tasks), MaxTasks)
	}
	byID := map[string]Task{}
	for _, t := range tasks {
		switch _, taken := byID[t.ID]; {
		case !idForm().MatchString(t.ID):
			return fmt.Errorf("id %q: want letters, digits, dashes and underscores, 32 at most", t.ID)
		case taken:
			return fmt.Errorf("two tasks have the id %q", t.ID)
		case !slices.Contains(members, t.Member):
			return fmt.Errorf("task %q: there is no member %q", t.ID, t.Member)
		case strings.TrimSpace(t.Text) == "":
			return fmt.Errorf("task %q says nothing", t.ID)
		}
		byID[t.ID] = t
	}
	for _, t := range tasks {
		for _, id := range t.After {
			if _, ok := byID[id]; !ok {
				return fmt.Errorf("task %q comes after %q, which there is not", t.ID, id)
			}
		}
	}
	return acyclic(tasks, byID)
}

// acyclic names the first cycle that it finds.
func acyclic(tasks []Task, byID map[string]Task) error {
	const walking, done = 1, 2
	state := map[string]int{}
	var path []string
	var walk func(id string) error
	walk = func(id string) error {
		path = append(path, id)
		switch state[id] {
		case done:
		case walking:
			return fmt.Errorf("tasks wait for each other: %s", strings.Join(path[slices.Index(path, id):], " after "))
		default:
			state[id] = walking
			for _, before := range byID[id].After {
				if err := walk(before); err != nil {
					return err
				}
			}
			state[id] = done
		}
		path = path[:len(path)-1]
		return nil
	}
	for _, t := range tasks {
		if err := walk(t.ID); err != nil {
			return err
		}
	}
	return nil
}

// Outcome is what came of a task.
type Outcome struct {
	Task   Task
	Report string // also of one that failed, what it has
	Err    error  // why it is not done; nil if it is
	Begun  bool
}

// ErrBefore: a task was not begun because one that it depends on is not done.
var ErrBefore = errors.New("not begun")

// Run does the tasks of a graph that Check has passed. do gets the outcomes that its
// task depends on, and is called for all ready tasks at the same time. A panic of it
// is the failure of its task.
func Run(ctx context.Context, tasks []Task, do func(ctx context.Context, t Task, before []Outcome) (string, error)) []Outcome {
	outcomes := make([]Outcome, len(tasks))
	ended := map[string]chan struct{}{}
	at := map[string]int{}
	for i, t := range tasks {
		ended[t.ID], at[t.ID] = make(chan struct{}), i
	}
	var wg sync.WaitGroup
	for i, t := range tasks {
		wg.Go(func() {
			defer close(ended[t.ID])
			out := &outcomes[i]
			out.Task = t
			var before []Outcome
			for _, id := range t.After {
				<-ended[id] // it ends: there is no cycle
				earlier := outcomes[at[id]]
				if earlier.Err != nil {
					out.Err = fmt.Errorf("%w: task %q is not done", ErrBefore, id)
					return
				}
				before = append(before, earlier)
			}
			if ctx.Err() != nil {
				out.Err = fmt.Errorf("%w: %w", ErrBefore, context.Cause(ctx))
				return
			}
			out.Begun = true
			out.Report, out.Err = safely(ctx, t, before, do)
		})
	}
	wg.Wait()
	return outcomes
}

func safely(ctx context.Context, t Task, before []Outcome, do func(context.Context, Task, []Outcome) (string, error)) (report string, err error) {
	defer func() {
		if v := recover(); v != nil {
			report, err = "", fmt.Errorf("it panicked: %v", v)
		}
	}()
	return do(ctx, t, before)
}
