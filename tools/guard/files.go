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

// ExactFiles is implemented by the Files of targets that can tell where a path
// leads, and can go there and nowhere else.
type ExactFiles interface {
	// Resolve follows all symbolic links in an absolute path. Elements at its
	// end that do not exist stay as they are.
	Resolve(ctx context.Context, path string) (string, error)
	// OpenExact and WriteExact are Open and Write for a resolved path; a link
	// that has come into it meanwhile is backends.ErrChanged.
	OpenExact(ctx context.Context, path string) (backends.File, error)
	WriteExact(ctx context.Context, path string, data []byte, opt backends.WriteOptions) (backends.Info, error)
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
	if exact, ok := p.Target.Files().(ExactFiles); ok {
		return exact.Resolve(ctx, name)
	}
	return name, nil
}

// open opens a resolved path.
func open(ctx context.Context, p Place, name string) (backends.File, error) {
	if exact, ok := p.Target.Files().(ExactFiles); ok {
		return exact.OpenExact(ctx, name)
	}
	return p.Target.Files().Open(ctx, name)
}

// Present returns what the file at a resolved path holds that a write would
// replace, for the diff that the operator is shown. A missing file is the zero version and no error.
func (g *Guard) Present(ctx context.Context, target, name string) ([]byte, backends.Version, error) {
	p, err := g.place(target)
	if err != nil {
		return nil, backends.Version{}, err
	}
	f, err := open(ctx, p, name)
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

// Absent reports whether nothing has an absolute name, not even a link that leads
// nowhere. An error means that it is not known.
func (g *Guard) Absent(ctx context.Context, target, name string) (bool, error) {
	p, err := g.place(target)
	if err != nil {
		return false, err
	}
	dir, err := resolve(ctx, p, path.Dir(name))
	if err != nil {
		return false, err
	}
	leads, err := resolve(ctx, p, path.Clean(name))
	if err != nil || leads != path.Join(dir, path.Base(name)) {
		return false, err
	}
	_, err = p.Target.Files().Stat(ctx, leads)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return false, err
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
	return open(ctx, p, a.Path)
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
	if a, err = g.filled(a); err != nil {
		return backends.Info{}, err
	}
	opt := backends.WriteOptions{MakeDirs: true, Expect: &a.Expect}
	if exact, ok := p.Target.Files().(ExactFiles); ok {
		return exact.WriteExact(ctx, a.Path, a.Content, opt)
	}
	return p.Target.Files().Write(ctx, a.Path, a.Content, opt)
}

// leadsThere reports a link that has come into the path since it was resolved,
// and where it leads. What comes later still is found by open and WriteExact.
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
