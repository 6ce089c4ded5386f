package docker

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	_ "embed"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// fileTools are the programs that an atomic write needs.
var fileTools = []string{"stat", "readlink", "mv", "ln", "sync", "sha256sum"}

// inline is how large a file is, in bytes, that comes over the channel; a larger
// one gets a program of its own.
const inline = 128 << 10

// files are a container's files, with the rights of its user. Where it has no
// shell, or does not run, they go through the engine's archive interface.
type files struct{ t *Target }

var _ backends.Files = (*files)(nil)

// errArchive says that only the archive interface is left, and why.
type errArchive struct{ why error }

func (e errArchive) Error() string { return e.why.Error() }

// way finds out how to get at the files: nil is by the shell.
func (f *files) way(ctx context.Context) error {
	l, err := f.t.alive(ctx)
	switch {
	case errors.Is(err, ErrStopped):
		return errArchive{err}
	case err != nil:
		return err
	case l.remote == nil:
		return errArchive{l.why}
	}
	for _, tool := range fileTools {
		if l.remote.about.tools[tool] == "" {
			return errArchive{fmt.Errorf("%w: it has no %s", ErrNoShell, tool)}
		}
	}
	return nil
}

// by does something in the way that there is.
func by[T any](ctx context.Context, f *files, op, name string, shell func() (T, error), archive func(a archive) (T, error)) (T, error) {
	var v T
	err := posix.CheckPath(ctx, name)
	if err == nil {
		err = f.way(ctx)
	}
	var left errArchive
	switch {
	case err == nil:
		v, err = shell()
	case errors.As(err, &left):
		v, err = archive(f.archive(left.why))
	}
	if err != nil {
		var zero T
		return zero, posix.PathError(op, name, err)
	}
	return v, nil
}

// Open implements [backends.Files].
func (f *files) Open(ctx context.Context, name string) (backends.File, error) {
	return by(ctx, f, "open", name, func() (backends.File, error) { return f.open(ctx, name, false) },
		func(a archive) (backends.File, error) { return a.open(ctx, name, false) })
}

// OpenExact is Open for a path that must not hold a link: one that has come
// into it meanwhile is backends.ErrChanged.
func (f *files) OpenExact(ctx context.Context, name string) (backends.File, error) {
	if err := posix.Clean(name); err != nil {
		return nil, posix.PathError("open", name, err)
	}
	return by(ctx, f, "open", name, func() (backends.File, error) { return f.open(ctx, name, true) },
		func(a archive) (backends.File, error) { return a.open(ctx, name, true) })
}

// openFile is an open regular file.
type openFile struct {
	io.Reader
	info  backends.Info
	close func() error
}

func (o *openFile) Info() backends.Info { return o.info }
func (o *openFile) Close() error        { return o.close() }

func (f *files) open(ctx context.Context, name string, exact bool) (backends.File, error) {
	a, err := f.t.ask(ctx, "nod_read", name, strconv.Itoa(inline), posix.Flag(exact, "exact"))
	if err != nil {
		return nil, err
	}
	line, content, ok := bytes.Cut(a.Stdout, []byte("\n"))
	info, err := described(name, string(line), ok, a)
	if err != nil {
		return nil, err
	}
	if info.Size <= inline && len(content) <= inline { // a file of the kernel's has more than its size
		return &openFile{Reader: bytes.NewReader(content), info: info, close: func() error { return nil }}, nil
	}
	return f.programs().Open(ctx, name, exact)
}

// described reads the line of a script that tells what a file is.
func described(name, line string, whole bool, a Answer) (backends.Info, error) {
	if !whole {
		return backends.Info{}, posix.ToolError(string(a.Stderr), backends.ExitedWith(a.Code))
	}
	return posix.Described(name, line)
}

// Stat implements [backends.Files].
func (f *files) Stat(ctx context.Context, name string) (backends.Info, error) {
	return by(ctx, f, "stat", name, func() (backends.Info, error) {
		a, err := f.t.ask(ctx, "nod_stat", name)
		if err != nil {
			return backends.Info{}, err
		}
		if a.Code != 0 {
			return backends.Info{}, posix.ToolError(string(a.Stderr), backends.ExitedWith(a.Code))
		}
		return posix.ParseInfo(name, string(a.Stdout))
	}, func(a archive) (backends.Info, error) { return a.stat(ctx, name) })
}

