package files

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/fleet"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

// The most that one call of read_file returns.
const (
	MaxCharacters = 8_000
	MaxLines      = 2_000
)

// OutputScheme is how the references begin under which full outputs are kept.
const OutputScheme = "output:"

//go:embed read_file.md
var readFileGuide string

// ReadFile is the tool read_file.
type ReadFile struct {
	Guard *guard.Guard
	Seen  *Seen // the same as write_file's
	// Bounds say where it may go.
	Bounds Bounds
	// Fleet finds the targets of a call for several; nil: there is one only.
	Fleet *fleet.Fleet
}

var (
	_ tools.Tool = (*ReadFile)(nil)
	_ tools.Many = (*ReadFile)(nil)
)

// Name implements [tools.Tool].
func (*ReadFile) Name() string { return "read_file" }

// Description implements [tools.Tool].
func (r *ReadFile) Description() string {
	return spec.Brief(readFileGuide, spec.If("targets", r.Fleet.Offered()))
}

// Guidance implements [tools.Documented].
func (*ReadFile) Guidance() string { return spec.Whole(readFileGuide) }

// Parallelizable implements [tools.Tool].
func (*ReadFile) Parallelizable() bool { return true }

// InputSchema implements [tools.Tool].
func (r *ReadFile) InputSchema() map[string]any {
	return spec.Schema(several(r.Fleet, map[string]any{
		"path":   spec.String("absolute, or output:…"),
		"offset": spec.Count(1, "first line, from 1"),
		"limit":  spec.Count(1, "lines"),
		"target": spec.Target(),
	}), "path")
}

type readArgs struct {
	Path   *string `json:"path"`
	Offset *int    `json:"offset"`
	Limit  *int    `json:"limit"`
	Target string  `json:"target"`

	Targets fleet.Names `json:"targets"`
}

// span is the range of lines, as it stands in the action's Command.
type span struct {
	Offset int `json:"offset"` // from 1
	Limit  int `json:"limit"`
}

// Plan implements [tools.Tool].
func (r *ReadFile) Plan(ctx context.Context, raw json.RawMessage, env tools.Env) (tools.Action, error) {
	var args readArgs
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	if args.Path == nil {
		return tools.Action{}, spec.Missing("path")
	}
	s := span{1, MaxLines}
	if args.Offset != nil {
		s.Offset = *args.Offset
	}
	if args.Limit != nil {
		s.Limit = min(*args.Limit, MaxLines)
	}
	if s.Offset < 1 || s.Limit < 1 {
		return tools.Action{}, tools.Invalid("offset and limit count from 1: offset %d, limit %d", s.Offset, s.Limit)
	}
	command, err := json.Marshal(s)
	if err != nil {
		return tools.Action{}, tools.Failed("read_file: %w", err)
	}
	if strings.HasPrefix(*args.Path, OutputScheme) {
		return tools.Action{Tool: r.Name(), Kind: tools.Pure, Path: *args.Path, Command: string(command)}, nil
	}
	a, err := r.locate(ctx, env, args)
	if err != nil {
		return tools.Action{}, err
	}
	return all(a, func(a *tools.Action) error {
		a.Tool, a.Kind, a.Command = r.Name(), tools.Read, string(command)
		return r.Bounds.read(a.Target, a.Path)
	})
}

func (r *ReadFile) locate(ctx context.Context, env tools.Env, args readArgs) (tools.Action, error) {
	if args.Targets == nil {
		return locate(ctx, r.Guard, env, args.Target, *args.Path)
	}
	return locateOn(ctx, r.Fleet, args.Targets, args.Target, *args.Path)
}

// ReadValue is the Value of read_file's Result.
type ReadValue struct {
	Path       string   `json:"path"`
	Content    string   `json:"content"`
	FirstLine  int      `json:"first_line"`
	LastLine   int      `json:"last_line"`
	TotalLines int      `json:"total_lines,omitempty"` // 0 if the end was not reached
	Notices    []string `json:"notices,omitempty"`
}

// Execute implements [tools.Tool].
func (r *ReadFile) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	var s span
	if err := json.Unmarshal([]byte(a.Command), &s); err != nil || s.Offset < 1 || s.Limit < 1 {
		return tools.Result{}, tools.Failed("read_file: the range %q is not one of its own", a.Command)
	}
	began := env.Time()
	var (
		p   page
		err error
	)
	if a.Kind == tools.Pure {
		p, err = readOutput(ctx, a.Path, s, env)
	} else {
		p, err = r.readTarget(ctx, a, s, env)
	}
	if err != nil {
		return outcome(ctx, err, a.Path)
	}
	result := p.result(a.Path, s)
	result.Record.Duration = env.Time().Sub(began)
	return result, nil
}

func (r *ReadFile) readTarget(ctx context.Context, a tools.Action, s span, env tools.Env) (page, error) {
	f, err := r.Guard.Open(ctx, a, env.Grant)
	if err != nil {
		return page{}, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	p, err := readPage(ctx, f, s)
	if err != nil {
		return page{}, err
	}
	if p.whole && !p.binary {
		r.Seen.note(a.Target, a.Path, backends.Version{Exists: true, SHA256: p.sha256})
	}
	return p, nil
}

func readOutput(ctx context.Context, ref string, s span, env tools.Env) (page, error) {
	if env.Outputs == nil {
		return page{}, fmt.Errorf("outputs are not kept here: %s", ref)
	}
	text, err := env.Outputs.Text(ctx, ref)
	if err != nil {
		return page{}, err
	}
	return readPage(ctx, strings.NewReader(text), s)
}
