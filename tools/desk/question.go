package desk

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/internal/spec"
)

// Limits of a question.
const (
	MinOptions  = 2
	MaxOptions  = 9 // each has a digit
	MaxQuestion = 1_000
	MaxOption   = 100 // characters, so that an option can be read whole
)

//go:embed question.md
var questionGuide string

// Asker lets the operator choose one of several options, or answer in their own words.
// The error is ctx's, or says why they cannot be asked.
type Asker func(ctx context.Context, question string, options []string) (Choice, error)

// Choice is what the operator said; the zero value is nothing.
type Choice struct {
	Given  bool
	Option int    // the index of an option
	Own    string // in place of an option: their own words
}

// Question is the tool question.
type Question struct {
	Ask Asker // nil: nobody can be asked
}

var _ tools.Tool = Question{}

// Name implements [tools.Tool].
func (Question) Name() string { return "question" }

// Offered implements [tools.Optional].
func (q Question) Offered() bool { return q.Ask != nil }

// Description implements [tools.Tool].
func (Question) Description() string { return spec.Brief(questionGuide) }

// Guidance implements [tools.Documented].
func (Question) Guidance() string { return spec.Whole(questionGuide) }

// Parallelizable implements [tools.Tool].
func (Question) Parallelizable() bool { return false }

// InputSchema implements [tools.Tool].
func (Question) InputSchema() map[string]any {
	return spec.Schema(map[string]any{
		"question": spec.String(""),
		"options": map[string]any{
			"type": "array", "minItems": MinOptions, "items": spec.String(fmt.Sprintf("one line, at most %d characters", MaxOption)),
			"description": fmt.Sprintf("%d to %d answers", MinOptions, MaxOptions),
		},
	}, "question", "options")
}

// asked is a question as it stands in the action's Command.
type asked struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
}

// Plan implements [tools.Tool].
func (q Question) Plan(_ context.Context, raw json.RawMessage, _ tools.Env) (tools.Action, error) {
	var a asked
	if err := spec.Decode(raw, &a); err != nil {
		return tools.Action{}, err
	}
	a.Question = strings.TrimSpace(a.Question)
	switch n := len(a.Options); {
	case a.Question == "":
		return tools.Action{}, spec.Missing("question")
	case utf8.RuneCountInString(a.Question) > MaxQuestion:
		return tools.Action{}, tools.Invalid("the question is longer than %d characters", MaxQuestion)
	case n < MinOptions || n > MaxOptions:
		return tools.Action{}, tools.Invalid("%d options: want %d to %d answers to choose from", n, MinOptions, MaxOptions)
	}
	if asksForSecret(a.Question) || slices.ContainsFunc(a.Options, asksForSecret) {
		return tools.Action{}, tools.Invalid("a question cannot ask for a password, a key or another secret; where a login wants one, nod asks the operator itself, and it never reaches you")
	}
	for i, o := range a.Options {
		a.Options[i] = strings.Join(strings.Fields(o), " ")
		if o = a.Options[i]; o == "" || utf8.RuneCountInString(o) > MaxOption || strings.ContainsFunc(o, unicode.IsControl) {
			return tools.Action{}, tools.Invalid("option %d is %q, want one line of 1 to %d characters", i+1, o, MaxOption)
		}
		if slices.Contains(a.Options[:i], a.Options[i]) {
			return tools.Action{}, tools.Invalid("option %d is there twice: %q", i+1, a.Options[i])
		}
	}
	command, err := json.Marshal(a)
	if err != nil {
		return tools.Action{}, tools.Failed("question: %w", err)
	}
	return tools.Action{Tool: q.Name(), Kind: tools.Pure, Command: string(command)}, nil
}

// QuestionValue is the Value of question's Result.
type QuestionValue struct {
	Answer string `json:"answer"`
	Option int    `json:"option,omitempty"` // from 1; none if the answer is the operator's own
}

// Execute implements [tools.Tool].
func (q Question) Execute(ctx context.Context, action tools.Action, env tools.Env) (tools.Result, error) {
	var a asked
	if err := json.Unmarshal([]byte(action.Command), &a); err != nil {
		return tools.Result{}, tools.Failed("question: %q is not one of its own", action.Command)
	}
	if q.Ask == nil {
		return tools.Failure("nobody", "nobody can be asked here. Decide by what the operator has said already, prefer what changes nothing, and say in the answer what was left open."), nil
	}
	env.Report(tools.Progress{Note: "waits for the operator's answer"})
	began := env.Time()
	said, err := q.Ask(ctx, a.Question, slices.Clone(a.Options))
	switch {
	case ctx.Err() != nil:
		return tools.Failure("interrupted", "interrupted before the operator answered"), nil
	case err != nil:
		return tools.Failure("nobody", fmt.Sprintf("the operator could not be asked: %v", err)), nil
	case !said.Given || said.Own == "" && (said.Option < 0 || said.Option >= len(a.Options)):
		return tools.Failure("cancelled", "the operator chose none of the options. Do not ask the same again: go on without, or end with what you know."), nil
	}
	value := QuestionValue{Answer: said.Own}
	if said.Own == "" {
		value = QuestionValue{Answer: a.Options[said.Option], Option: said.Option + 1}
	}
	return tools.Result{
		Value:  value,
		Record: tools.Record{Outcome: backends.ExitedWith(0), Duration: env.Time().Sub(began)},
	}, nil
}
