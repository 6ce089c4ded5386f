package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
)

// MaxPresent is the size up to which [Guard.Present] reads a file.
const MaxPresent = 16 << 20

// ErrTooLarge is the error of Present for a larger file.
var ErrTooLarge = errors.New("the file is too large")

// Resolver is implemented by the Files of targets that can tell where a path
// leads.
type Resolver interface {
	// Resolve follows all symbolic links in an absolute path. Elements at its
	// end that do not exist stay as they are.
	Resolve(ctx context.Context, path string) (string, error)
}

// Resolve says which file a path leads to now: clean, and with all links
// followed where the target can do that. It is for planning: an action names
// the file itself, so that rules and the operator judge what is touched.
func (g *Guard) Resolve(ctx context.Context, target, name string) (string, error) {
	p, err := g.place(target)
	if err != nil {
		return "", err
	}
	return resolve(ctx, p, path.Clean(name))
}

func resolve(ctx context.Context, p Place, name string) (string, error) {
	if r, ok := p.Target.Files().(Resolver); ok {
		return r.Resolve(ctx, name)
	}
	return name, nil
}

// Present returns what a file holds that a write would replace, for the diff
// that the operator is shown. A missing file is the zero version and no error.
func (g *Guard) Present(ctx context.Context, target, name string) ([]byte, backends.Version, error) {
	p, err := g.place(target)
	if err != nil {
		return nil, backends.Version{}, err
	}
	f, err := p.Target.Files().Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, backends.Version{}, nil
	}
	if err != nil {
		return nil, backends.Version{}, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	if f.Info().Size > MaxPresent {
		return nil, backends.Version{}, fmt.Errorf("%q: %w: %d bytes, the limit is %d", name, ErrTooLarge, f.Info().Size, MaxPresent)
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxPresent+1))
	if err != nil {
		return nil, backends.Version{}, err
	}
	if len(data) > MaxPresent {
		return nil, backends.Version{}, fmt.Errorf("%q: %w: over %d bytes", name, ErrTooLarge, MaxPresent)
	}
	return data, backends.VersionOf(data), nil
}

// Open opens the file that a names for reading.
func (g *Guard) Open(ctx context.Context, a tools.Action, grant tools.Grant) (backends.File, error) {
	p, err := g.admit(tools.Read, a, grant)
	if err != nil {
		return nil, err
	}
	if a.Path == "" {
		return nil, fmt.Errorf("guard: %w: a pane where a file is opened", ErrMalformed)
	}
	if err := leadsThere(ctx, p, a.Path); err != nil {
		return nil, err
	}
	return p.Target.Files().Open(ctx, a.Path)
}

// Write writes a's content, if the file still is what a expects
// (backends.ErrChanged otherwise). Missing folders are made.
func (g *Guard) Write(ctx context.Context, a tools.Action, grant tools.Grant) (backends.Info, error) {
	p, err := g.admit(tools.Write, a, grant)
	if err != nil {
		return backends.Info{}, err
	}
	if err := leadsThere(ctx, p, a.Path); err != nil {
		return backends.Info{}, err
	}
	if err := g.redeem(a, grant); err != nil {
		return backends.Info{}, err
	}
	expect := a.Expect
	return p.Target.Files().Write(ctx, a.Path, a.Content, backends.WriteOptions{MakeDirs: true, Expect: &expect})
}

// leadsThere reports a link that has come into the path since it was resolved.
func leadsThere(ctx context.Context, p Place, name string) error {
	now, err := resolve(ctx, p, name)
	if err != nil {
		return err
	}
	if now != name {
		return fmt.Errorf("guard: %w", &ChangedError{"where the path leads", name, now})
	}
	return nil
}
