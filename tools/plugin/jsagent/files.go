package jsagent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/files"
)

// mostText bounds a file that is read, in bytes.
const mostText = 2 << 20

type named struct{ Path string }

// file is a path as the code names it, if the agent has asked for it.
func (q ask) file(name string) (string, error) {
	full := q.at.abs(name)
	return full, q.Permissions.path(q.at, full)
}

// planned permits what was planned for a path that the agent has asked for: links may
// lead elsewhere.
func (q ask) planned(a tools.Action) error { return q.Permissions.path(q.at, a.Path) }

// readText reads a file, page by page.
func (q ask) readText(ctx context.Context, p named) (any, error) {
	name, err := q.file(p.Path)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for offset := 1; ; {
		var v files.ReadValue
		if err := q.call(ctx, "read_file", map[string]any{"path": name, "offset": offset}, &v, q.planned); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(v.Notices, func(n string) bool { return strings.Contains(n, "is cut") }) {
			return q.printed(ctx, name) // a line is longer than a page
		}
		text.WriteString(v.Content)
		if text.Len() > mostText {
			return nil, fmt.Errorf("%s has more than %d MiB", name, mostText>>20)
		}
		if v.LastLine < offset || v.TotalLines > 0 && v.LastLine >= v.TotalLines {
			return text.String(), nil
		}
		offset = v.LastLine + 1
	}
}

// printed is a file's text as a command prints it.
func (q ask) printed(ctx context.Context, name string) (any, error) {
	line := "cat -- " + word(name)
	v, err := q.own(ctx, line)
	switch {
	case err != nil:
		return nil, err
	case len(v.Notices) > 0:
		return nil, fmt.Errorf("%s: %s", name, v.Notices[0])
	}
	return v.Stdout, nil
}

// result is how a command of nod's own ended.
type result struct {
	Stdout  string
	Notices []string
	Code    int
}

// own runs a command that nod has written. Its exit status is an error if it is above 1.
func (q ask) own(ctx context.Context, line string, mutates ...bool) (result, error) {
	h := how{}
	if len(mutates) > 0 {
		h.Mutation = &mutates[0]
	}
	v, err := q.shell(ctx, line, h, exactly(line))
	if err != nil {
		return result{}, err
	}
	if v.ExitCode == nil {
		return result{}, fmt.Errorf("%s has not ended", line)
	}
	r := result{v.Stdout, v.Notices, *v.ExitCode}
	if r.Code > 1 || r.Code == 1 && v.Stderr != "" {
		return r, fmt.Errorf("%s", strings.TrimSpace(v.Stderr))
	}
	return r, nil
}

// writeText writes a file. One that is there is read first: write_file wants it.
func (q ask) writeText(ctx context.Context, p struct{ Path, Content string }) (any, error) {
	name, err := q.file(p.Path)
	if err != nil {
		return nil, err
	}
	args := map[string]any{"path": name, "content": p.Content}
	var v files.WriteValue
	err = q.call(ctx, "write_file", args, &v, q.planned)
	if err != nil && strings.Contains(err.Error(), "has not been read") {
		var seen files.ReadValue
		if err := q.call(ctx, "read_file", map[string]any{"path": name}, &seen, q.planned); err != nil {
			return nil, err
		}
		err = q.call(ctx, "write_file", args, &v, q.planned)
	}
	return nil, err
}

// listDir is the names in a folder, sorted; those of folders end with a slash.
func (q ask) listDir(ctx context.Context, p named) (any, error) {
	name, err := q.file(p.Path)
	if err != nil {
		return nil, err
	}
	v, err := q.own(ctx, "ls -1Ap -- "+word(name))
	if err != nil {
		return nil, err
	}
	names := strings.Split(strings.TrimSuffix(v.Stdout, "\n"), "\n")
	if v.Stdout == "" {
		names = []string{}
	}
	return names, nil
}

func (q ask) isDir(ctx context.Context, p named) (any, error) {
	name, err := q.file(p.Path)
	if err != nil {
		return nil, err
	}
	v, err := q.own(ctx, "test -d "+word(name))
	return v.Code == 0, err
}

func (q ask) mkdir(ctx context.Context, p named) (any, error) {
	name, err := q.file(p.Path)
	if err != nil {
		return nil, err
	}
	_, err = q.own(ctx, "mkdir -p -- "+word(name), true)
	return nil, err
}

func (q ask) cwd(context.Context, struct{}) (any, error) { return q.at.dir, nil }
