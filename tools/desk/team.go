package desk

import (
	"context"
	_ "embed" // the tools' guidance
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/internal/spec"
)

// Limits of a team.
const (
	MaxMembers  = 8
	teamReport  = 3_000 // characters of a task's report that the sender gets at once
	maxTeamPlan = 40_000
)

//go:embed team.md
var teamGuide string

// TeamMember is one of a team.
type TeamMember struct {
	Name  string `json:"name"`
	Agent string `json:"agent"` // the type
}

// TeamErrand is what a team is sent for.
type TeamErrand struct {
	Members      []TeamMember
	Tasks        string // a JSON array, maybe in a Markdown fence
	Conversation string // whose turn sends it
	Progress     func(tools.Progress)
}

// TeamReport is what came of one of its tasks.
type TeamReport struct {
	ID, Member string
	State      string // "done", "failed", "not begun"
	Text       string
	Fault      string
}

// Team is the tool team: it sends several sub-agents with tasks that depend on each
// other. All fields are set.
type Team struct {
	// Helpers are the types that there are now. It must be quick.
	Helpers func() []Helper
	// Check says what is wrong with an errand, for the model.
	Check func(e TeamErrand) error
	// Send has it done, and returns the reports in the order of the tasks. An error
	// says why it could not begin.
	Send func(ctx context.Context, e TeamErrand) ([]TeamReport, error)
}

var (
	_ tools.Tool     = (*Team)(nil)
	_ tools.Optional = (*Team)(nil)
)

// Offered implements [tools.Optional].
func (t *Team) Offered() bool { return len(t.Helpers()) > 0 }

// Name implements [tools.Tool].
func (*Team) Name() string { return "team" }

// Description implements [tools.Tool].
func (*Team) Description() string { return spec.Brief(teamGuide) }

// Guidance implements [tools.Documented].
func (*Team) Guidance() string { return spec.Whole(teamGuide) }

// Parallelizable implements [tools.Tool].
func (*Team) Parallelizable() bool { return false }

// InputSchema implements [tools.Tool].
func (t *Team) InputSchema() map[string]any {
	names := []string{}
	for _, h := range t.Helpers() {
		names = append(names, h.Name)
	}
	return spec.Schema(map[string]any{
		"members": map[string]any{
			"type": "array", "minItems": 1, "description": fmt.Sprintf("at most %d", MaxMembers),
			"items": spec.Schema(map[string]any{
				"name": spec.String("a-z, 0-9, -"),
				"agent": map[string]any{
					"type": "string", "enum": names,
				},
			}, "name", "agent"),
		},
		"tasks": map[string]any{
			"type": "array", "minItems": 1,
			"items": spec.Schema(map[string]any{
				"id":     spec.String(""),
				"member": spec.String(""),
				"task":   spec.String(""),
				"after": map[string]any{
					"type": "array", "items": spec.String(""), "description": "ids that must be done before",
				},
			}, "id", "member", "task"),
		},
	}, "members", "tasks")
}

// teamPlan is an errand as it stands in the action's Command.
type teamPlan struct {
	Members []TeamMember    `json:"members"`
	Tasks   json.RawMessage `json:"tasks"` // the array, or a text that holds it
}

func (p teamPlan) errand() TeamErrand {
	e := TeamErrand{Members: p.Members, Tasks: string(p.Tasks)}
	var text string
	if json.Unmarshal(p.Tasks, &text) == nil {
		e.Tasks = text
	}
	return e
}

// Plan implements [tools.Tool].
func (t *Team) Plan(_ context.Context, raw json.RawMessage, env tools.Env) (tools.Action, error) {
	var p teamPlan
	if err := spec.Decode(raw, &p); err != nil {
		return tools.Action{}, err
	}
	switch {
	case len(p.Members) == 0 || len(p.Members) > MaxMembers:
		return tools.Action{}, tools.Invalid("%d members: want 1 to %d", len(p.Members), MaxMembers)
	case len(p.Tasks) == 0:
		return tools.Action{}, spec.Missing("tasks")
	case len(raw) > maxTeamPlan:
		return tools.Action{}, tools.Invalid("%d bytes are more than %d; have the members read what is long", len(raw), maxTeamPlan)
	case env.Conversation == "":
		return tools.Action{}, tools.Reject("no_conversation", "there is no conversation that could send a team")
	}
	if err := t.Check(p.errand()); err != nil {
		return tools.Action{}, tools.Invalid("%w", err)
	}
	command, err := json.Marshal(p)
	if err != nil {
		return tools.Action{}, tools.Failed("team: %w", err)
	}
	return tools.Action{Tool: t.Name(), Kind: tools.Pure, Command: string(command), Wait: taskTime}, nil
}

// TeamValue is the Value of team's Result.
type TeamValue struct {
	Tasks   []TeamTaskValue `json:"tasks"`
	Notices []string        `json:"notices"`
}

// TeamTaskValue is what came of one task.
type TeamTaskValue struct {
	ID     string `json:"id"`
	Member string `json:"member"`
	State  string `json:"state"`
	Error  string `json:"error,omitempty"`
	Report string `json:"report,omitempty"`
}

// Execute implements [tools.Tool].
func (t *Team) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	var p teamPlan
	if err := json.Unmarshal([]byte(a.Command), &p); err != nil {
		return tools.Result{}, tools.Failed("team: %q is not one of its own", a.Command)
	}
	began := env.Time()
	e := p.errand()
	e.Conversation, e.Progress = env.Conversation, env.Report
	reports, err := t.Send(ctx, e)
	switch {
	case err != nil && ctx.Err() != nil:
		return tools.Failure("interrupted", "not sent: interrupted by the operator"), nil
	case err != nil:
		return tools.Failure("not_sent", fmt.Sprintf("the team could not be sent: %v", err)), nil
	}
	v := TeamValue{Notices: []string{reportIsData}}
	r := tools.Result{Record: tools.Record{Outcome: backends.ExitedWith(0), Duration: env.Time().Sub(began)}}
	for _, got := range reports {
		head, omitted := tools.Head(strings.ToValidUTF8(got.Text, "\uFFFD"), teamReport)
		if omitted > 0 {
			v.Notices = append(v.Notices, fmt.Sprintf("the report of %s is cut: %d more characters%s", got.ID, omitted,
				keepReport(ctx, env, "report of "+got.ID, got.Text, head)))
			head += "\n...[truncated]"
			r.Record.Truncated = true
		}
		r.Record.Bytes += int64(len(got.Text))
		v.Tasks = append(v.Tasks, TeamTaskValue{ID: got.ID, Member: got.Member, State: got.State, Error: got.Fault, Report: head})
		if got.Fault != "" {
			r.IsError, r.Record.Outcome, r.Record.Failed = true, backends.Outcome{}, "not every task is done"
		}
	}
	r.Value = v
	return r, nil
}
