package desk

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/internal/spec"
)

//go:embed compact.md
var compactGuide string

// Compact is the tool compact: it has a summary put in the place of the older part
// of the conversation. All fields are set.
type Compact struct {
	// Soon has a conversation compacted before its next request. An error says why
	// there is nothing to compact.
	Soon func(ctx context.Context, conversation string) error
}

var _ tools.Tool = (*Compact)(nil)

// Name implements [tools.Tool].
func (*Compact) Name() string { return "compact" }

// Description implements [tools.Tool].
func (*Compact) Description() string { return spec.Brief(compactGuide) }

// Guidance implements [tools.Documented].
func (*Compact) Guidance() string { return spec.Whole(compactGuide) }

// Parallelizable implements [tools.Tool].
func (*Compact) Parallelizable() bool { return false }

// InputSchema implements [tools.Tool].
func (*Compact) InputSchema() map[string]any { return spec.Schema(map[string]any{}) }

// Plan implements [tools.Tool].
func (c *Compact) Plan(_ context.Context, raw json.RawMessage, env tools.Env) (tools.Action, error) {
	if err := spec.Decode(raw, &struct{}{}); err != nil {
		return tools.Action{}, err
	}
	if env.Conversation == "" {
		return tools.Action{}, tools.Reject("no_conversation", "there is no conversation to compact")
	}
	return tools.Action{Tool: c.Name(), Kind: tools.Pure}, nil
}

// Execute implements [tools.Tool].
func (c *Compact) Execute(ctx context.Context, _ tools.Action, env tools.Env) (tools.Result, error) {
	if err := c.Soon(ctx, env.Conversation); err != nil {
		return tools.Failure("nothing_to_compact", err.Error()), nil
	}
	return tools.Result{
		Value:  "the older part of the conversation is summed up before your next step",
		Record: tools.Record{Outcome: backends.ExitedWith(0)},
	}, nil
}
