package files

import (
	"bytes"
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

//go:embed edit_file.md
var editFileGuide string

// EditFile is the tool edit_file. Its action is that of write_file with the
// whole new content: what the operator approves is what the file will hold.
type EditFile struct {
	Guard *guard.Guard
	Seen  *Seen // the same as read_file's
	// Keeper keeps what an edit replaces; without it nothing is written. Nil: it
	// cannot be taken back.
	Keeper Keeper
	Bounds Bounds
}

var _ tools.Tool = (*EditFile)(nil)

func (e *EditFile) overwriter() overwriter { return overwriter{e.Guard, e.Seen, e.Keeper, e.Bounds} }

// Name implements [tools.Tool].
func (*EditFile) Name() string { return "edit_file" }

// Description implements [tools.Tool].
func (*EditFile) Description() string { return spec.Brief(editFileGuide) }

// Guidance implements [tools.Documented].
func (*EditFile) Guidance() string { return spec.Whole(editFileGuide) }

// Parallelizable implements [tools.Tool].
func (*EditFile) Parallelizable() bool { return false }

// InputSchema implements [tools.Tool].
func (*EditFile) InputSchema() map[string]any {
	return spec.Schema(spec.Acting(map[string]any{
		"path":        spec.String("absolute"),
		"old_text":    spec.String(""),
		"new_text":    spec.String(""),
		"replace_all": spec.Bool(""),
		"edits": map[string]any{
			"type":        "array",
			"items":       map[string]any{"type": "object"},
			"description": "several {old_text, new_text, replace_all}, all or none",
		},
		"target": spec.Target(),
	}), spec.ClaimNames("path")...)
}

type editArgs struct {
	Path   *string `json:"path"`
	Edits  []edit  `json:"edits"`
	Target string  `json:"target"`
	edit
	spec.Claim
}

// edit is one replacement.
type edit struct {
	OldText    *string `json:"old_text"`
	NewText    *string `json:"new_text"`
	ReplaceAll bool    `json:"replace_all"`
}

// check finds what no file could be edited by. The error is that of a plan.
func (e edit) check() error {
	switch {
	case e.OldText == nil:
		return spec.Missing("old_text")
	case e.NewText == nil:
		return spec.Missing("new_text")
	case *e.OldText == "":
		return tools.Reject("empty_old_text", "old_text is empty: give the text to replace, or use write_file for a new file")
	case *e.OldText == *e.NewText:
		return tools.Reject("no_change", "old_text and new_text are the same: nothing would change")
	}
	return nil
}

// all are the edits of a call, each of which is possible in some file.
func (a editArgs) all() ([]edit, error) {
	if len(a.Edits) == 0 {
		return []edit{a.edit}, a.check()
	}
	if a.OldText != nil || a.NewText != nil || a.ReplaceAll {
		return nil, tools.Invalid("edits stands for old_text, new_text and replace_all: put all replacements into edits")
	}
	for i, e := range a.Edits {
		if err := e.check(); err != nil {
			return nil, ofEdit(i, len(a.Edits), err)
		}
	}
	return a.Edits, nil
}

// ofEdit says of which edit an error is, where there are several.
func ofEdit(i, n int, err error) error {
	if n == 1 {
		return err
	}
	var rejected *tools.Rejection
	if errors.As(err, &rejected) {
		if p, ok := rejected.Result.Value.(tools.Problem); ok {
			return tools.Reject(p.Code, "edit %d of %d: %s. No edit was made", i+1, n, p.Error)
		}
	}
	var invalid *tools.Error
	if errors.As(err, &invalid) {
		return tools.Invalid("edit %d of %d: %s", i+1, n, invalid.Message)
	}
	return err
}

// Plan implements [tools.Tool].
func (e *EditFile) Plan(ctx context.Context, raw json.RawMessage, env tools.Env) (tools.Action, error) {
	var args editArgs
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	if args.Path == nil {
		return tools.Action{}, spec.Missing("path")
	}
	edits, err := args.all()
	if err != nil {
		return tools.Action{}, err
	}
	claim, err := args.Check()
	if err != nil {
		return tools.Action{}, err
	}
	a, err := locate(ctx, e.Guard, env, args.Target, *args.Path)
	if err != nil {
		return tools.Action{}, err
	}
	a.Tool, a.Claim = e.Name(), claim
	return e.overwriter().plan(ctx, a, func(old []byte, exists bool) ([]byte, error) {
		if !exists {
			return nil, tools.Reject("not_found", "there is no %s: create it with write_file", a.Path)
		}
		return replaceAll(a.Path, old, edits)
	})
}

// Execute implements [tools.Tool].
func (e *EditFile) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	return e.overwriter().execute(ctx, a, env)
}

