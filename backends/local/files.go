package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"github.com/nod-console/nod/backends"
)

// files are this machine's files.
type files struct {
	owners sync.Map // user id (uint32) to name (string)
}

var _ backends.Files = (*files)(nil)

func newFiles() *files { return &files{} }

// Open implements [backends.Files]. The look before the open keeps devices
// untouched, since opening one can already do something (a watchdog starts, a
// tape rewinds); the non-blocking open and the second look are for the file
// that is exchanged in between.
func (f *files) Open(ctx context.Context, path string) (backends.File, error) {
	return f.openVia(ctx, path, os.Stat, func() (*os.File, error) {
		return os.OpenFile(path, openFlags, 0)
	})
}

// OpenExact is Open for a path that must not hold a link: one that has come
// into it meanwhile is backends.ErrChanged.
func (f *files) OpenExact(ctx context.Context, path string) (backends.File, error) {
	return f.openVia(ctx, path, os.Lstat, func() (*os.File, error) { return openExact(path) })
}

const openFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

func (f *files) openVia(ctx context.Context, path string, stat func(string) (fs.FileInfo, error), open func() (*os.File, error)) (backends.File, error) {
	if err := check(ctx, "open", path); err != nil {
		return nil, err
	}
	info, err := stat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		err = backends.ErrChanged
	}
	if err == nil {
		err = regular(info.Mode())
	}
	if err != nil {
		return nil, pathError("open", path, err)
	}
	file, err := open()
	if err != nil {
		return nil, pathError("open", path, err)
	}
	info, err = file.Stat()
	if err == nil {
		err = regular(info.Mode())
	}
	if err != nil {
		_ = file.Close() // opened for reading
		return nil, pathError("open", path, err)
	}
	return &openFile{File: file, info: f.describe(path, info)}, nil
}

// openFile is an open regular file.
type openFile struct {
	*os.File
	info backends.Info
}

func (o *openFile) Info() backends.Info { return o.info }

// Stat implements [backends.Files].
func (f *files) Stat(ctx context.Context, path string) (backends.Info, error) {
	if err := check(ctx, "stat", path); err != nil {
		return backends.Info{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return backends.Info{}, pathError("stat", path, err)
	}
	return f.describe(path, info), nil
}

// List implements [backends.Files]. An entry that disappears meanwhile is left
// out.
func (f *files) List(ctx context.Context, path string) ([]backends.Info, error) {
	if err := check(ctx, "list", path); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, pathError("list", path, err)
	}
	infos := make([]backends.Info, 0, len(entries))
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, pathError("list", path, err)
		default:
			infos = append(infos, f.describe(filepath.Join(path, e.Name()), info))
		}
	}
	return infos, nil
}

func (f *files) describe(path string, info fs.FileInfo) backends.Info {
	d := backends.Info{Path: path, Size: info.Size(), Mode: info.Mode(), ModTime: info.ModTime()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		d.Owner = f.owner(st.Uid)
	}
	return d
}

// owner is the name of a user, looked up once.
func (f *files) owner(uid uint32) string {
	if name, ok := f.owners.Load(uid); ok {
		return name.(string)
	}
	name := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(name); err == nil {
		name = u.Username
	}
	f.owners.Store(uid, name)
	return name
}

// check is what every file operation begins with.
func check(ctx context.Context, op, path string) error {
	if ctx.Err() != nil {
		return pathError(op, path, context.Cause(ctx))
	}
	if !filepath.IsAbs(path) {
		return pathError(op, path, errNotAbsolute)
	}
	return nil
}

var errNotAbsolute = errors.New("the path is not absolute")

// regular is the error for files that are not regular ones.
func regular(mode fs.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return backends.ErrIsDirectory
	}
	return backends.ErrNotRegular
}

// pathError wraps err once, whatever the system call was.
func pathError(op, path string, err error) error {
	return &fs.PathError{Op: op, Path: path, Err: bare(err)}
}

// bare is the cause within a *fs.PathError, for errors that name the path
// themselves.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
