package desk

import (
	"context"
	_ "embed" // the tools' guidance
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/files"
	"github.com/nod-console/nod/tools/internal/spec"
)

//go:embed remember.md
var rememberGuide string

//go:embed forget.md
var forgetGuide string

// Scopes of what is remembered.
const (
	inConversation = "conversation"
	inProject      = "project"
	everywhere     = "global"
)

// Draft is a change of a file of memory that is only planned.
type Draft struct {
	Path    string
	Old     []byte
	Content []byte
	Expect  backends.Version // what the file holds now
}

// Memory keeps what is to be remembered. An error is told to the model, unless it
// is a *tools.Error.
type Memory interface {
	// Check returns a text as it would be remembered.
	Check(text string) (string, error)
	// PlanRemember plans to add a text to the file of the scope "project" or
	// "global". tainted says that parts of it came from a target's output.
	PlanRemember(scope, target, conversation, text string, tainted bool) (Draft, error)
	// PlanForget plans to take the entry of that ID out of its file.
	PlanForget(target, id string) (Draft, error)
	// Write carries out a planned change, if the file still holds what it did.
	Write(path string, expect backends.Version, content []byte) error
	// Note remembers a text in a conversation and returns its ID, ForgetNote
	// forgets it, and IsNote tells whether an ID is one of Note's.
	Note(ctx context.Context, conversation, text string, tainted bool) (id string, err error)
	ForgetNote(ctx context.Context, conversation, id string) error
	IsNote(id string) bool
}

// Remember is the tool remember.
type Remember struct {
	Memory   Memory
	Verifier *tools.Verifier // checks that a change of a file was allowed
}

// Forget is the tool forget.
type Forget struct {
	Memory   Memory
	Verifier *tools.Verifier
}

var _, _ tools.Tool = (*Remember)(nil), (*Forget)(nil)

// Name implements [tools.Tool].
func (*Remember) Name() string { return "remember" }

// Description implements [tools.Tool].
func (*Remember) Description() string { return spec.Brief(rememberGuide) }

// Guidance implements [tools.Documented].
func (*Remember) Guidance() string { return spec.Whole(rememberGuide) }

// Parallelizable implements [tools.Tool].
func (*Remember) Parallelizable() bool { return false }

// InputSchema implements [tools.Tool].
func (*Remember) InputSchema() map[string]any {
	return spec.Schema(map[string]any{
		"text": spec.String(""),
		"scope": map[string]any{
			"type": "string", "enum": []string{inConversation, inProject, everywhere},
		},
		"why": spec.String("for project and global"),
	}, "text")
}

// Plan implements [tools.Tool].
func (r *Remember) Plan(_ context.Context, raw json.RawMessage, env tools.Env) (tools.Action, error) {
	var args struct {
		Text  *string `json:"text"`
		Scope string  `json:"scope"`
		Why   string  `json:"why"`
	}
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	if args.Text == nil {
		return tools.Action{}, spec.Missing("text")
	}
	text, err := r.Memory.Check(*args.Text)
	if err != nil {
		return tools.Action{}, refused(err)
	}
	tainted := env.Tainted != nil && env.Tainted(text)
	switch args.Scope {
	case "", inConversation:
		if env.Conversation == "" {
			return tools.Action{}, tools.Reject("no_conversation", "there is no conversation to remember it in")
		}
		a := tools.Action{Tool: r.Name(), Kind: tools.Pure, Content: []byte(text)}
		if tainted {
			a.Command = fromOutput
		}
		return a, nil
	case inProject, everywhere:
	default:
		return tools.Action{}, tools.Invalid("scope is %q, want %q, %q or %q", args.Scope, inConversation, inProject, everywhere)
	}
	d, err := r.Memory.PlanRemember(args.Scope, env.Target, env.Conversation, text, tainted)
	if err != nil {
		return tools.Action{}, refused(err)
	}
	return change(r.Name(), d, args.Why), nil
}

// fromOutput is the Command of an action that remembers parts of a target's output
// in a conversation.
const fromOutput = "from output"

