package files

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

//go:embed write_file.md
var writeFileGuide string

// WriteFile is the tool write_file.
type WriteFile struct {
	Guard *guard.Guard
	Seen  *Seen // the same as read_file's
	// Keeper keeps what a write replaces; without it nothing is written. Nil: it
	// cannot be taken back.
	Keeper Keeper
	Bounds Bounds
}

func (w *WriteFile) overwriter() overwriter { return overwriter{w.Guard, w.Seen, w.Keeper, w.Bounds} }

var _ tools.Tool = (*WriteFile)(nil)

// Name implements [tools.Tool].
func (*WriteFile) Name() string { return "write_file" }

// Description implements [tools.Tool].
func (*WriteFile) Description() string { return spec.Brief(writeFileGuide) }

// Guidance implements [tools.Documented].
func (*WriteFile) Guidance() string { return spec.Whole(writeFileGuide) }

// Parallelizable implements [tools.Tool].
func (*WriteFile) Parallelizable() bool { return false }

// InputSchema implements [tools.Tool].
func (*WriteFile) InputSchema() map[string]any {
	return spec.Schema(spec.Acting(map[string]any{
		"path":    spec.String("absolute"),
		"content": spec.String(""),
		"target":  spec.Target(),
	}), spec.ClaimNames("path", "content")...)
}

type writeArgs struct {
	Path    *string `json:"path"`
	Content *string `json:"content"`
	Target  string  `json:"target"`
	spec.Claim
}

// Plan implements [tools.Tool].
func (w *WriteFile) Plan(ctx context.Context, raw json.RawMessage, env tools.Env) (tools.Action, error) {
	var args writeArgs
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	switch {
	case args.Path == nil:
		return tools.Action{}, spec.Missing("path")
	case args.Content == nil:
		return tools.Action{}, spec.Missing("content")
	}
	claim, err := args.Check()
	if err != nil {
		return tools.Action{}, err
	}
	a, err := locate(ctx, w.Guard, env, args.Target, *args.Path)
	if err != nil {
		return tools.Action{}, err
	}
	a.Tool, a.Claim = w.Name(), claim
	return w.overwriter().plan(ctx, a, func([]byte, bool) ([]byte, error) { return []byte(*args.Content), nil })
}

// Execute implements [tools.Tool].
func (w *WriteFile) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	return w.overwriter().execute(ctx, a, env)
}
