package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/search"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/risk"
)

// Hides reports whether a file on a target is none of a search's business,
// because it holds secrets or belongs to nod itself.
type Hides func(target, path string) bool

// searcher is what grep and glob have in common.
type searcher struct {
	guard  *guard.Guard
	hides  Hides
	bounds Bounds
}

// plan makes the action of a search: what is looked for stands in its Command.
func (s searcher) plan(ctx context.Context, env tools.Env, tool, target, folder string, what guard.Searched) (tools.Action, error) {
	a, err := locateAny(ctx, s.guard, env, target, folder)
	if err != nil {
		return tools.Action{}, err
	}
	err = s.complete(&a, tool, what)
	return a, err
}

// complete makes the action of a search of one on a path.
func (s searcher) complete(a *tools.Action, tool string, what guard.Searched) error {
	if err := s.bounds.read(a.Target, a.Path); err != nil {
		return err
	}
	if search.Kernel(a.Path) && what.Pattern == "" {
		return tools.Reject("system_folder", "%s is the kernel's and holds no files; look with run_shell and ls", a.Path)
	}
	if _, err := search.Compile(backends.Query{Root: a.Path, Names: what.Names, Pattern: what.Pattern}); err != nil {
		return tools.Invalid("%w", err)
	}
	command, err := json.Marshal(what)
	if err != nil {
		return tools.Failed("%s: %w", tool, err)
	}
	a.Tool, a.Kind, a.Command = tool, tools.Read, string(command)
	return nil
}

// limited is a limit as a call gives it, or the usual one.
func limited(given *int, usual, most int) (int, error) {
	switch {
	case given == nil:
		return usual, nil
	case *given < 1:
		return 0, tools.Invalid("limit counts from 1: %d", *given)
	}
	return min(*given, most), nil
}

// find carries a search out. It tells of what may be seen; hidden counts the
// files that may not.
func (s searcher) find(ctx context.Context, a tools.Action, env tools.Env, found func(backends.Hit) bool) (survey backends.Survey, hidden int, err error) {
	var last string
	var lastHidden bool
	survey, err = s.guard.Search(ctx, a, env.Grant, func(h backends.Hit) bool {
		if h.Path != last {
			last, lastHidden = h.Path, h.Path != a.Path && s.hidden(a.Target, h.Path)
			if lastHidden {
				hidden++
			}
		}
		return lastHidden || found(h)
	})
	return survey, hidden, err
}

// hidden reports whether a search leaves a file out: one that reading would not
// be plainly an observation of, and whatever the operator's policy hides.
func (s searcher) hidden(target, name string) bool {
	return !risk.ReadFile(name).Auto || s.hides != nil && s.hides(target, name)
}

// searched turns the error of a search into a Result.
func searched(ctx context.Context, err error, a tools.Action) (tools.Result, error) {
	switch {
	case errors.Is(err, backends.ErrNoSearch):
		return tools.Failure("no_search", fmt.Sprintf("%s cannot be searched: %v. Read single files with read_file.", a.Target, err)), nil
	case errors.Is(err, backends.ErrChanged):
		return tools.Failure("changed", fmt.Sprintf("%s leads elsewhere by now; look again and repeat the call", a.Path)), nil
	}
	r, err := outcome(ctx, err, a.Path)
	if p, ok := r.Value.(tools.Problem); ok && p.Code == "interrupted" {
		r = tools.Failure("interrupted", "interrupted; narrow the path or the file pattern if it took too long")
	}
	return r, err
}

// leftOut says what a search did not look at.
func leftOut(survey backends.Survey, hidden int) []string {
	var notices []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			notices = append(notices, "1 "+one)
		case n > 1:
			notices = append(notices, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(hidden, "match is in a file that may hold secrets and is left out", "files that may hold secrets are left out")
	add(survey.Binary, "binary file matches and is not shown", "binary files match and are not shown")
	add(survey.Unreadable, "file or folder could not be read", "files or folders could not be read")
	return notices
}

// shorter is a path below a folder, relative to it.
func shorter(name, folder string) string {
	if name == folder {
		return path.Base(name)
	}
	if folder == "/" {
		return name[1:]
	}
	return name[len(folder)+1:]
}
