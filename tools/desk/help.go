package desk

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/internal/spec"
)

//go:embed help.md
var helpGuide string

// Help is the tool help: what requests leave out of the tools' guidance.
type Help struct{ Tools *tools.Registry }

var _ tools.Tool = (*Help)(nil)

// Name implements [tools.Tool].
func (*Help) Name() string { return "help" }

// Description implements [tools.Tool].
func (*Help) Description() string { return spec.Brief(helpGuide) }

// Parallelizable implements [tools.Tool].
func (*Help) Parallelizable() bool { return true }

// InputSchema implements [tools.Tool].
func (*Help) InputSchema() map[string]any {
	return spec.Schema(map[string]any{"tool": spec.String("")}, "tool")
}

// Plan implements [tools.Tool].
func (h *Help) Plan(_ context.Context, raw json.RawMessage, _ tools.Env) (tools.Action, error) {
	var args struct {
		Tool string `json:"tool"`
	}
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	if _, ok := h.Tools.Get(args.Tool); !ok {
		var names []string
		for _, t := range h.Tools.All() {
			names = append(names, t.Name())
		}
		return tools.Action{}, tools.Reject("unknown_tool", "there is no tool %q; there are %s", args.Tool, strings.Join(names, ", "))
	}
	return tools.Action{Tool: h.Name(), Kind: tools.Pure, Command: args.Tool}, nil
}

// Execute implements [tools.Tool].
func (h *Help) Execute(_ context.Context, a tools.Action, _ tools.Env) (tools.Result, error) {
	t, ok := h.Tools.Get(a.Command)
	if !ok {
		return tools.Failure("unknown_tool", fmt.Sprintf("there is no tool %q any more", a.Command)), nil
	}
	if d, ok := t.(tools.Documented); ok {
		return tools.Result{Value: d.Guidance()}, nil
	}
	return tools.Result{Value: t.Description()}, nil
}
