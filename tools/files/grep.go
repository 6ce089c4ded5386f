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

// Limits of grep.
const (
	GrepLimit = 100   // matches, unless the call says otherwise
	GrepMost  = 1_000 // matches that a call can ask for
	// grepLine is how many characters of a line are returned.
	grepLine = 300
	// grepCharacters is how many are returned in all.
	grepCharacters = 16_000
)

//go:embed grep.md
var grepGuide string

// Grep is the tool grep.
type Grep struct {
	Guard  *guard.Guard
	Hides  Hides // nil: only what is secret by its name alone
	Bounds Bounds
	// Fleet finds the targets of a call for several; nil: there is one only.
	Fleet *fleet.Fleet
}

var (
	_ tools.Tool = (*Grep)(nil)
	_ tools.Many = (*Grep)(nil)
)

func (g *Grep) searcher() searcher { return searcher{g.Guard, g.Hides, g.Bounds} }

// Name implements [tools.Tool].
func (*Grep) Name() string { return "grep" }

// Description implements [tools.Tool].
func (g *Grep) Description() string {
	return spec.Brief(grepGuide, spec.If("targets", g.Fleet.Offered()))
}

// Guidance implements [tools.Documented].
func (*Grep) Guidance() string { return spec.Whole(grepGuide) }

// Parallelizable implements [tools.Tool].
func (*Grep) Parallelizable() bool { return true }

// InputSchema implements [tools.Tool].
func (g *Grep) InputSchema() map[string]any {
	return spec.Schema(several(g.Fleet, map[string]any{
		"pattern": spec.String(""),
		"path":    spec.String("absolute"),
		"include": spec.String(`names, "*.conf", or paths below the folder, "sites-*/**/*.conf"`),
		"limit":   spec.Count(1, fmt.Sprintf("lines: %d, at most %d", GrepLimit, GrepMost)),
		"target":  spec.Target(),
	}), "pattern", "path")
}

type grepArgs struct {
	Pattern *string `json:"pattern"`
	Path    *string `json:"path"`
	Include string  `json:"include"`
	Limit   *int    `json:"limit"`
	Target  string  `json:"target"`

	Targets fleet.Names `json:"targets"`
}

// Plan implements [tools.Tool].
func (g *Grep) Plan(ctx context.Context, raw json.RawMessage, env tools.Env) (tools.Action, error) {
	var args grepArgs
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	switch {
	case args.Pattern == nil:
		return tools.Action{}, spec.Missing("pattern")
	case args.Path == nil:
		return tools.Action{}, spec.Missing("path")
	case *args.Pattern == "":
		return tools.Action{}, tools.Invalid("pattern is empty: it would match every line; read files with read_file, list them with glob")
	}
	limit, err := limited(args.Limit, GrepLimit, GrepMost)
	if err != nil {
		return tools.Action{}, err
	}
	if args.Include != "" && !strings.Contains(args.Include, "/") {
		args.Include = "**/" + args.Include
	}
	what := guard.Searched{Names: args.Include, Pattern: *args.Pattern, Limit: limit}
	if args.Targets == nil {
		return g.searcher().plan(ctx, env, g.Name(), args.Target, *args.Path, what)
	}
	a, err := locateOn(ctx, g.Fleet, args.Targets, args.Target, *args.Path)
	if err != nil {
		return tools.Action{}, err
	}
	return all(a, func(a *tools.Action) error { return g.searcher().complete(a, g.Name(), what) })
}

// GrepValue is the Value of grep's Result.
type GrepValue struct {
	Path    string      `json:"path"`
	Matches []GrepMatch `json:"matches"`
	Notices []string    `json:"notices,omitempty"`
}

// GrepMatch is a line that matches.
type GrepMatch struct {
	File string `json:"file"` // relative to the folder
	Line int    `json:"line"` // from 1
	Text string `json:"text"`
}

// Execute implements [tools.Tool].
func (g *Grep) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	var what guard.Searched
	if err := json.Unmarshal([]byte(a.Command), &what); err != nil || what.Limit < 1 {
		return tools.Result{}, tools.Failed("grep: %q is not one of its own", a.Command)
	}
	began := env.Time()
	v := GrepValue{Path: a.Path, Matches: []GrepMatch{}}
	characters, more, cut, invalid := 0, false, false, false
	survey, hidden, err := g.searcher().find(ctx, a, env, func(h backends.Hit) bool {
		if len(v.Matches) == what.Limit || characters >= grepCharacters {
			more = true
			return false
		}
		text, omitted := tools.Head(h.Text, grepLine)
		if omitted > 0 {
			text += "…"
			cut = true
		}
		valid := strings.ToValidUTF8(text, "\uFFFD")
		invalid = invalid || valid != text
		m := GrepMatch{File: strings.ToValidUTF8(shorter(h.Path, a.Path), "\uFFFD"), Line: h.Line, Text: valid}
		v.Matches = append(v.Matches, m)
		characters += len(m.File) + len(m.Text)
		return true
	})
	if err != nil {
		return searched(ctx, err, a)
	}
	if more {
		last := v.Matches[len(v.Matches)-1]
		v.Notices = append(v.Notices, fmt.Sprintf("there are more matches, from %s line %d on: narrow pattern, path or include, or raise limit (at most %d)", last.File, last.Line+1, GrepMost))
	}
	if len(v.Matches) == 0 {
		v.Notices = append(v.Notices, "nothing matches")
	}
	if cut {
		v.Notices = append(v.Notices, fmt.Sprintf("lines are cut at %d characters (…): read them with read_file", grepLine))
	}
	if invalid {
		v.Notices = append(v.Notices, "bytes that are not UTF-8 are shown as \uFFFD")
	}
	v.Notices = append(v.Notices, leftOut(survey, hidden)...)
	return tools.Result{Value: v, Record: tools.Record{
		Outcome: backends.ExitedWith(0), Bytes: int64(characters), Truncated: more || cut, Duration: env.Time().Sub(began),
	}}, nil
}