// List implements [backends.Files].
func (f *files) List(ctx context.Context, name string) ([]backends.Info, error) {
	infos, err := by(ctx, f, "list", name, func() ([]backends.Info, error) { return f.list(ctx, name) },
		func(a archive) ([]backends.Info, error) { return a.list(ctx, name) })
	slices.SortFunc(infos, func(a, b backends.Info) int { return cmp.Compare(a.Path, b.Path) })
	return infos, err
}

func (f *files) list(ctx context.Context, name string) ([]backends.Info, error) {
	a, err := f.t.ask(ctx, "nod_list", name)
	if err != nil {
		return nil, err
	}
	if a.Code != 0 {
		return nil, posix.ToolError(string(a.Stderr), backends.ExitedWith(a.Code))
	}
	names, facts, ok := strings.Cut("\x00"+string(a.Stdout), "\x00\x00")
	if !ok && string(a.Stdout) != "\x00" {
		return nil, fmt.Errorf("the container lists it as %q", a.Stdout)
	}
	var infos []backends.Info
	for n := range strings.SplitSeq(strings.TrimPrefix(names, "\x00"), "\x00") {
		if n == "" {
			continue
		}
		// Names may hold line feeds: each is expected where it has to be. One that
		// vanished in between has no facts.
		i := strings.Index(facts, " "+n+"\n")
		if i < 0 || strings.Contains(facts[:i], "\n") {
			continue
		}
		info, err := posix.ParseInfo(path.Join(name, n), facts[:i])
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
		facts = facts[i+len(n)+2:]
	}
	return infos, nil
}

// Resolve follows all symbolic links in an absolute path. Elements at its end
// that do not exist stay as they are, so that a write can be judged by the file
// that it would create.
func (f *files) Resolve(ctx context.Context, name string) (string, error) {
	return by(ctx, f, "resolve", name, func() (string, error) {
		a, err := f.t.ask(ctx, "nod_resolve", name)
		if err != nil {
			return "", err
		}
		if to, ok := strings.CutPrefix(string(a.Stdout), "ok "); ok && a.Code == 0 {
			return to, nil
		}
		if a.Code != 0 {
			return "", posix.ToolError(string(a.Stderr), backends.ExitedWith(a.Code))
		}
		return "", posix.WordError(strings.TrimSpace(string(a.Stdout)))
	}, func(a archive) (string, error) { return a.resolve(ctx, name) })
}

// Write implements [backends.Files].
func (f *files) Write(ctx context.Context, name string, data []byte, opt backends.WriteOptions) (backends.Info, error) {
	return f.write(ctx, name, data, opt, false)
}

// WriteExact is Write for a path that must not hold a link: one that has come
// into it meanwhile is backends.ErrChanged.
func (f *files) WriteExact(ctx context.Context, name string, data []byte, opt backends.WriteOptions) (backends.Info, error) {
	if err := posix.Clean(name); err != nil {
		return backends.Info{}, posix.PathError("write", name, err)
	}
	return f.write(ctx, name, data, opt, true)
}

func (f *files) write(ctx context.Context, name string, data []byte, opt backends.WriteOptions, exact bool) (backends.Info, error) {
	return by(ctx, f, "write", name, func() (backends.Info, error) { return f.programs().Write(ctx, name, data, opt, exact) },
		func(a archive) (backends.Info, error) { return a.write(ctx, name, data, opt, exact) })
}

// programs are the ways that need a program of their own for each file.
func (f *files) programs() posix.Files { return posix.Files{Shell: "sh", Exec: f.t.Exec, Drain: true} }

// What a write in a container may meet.
var (
	// ErrReadOnly: the file system is read-only, as containers' often are.
	ErrReadOnly = posix.ErrReadOnly
	// ErrMounted: the engine mounts this very file, as it does /etc/hosts.
	ErrMounted = posix.ErrMounted
)