// replaceAll makes a file's new content by edits that follow each other. The error is a
// rejection.
func replaceAll(name string, content []byte, edits []edit) ([]byte, error) {
	old := content
	for i, e := range edits {
		var err error
		if content, err = replace(name, content, *e.OldText, *e.NewText, e.ReplaceAll); err != nil {
			return nil, ofEdit(i, len(edits), err)
		}
	}
	if bytes.Equal(old, content) {
		return nil, tools.Reject("no_change", "the edits undo each other: nothing would change")
	}
	return content, nil
}

// replace makes the content after one edit. The error is a rejection.
func replace(name string, content []byte, old, new string, all bool) ([]byte, error) {
	if bytes.IndexByte(content, 0) >= 0 {
		return nil, tools.Reject("binary", "%s is a binary file; it cannot be edited as text", name)
	}
	old, new = lineEndings(content, old, new)
	switch n := bytes.Count(content, []byte(old)); {
	case n == 0:
		return nil, tools.Reject("not_found", "old_text does not occur in %s%s", name, hint(content, old))
	case n > 1 && !all:
		return nil, tools.Reject("ambiguous", "old_text occurs %d times in %s (%s): take in more of what stands around the one that is meant, or set replace_all", n, name, places(content, old, n))
	case old == new:
		return nil, tools.Reject("no_change", "old_text and new_text differ in line endings alone, and those of %s are kept: nothing would change", name)
	}
	return bytes.ReplaceAll(content, []byte(old), []byte(new)), nil
}

// lineEndings gives both texts the line endings of the file: models write a line
// feed where the file has a carriage return before it, and the other way round.
// Of a file that has both, they are those of the text that stands there.
func lineEndings(content []byte, old, new string) (asThere, asWell string) {
	feeds := bytes.Count(content, []byte("\n"))
	returns := bytes.Count(content, []byte("\r\n"))
	plain := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	dos := func(s string) string { return strings.ReplaceAll(plain(s), "\n", "\r\n") }
	switch {
	case feeds > 0 && returns == feeds:
		return dos(old), dos(new)
	case returns == 0 && feeds > 0:
		return plain(old), plain(new)
	case bytes.Contains(content, []byte(old)):
		return old, new
	case bytes.Contains(content, []byte(dos(old))):
		return dos(old), dos(new)
	case bytes.Contains(content, []byte(plain(old))):
		return plain(old), plain(new)
	}
	return old, new
}

// places says in which lines a text begins that occurs n times.
func places(content []byte, text string, n int) string {
	const most = 5
	var lines []string
	at := 0
	for range min(n, most) {
		at += bytes.Index(content[at:], []byte(text))
		lines = append(lines, fmt.Sprint(1+bytes.Count(content[:at], []byte("\n"))))
		at += len(text)
	}
	word := "lines "
	if n > most {
		return word + strings.Join(lines, ", ") + ", …"
	}
	return word + strings.Join(lines, ", ")
}

// placeholder is how stand-ins for secrets begin.
const placeholder = "⟦secret:"

// hint says why a text may not have been found.
func hint(content []byte, old string) string {
	if strings.Contains(old, placeholder) {
		return ": a placeholder stands for a secret, which is there in its place; choose the text around it"
	}
	first, _, _ := strings.Cut(strings.TrimSpace(old), "\n")
	wanted := strings.Join(strings.Fields(first), " ")
	n := 0
	for line := range bytes.Lines(content) {
		n++
		if wanted != "" && strings.Contains(strings.Join(strings.Fields(string(line)), " "), wanted) {
			return fmt.Sprintf(": line %d is similar; blanks, tabs and what follows must be the same, too. Read the file again", n)
		}
	}
	return ": read the file again and copy the text from there"
}
