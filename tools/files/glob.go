package files

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

// Limits of glob.
const (
	GlobLimit = 500    // paths, unless the call says otherwise
	GlobMost  = 10_000 // paths that a call can ask for
	// globSeen is how many paths are looked at before a call is told to narrow
	// its pattern.
	globSeen = 200_000
	// globCharacters is how many characters are returned in all.
	globCharacters = 24_000
)

//go:embed glob.md
var globGuide string

// Glob is the tool glob.
type Glob struct {
	Guard  *guard.Guard
	Bounds Bounds
}

var _ tools.Tool = (*Glob)(nil)

func (g *Glob) searcher() searcher { return searcher{guard: g.Guard, bounds: g.Bounds} }

// Name implements [tools.Tool].
func (*Glob) Name() string { return "glob" }

// Description implements [tools.Tool].
func (*Glob) Description() string { return spec.Brief(globGuide) }

// Guidance implements [tools.Documented].
func (*Glob) Guidance() string { return spec.Whole(globGuide) }

// Parallelizable implements [tools.Tool].
func (*Glob) Parallelizable() bool { return true }

// InputSchema implements [tools.Tool].
func (*Glob) InputSchema() map[string]any {
	return spec.Schema(map[string]any{
		"pattern": spec.String(`below the folder: * ? [a-z] {a,b}, "**" goes through folders`),
		"path":    spec.String("absolute"),
		"limit":   spec.Count(1, fmt.Sprintf("paths: %d, at most %d", GlobLimit, GlobMost)),
		"target":  spec.Target(),
	}, "pattern", "path")
}

type globArgs struct {
	Pattern *string `json:"pattern"`
	Path    *string `json:"path"`
	Limit   *int    `json:"limit"`
	Target  string  `json:"target"`
}

// Plan implements [tools.Tool].
func (g *Glob) Plan(ctx context.Context, raw json.RawMessage, env tools.Env) (tools.Action, error) {
	var args globArgs
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	switch {
	case args.Pattern == nil:
		return tools.Action{}, spec.Missing("pattern")
	case args.Path == nil:
		return tools.Action{}, spec.Missing("path")
	case *args.Pattern == "":
		return tools.Action{}, tools.Invalid(`pattern is empty: "*" is everything in the folder`)
	}
	limit, err := limited(args.Limit, GlobLimit, GlobMost)
	if err != nil {
		return tools.Action{}, err
	}
	folder, pattern := fixed(*args.Path, *args.Pattern)
	return g.searcher().plan(ctx, env, g.Name(), args.Target, folder, guard.Searched{Names: pattern, Limit: limit})
}

// fixed moves the folders that a pattern spells out into the path, so that only
// they are looked through.
func fixed(folder, pattern string) (in, rest string) {
	for {
		name, more, ok := strings.Cut(pattern, "/")
		if !ok || name == "" || name == "." || name == ".." || strings.ContainsAny(name, `*?[{\`) {
			return folder, pattern
		}
		folder, pattern = path.Join(folder, name), more
	}
}

// GlobValue is the Value of glob's Result.
type GlobValue struct {
	Path    string   `json:"path"`
	Found   []string `json:"found"` // relative to the path, sorted; folders end with a slash
	Notices []string `json:"notices,omitempty"`
}

// Execute implements [tools.Tool].
func (g *Glob) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	var what guard.Searched
	if err := json.Unmarshal([]byte(a.Command), &what); err != nil || what.Limit < 1 {
		return tools.Result{}, tools.Failed("glob: %q is not one of its own", a.Command)
	}
	began := env.Time()
	var all []string
	flood := false
	survey, err := g.Guard.Search(ctx, a, env.Grant, func(h backends.Hit) bool {
		if len(all) == globSeen {
			flood = true
			return false
		}
		name := shorter(h.Path, a.Path)
		if h.Dir {
			name += "/"
		}
		all = append(all, strings.ToValidUTF8(name, "\uFFFD"))
		return true
	})
	if err != nil {
		return searched(ctx, err, a)
	}
	slices.Sort(all)
	v := GlobValue{Path: a.Path, Found: []string{}}
	characters := 0
	for _, name := range all {
		if len(v.Found) == what.Limit || characters >= globCharacters {
			break
		}
		v.Found = append(v.Found, name)
		characters += len(name)
	}
	more := len(all) - len(v.Found)
	switch {
	case flood:
		v.Notices = append(v.Notices, fmt.Sprintf("there are more than %d, and these need not be the first: narrow pattern or path", globSeen))
	case more > 0:
		v.Notices = append(v.Notices, fmt.Sprintf("%d more behind %s: narrow pattern or path, or raise limit (at most %d)", more, v.Found[len(v.Found)-1], GlobMost))
	case len(all) == 0:
		v.Notices = append(v.Notices, "nothing fits")
	}
	v.Notices = append(v.Notices, leftOut(survey, 0)...)
	return tools.Result{Value: v, Record: tools.Record{
		Outcome: backends.ExitedWith(0), Bytes: int64(characters), Truncated: flood || more > 0, Duration: env.Time().Sub(began),
	}}, nil
}
