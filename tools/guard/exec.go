package guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools"
)

// Exec runs a's command line in a shell of its own, with a's standard input.
// The streams are as in [backends.Command]. a.Wait is the caller's to keep, by
// ending ctx.
func (g *Guard) Exec(ctx context.Context, a tools.Action, grant tools.Grant, stdout, stderr io.Writer) (backends.Process, error) {
	p, err := g.admit(tools.Exec, a, grant)
	if err != nil {
		return nil, err
	}
	if _, err := shellArgv(a.Dialect, a.Command); err != nil {
		return nil, fmt.Errorf("guard: %w: %w", ErrMalformed, err)
	}
	granted := a
	if a, err = g.filled(a); err != nil {
		return nil, err
	}
	argv, err := execArgv(a.Dialect, a.Command)
	if err != nil {
		return nil, fmt.Errorf("guard: %w: %w", ErrMalformed, err)
	}
	line, err := held(ctx, p, a, argv)
	if err != nil {
		return nil, err
	}
	c := backends.Command{Argv: line, Dir: a.Dir, Stdout: stdout, Stderr: stderr}
	if len(a.Stdin) > 0 {
		c.Stdin = bytes.NewReader(a.Stdin)
	}
	if err := g.redeem(granted, grant); err != nil {
		return nil, err
	}
	process, err := p.Target.Exec(ctx, c)
	if a.Wall != confine.None && errors.Is(err, fs.ErrNotExist) {
		// The helper is not there any more, and so nothing has run.
		p.Cage.Doubt()
		if c.Argv, err = held(ctx, p, a, argv); err == nil {
			process, err = p.Target.Exec(ctx, c)
		}
	}
	if errors.Is(err, backends.ErrUnsure) {
		return nil, fmt.Errorf("guard: %w", &UnsureError{err})
	}
	return process, err
}
