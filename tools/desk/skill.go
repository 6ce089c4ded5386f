package desk

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"slices"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/internal/spec"
)

//go:embed activate_skill.md
var activateGuide string

// SkillText is what a skill says.
type SkillText struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Files are those beside the instructions, for reading.
	Files  []string `json:"files,omitempty"`
	Folder string   `json:"folder,omitempty"`
	Body   string   `json:"instructions"`
	// Tools are the only ones that may be called while it is active; nil: all.
	Tools []string `json:"tools,omitempty"`
}

// ActivateSkill is the tool activate_skill.
type ActivateSkill struct {
	// Load returns a skill by its name. An error is told to the model.
	Load func(name string) (SkillText, error)
	// Any reports whether there is a skill. Nil: there is.
	Any func() bool
}

var (
	_ tools.Tool     = (*ActivateSkill)(nil)
	_ tools.Optional = (*ActivateSkill)(nil)
)

// Offered implements [tools.Optional].
func (s *ActivateSkill) Offered() bool { return s.Any == nil || s.Any() }

// Name implements [tools.Tool].
func (*ActivateSkill) Name() string { return "activate_skill" }

// Description implements [tools.Tool].
func (*ActivateSkill) Description() string { return spec.Brief(activateGuide) }

// Guidance implements [tools.Documented].
func (*ActivateSkill) Guidance() string { return spec.Whole(activateGuide) }

// Parallelizable implements [tools.Tool].
func (*ActivateSkill) Parallelizable() bool { return true }

// InputSchema implements [tools.Tool].
func (*ActivateSkill) InputSchema() map[string]any {
	return spec.Schema(map[string]any{"name": spec.String("")}, "name")
}

// Plan implements [tools.Tool].
func (s *ActivateSkill) Plan(_ context.Context, raw json.RawMessage, _ tools.Env) (tools.Action, error) {
	var args struct {
		Name *string `json:"name"`
	}
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	if args.Name == nil {
		return tools.Action{}, spec.Missing("name")
	}
	return tools.Action{Tool: s.Name(), Kind: tools.Pure, Command: *args.Name}, nil
}

// Execute implements [tools.Tool].
func (s *ActivateSkill) Execute(_ context.Context, a tools.Action, _ tools.Env) (tools.Result, error) {
	text, err := s.Load(a.Command)
	if err != nil {
		return tools.Failure("no_skill", err.Error()), nil
	}
	r := tools.Result{Value: text, Record: tools.Record{Outcome: backends.ExitedWith(0), Bytes: int64(len(text.Body))}}
	if text.Tools != nil {
		// Another skill can always be looked at: it can only take more away.
		r.Only = append(slices.Clone(text.Tools), s.Name())
	}
	return r, nil
}
