package ssh

import (
	"context"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// programs are the ways for what sftp has no words for: they need a program each.
func (f *files) programs() posix.Files { return posix.Files{Shell: "/bin/sh", Exec: f.c.Exec} }

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
	err := posix.CheckPath(ctx, name)
	if err == nil {
		var info backends.Info
		if info, err = f.programs().Write(ctx, name, data, opt, exact); err == nil {
			return info, nil
		}
	}
	return backends.Info{}, posix.PathError("write", name, err)
}

// OpenExact is Open for a path that must not hold a link: one that has come
// into it meanwhile is backends.ErrChanged.
func (f *files) OpenExact(ctx context.Context, name string) (backends.File, error) {
	err := posix.CheckPath(ctx, name)
	if err == nil {
		err = posix.Clean(name)
	}
	if err == nil {
		var file backends.File
		if file, err = f.programs().Open(ctx, name, true); err == nil {
			return file, nil
		}
	}
	return nil, posix.PathError("open", name, err)
}
