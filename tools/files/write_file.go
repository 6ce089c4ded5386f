package files

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/nod-console/nod/backends"
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
}

var _ tools.Tool = (*WriteFile)(nil)

// Name implements [tools.Tool].
func (*WriteFile) Name() string { return "write_file" }

// Description implements [tools.Tool].
func (*WriteFile) Description() string { return writeFileGuide }

// Parallelizable implements [tools.Tool].
func (*WriteFile) Parallelizable() bool { return false }

// InputSchema implements [tools.Tool].
func (*WriteFile) InputSchema() map[string]any {
	return spec.Schema(spec.Acting(map[string]any{
		"path":    spec.String("Absolute path of the file. Missing folders are made."),
		"content": spec.String("The whole new content."),
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
	a.Tool, a.Kind, a.Claim, a.Content = w.Name(), tools.Write, claim, []byte(*args.Content)
	old, present, err := w.Guard.Present(ctx, a.Target, a.Path)
	if err != nil {
		code, message := explain(err, a.Path)
		return tools.Action{}, tools.Reject(code, "%s", message)
	}
	if err := w.known(a, present); err != nil {
		return tools.Action{}, err
	}
	a.Expect = present
	a.Diff = unified(a.Path, old, a.Content, present.Exists)
	return a, nil
}

// known rejects overwriting what the model has not seen.
func (w *WriteFile) known(a tools.Action, present backends.Version) error {
	if !present.Exists {
		return nil
	}
	seen, ok := w.Seen.last(a.Target, a.Path)
	if !ok {
		return tools.Reject("not_read", "%s exists and has not been read: read it with read_file, then write the whole new content", a.Path)
	}
	if seen != present {
		return tools.Reject("changed_on_disk", "%s has changed since it was read: read it again with read_file, then write with what is new taken over", a.Path)
	}
	return nil
}

// WriteValue is the Value of write_file's Result.
type WriteValue struct {
	Path    string `json:"path"`
	Bytes   int    `json:"bytes"`
	Created bool   `json:"created"`
	Message string `json:"message"`
}

// Execute implements [tools.Tool].
func (w *WriteFile) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	began := env.Time()
	if _, err := w.Guard.Write(ctx, a, env.Grant); err != nil {
		return outcome(ctx, err, a.Path)
	}
	w.Seen.note(a.Target, a.Path, backends.VersionOf(a.Content))
	return tools.Result{
		Value: WriteValue{
			Path:    a.Path,
			Bytes:   len(a.Content),
			Created: !a.Expect.Exists,
			Message: fmt.Sprintf("Wrote %d bytes (%d characters) to %s", len(a.Content), utf8.RuneCount(a.Content), a.Path),
		},
		Record: tools.Record{
			Outcome:  backends.ExitedWith(0),
			Bytes:    int64(len(a.Content)),
			Duration: env.Time().Sub(began),
		},
	}, nil
}
