package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
)

// locate begins an action on a file: who, where, and which file a path leads to.
func locate(ctx context.Context, g *guard.Guard, env tools.Env, target, name string) (tools.Action, error) {
	if strings.HasSuffix(name, "/") && path.IsAbs(name) {
		return tools.Action{}, tools.Reject("is_directory", "%q names a directory", name)
	}
	return locateAny(ctx, g, env, target, name)
}

// locateAny is locate for a path that may be a folder's.
func locateAny(ctx context.Context, g *guard.Guard, env tools.Env, target, name string) (tools.Action, error) {
	if target == "" {
		target = env.Target
	}
	about, err := g.About(target)
	if err != nil {
		return tools.Action{}, tools.Reject("no_target", "%v", err)
	}
	if err := named(name); err != nil {
		return tools.Action{}, err
	}
	real, err := g.Resolve(ctx, about.Target, name)
	if err != nil {
		code, message := explain(err, name)
		return tools.Action{}, tools.Reject(code, "%s", message)
	}
	return tools.Action{Target: about.Target, User: about.User, Path: real}, nil
}

// named finds a path that no target could have.
func named(name string) error {
	switch {
	case name == "":
		return tools.Invalid("path is empty")
	case strings.ContainsRune(name, 0):
		return tools.Invalid("path holds a zero byte: %q", name)
	case !path.IsAbs(name):
		return tools.Invalid("path %q is not absolute: give it from the root, without ~ and variables", name)
	}
	return nil
}

// explain puts an error of a file into a code and a sentence that says what to
// do next.
func explain(err error, name string) (code, message string) {
	var changed *guard.ChangedError
	switch {
	case errors.As(err, &changed):
		return "changed", fmt.Sprintf("nothing was done: %v. Look again and repeat the call.", changed)
	case errors.Is(err, backends.ErrChanged):
		return "changed_on_disk", fmt.Sprintf("%s changed on disk; nothing was written. Read it again with read_file, then repeat the write with what is new taken over.", name)
	case errors.Is(err, fs.ErrNotExist):
		return "not_found", fmt.Sprintf("there is no %s", name)
	case errors.Is(err, fs.ErrPermission):
		return "no_permission", fmt.Sprintf("no permission: %v", err)
	case errors.Is(err, backends.ErrIsDirectory):
		return "is_directory", fmt.Sprintf("%s is a directory; list it with run_shell and ls", name)
	case errors.Is(err, backends.ErrNotRegular):
		return "not_regular", fmt.Sprintf("%s is a device, a FIFO or a socket, not a regular file", name)
	case errors.Is(err, guard.ErrTooLarge):
		return "too_large", fmt.Sprintf("%v; use run_shell", err)
	}
	return "", err.Error()
}

// outcome turns the error of a guarded call into a Result, or into the error
// that the operator must hear of.
func outcome(ctx context.Context, err error, name string) (tools.Result, error) {
	switch {
	case errors.Is(err, tools.ErrNotGranted), errors.Is(err, guard.ErrMalformed):
		return tools.Result{}, tools.Denied("%s: %w", name, err)
	case ctx.Err() != nil:
		return tools.Failure("interrupted", fmt.Sprintf("interrupted; %s is as it was", name)), nil
	case errors.Is(err, guard.ErrNoTarget):
		return tools.Failure("no_target", err.Error()), nil
	}
	code, message := explain(err, name)
	return tools.Failure(code, message), nil
}