// Execute implements [tools.Tool].
func (r *Remember) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	if a.Kind == tools.Write {
		return write(r.Memory, r.Verifier, a, env, "remembered")
	}
	id, err := r.Memory.Note(ctx, env.Conversation, string(a.Content), a.Command == fromOutput)
	if err != nil {
		return failed(err)
	}
	return tools.Result{Value: Kept{Done: "remembered", ID: id}, Record: tools.Record{Outcome: backends.ExitedWith(0)}}, nil
}

// Name implements [tools.Tool].
func (*Forget) Name() string { return "forget" }

// Description implements [tools.Tool].
func (*Forget) Description() string { return spec.Brief(forgetGuide) }

// Guidance implements [tools.Documented].
func (*Forget) Guidance() string { return spec.Whole(forgetGuide) }

// Parallelizable implements [tools.Tool].
func (*Forget) Parallelizable() bool { return false }

// InputSchema implements [tools.Tool].
func (*Forget) InputSchema() map[string]any {
	return spec.Schema(map[string]any{
		"id":  spec.String(""),
		"why": spec.String(""),
	}, "id")
}

// Plan implements [tools.Tool].
func (f *Forget) Plan(_ context.Context, raw json.RawMessage, env tools.Env) (tools.Action, error) {
	var args struct {
		ID  *string `json:"id"`
		Why string  `json:"why"`
	}
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	if args.ID == nil {
		return tools.Action{}, spec.Missing("id")
	}
	id := strings.Trim(strings.TrimSpace(*args.ID), "()")
	if f.Memory.IsNote(id) {
		return tools.Action{Tool: f.Name(), Kind: tools.Pure, Command: id}, nil
	}
	d, err := f.Memory.PlanForget(env.Target, id)
	if err != nil {
		return tools.Action{}, refused(err)
	}
	return change(f.Name(), d, args.Why), nil
}

// Execute implements [tools.Tool].
func (f *Forget) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	if a.Kind == tools.Write {
		return write(f.Memory, f.Verifier, a, env, "forgotten")
	}
	if err := f.Memory.ForgetNote(ctx, env.Conversation, a.Command); err != nil {
		return failed(err)
	}
	return tools.Result{Value: Kept{Done: "forgotten", ID: a.Command}, Record: tools.Record{Outcome: backends.ExitedWith(0)}}, nil
}

// Kept is the Value of a Result of remember and forget.
type Kept struct {
	Done string `json:"done"` // "remembered", "forgotten"
	ID   string `json:"id,omitempty"`
	File string `json:"file,omitempty"`
}

// change is the action that replaces a file of memory. What it may do is known, so
// the annotation is not the model's but for the reason.
func change(tool string, d Draft, why string) tools.Action {
	if strings.TrimSpace(why) == "" {
		why = "no reason given"
	}
	return tools.Action{
		Tool: tool, Kind: tools.Write, Target: tools.Desk, Path: d.Path, Content: d.Content, Expect: d.Expect,
		Claim: tools.Claim{Risk: "medium", Mutation: true, Why: why},
		Diff:  files.Diff(d.Path, d.Old, d.Content),
	}
}

func write(m Memory, v *tools.Verifier, a tools.Action, env tools.Env, done string) (tools.Result, error) {
	if err := v.Redeem(a, env.Grant); err != nil {
		return tools.Result{}, tools.Denied("%s: %w", a.Tool, err)
	}
	if err := m.Write(a.Path, a.Expect, a.Content); err != nil {
		return failed(err)
	}
	return tools.Result{
		Value:  Kept{Done: done, File: a.Path},
		Record: tools.Record{Outcome: backends.ExitedWith(0), Bytes: int64(len(a.Content))},
	}, nil
}

// refused tells the model why something cannot be remembered or forgotten.
func refused(err error) error {
	var fault *tools.Error
	if errors.As(err, &fault) {
		return err
	}
	return tools.Reject("not_kept", "%s", err.Error())
}

func failed(err error) (tools.Result, error) {
	var fault *tools.Error
	if errors.As(err, &fault) {
		return tools.Result{}, err
	}
	return tools.Failure("not_kept", fmt.Sprintf("it is as it was: %v", err)), nil
}
