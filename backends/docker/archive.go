package docker

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// archive is the engine's own way to a container's files. It is there for
// containers without a shell and for those that do not run, and for nothing
// else: see [Options.ArchiveWrites].
type archive struct {
	t   *Target
	why error // why there is no better way
}

func (f *files) archive(why error) archive { return archive{f.t, why} }

// maxList bounds what is read for a list of a folder: the engine sends all that
// is below it.
const maxList = 64 << 20

const maxLinks = 40 // in a row, as in the kernel

// find follows the links at the end of a path.
func (a archive) find(ctx context.Context, name string, exact bool) (string, PathStat, error) {
	for range maxLinks {
		s, err := a.t.engine.StatPath(ctx, a.t.id, name)
		if err != nil {
			return name, s, fileError(err)
		}
		if s.Mode&fs.ModeSymlink == 0 {
			return name, s, nil
		}
		if exact {
			return name, s, backends.ErrChanged
		}
		to := s.LinkTarget
		if !path.IsAbs(to) {
			to = path.Join(path.Dir(name), to)
		}
		name = to
	}
	return name, PathStat{}, syscall.ELOOP
}

// fileError takes the engine's "no such container", which it also says of files.
func fileError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNotFound):
		return fs.ErrNotExist
	case strings.Contains(err.Error(), "read-only"):
		return ErrReadOnly
	case strings.Contains(err.Error(), "not a directory"):
		return syscall.ENOTDIR
	}
	return err
}

// read begins to read an archive, of which the first entry is the path itself.
func (a archive) read(ctx context.Context, name string) (*tar.Header, *tar.Reader, io.Closer, error) {
	body, err := a.t.engine.CopyFrom(ctx, a.t.id, name)
	if err != nil {
		return nil, nil, nil, fileError(err)
	}
	r := tar.NewReader(body)
	h, err := r.Next()
	if err != nil {
		_ = body.Close() // opened for reading
		return nil, nil, nil, err
	}
	return h, r, body, nil
}

func (a archive) info(name string, h *tar.Header) backends.Info {
	i := backends.Info{Path: name, Size: h.Size, Mode: h.FileInfo().Mode(), ModTime: time.Unix(h.ModTime.Unix(), 0), Owner: h.Uname}
	if i.Owner == "" {
		i.Owner = strconv.Itoa(h.Uid)
	}
	if a.t.engine.About().Kind == Podman {
		i.Owner = "" // podman makes everything root's in its archives
	}
	return i
}

func (a archive) stat(ctx context.Context, name string) (backends.Info, error) {
	real, _, err := a.find(ctx, name, false)
	if err != nil {
		return backends.Info{}, err
	}
	h, _, body, err := a.read(ctx, real)
	if err != nil {
		return backends.Info{}, err
	}
	_ = body.Close() // opened for reading
	return a.info(name, h), nil
}

func (a archive) open(ctx context.Context, name string, exact bool) (backends.File, error) {
	real, s, err := a.find(ctx, name, exact)
	if err == nil {
		err = posix.Regular(s.Mode)
	}
	if err == nil && exact {
		err = a.leadsTo(ctx, real)
	}
	if err != nil {
		return nil, err
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx)) // a File outlives the call
	h, r, body, err := a.read(life, real)
	if err != nil {
		cancel()
		return nil, err
	}
	a.t.warn("%s is read through the engine, past the rights of the container's user: %v", name, a.why)
	return &openFile{Reader: r, info: a.info(name, h), close: func() error {
		cancel()
		return body.Close()
	}}, nil
}

// leadsTo reports a link on the way to a path.
func (a archive) leadsTo(ctx context.Context, name string) error {
	to, err := a.resolve(ctx, name)
	if err == nil && to != name {
		err = backends.ErrChanged
	}
	return err
}

func (a archive) resolve(ctx context.Context, name string) (string, error) {
	done, rest := "/", name
	for links := 0; rest != ""; {
		var n string
		n, rest, _ = strings.Cut(rest, "/")
		switch n {
		case "", ".":
			continue
		case "..":
			done = path.Dir(done)
			continue
		}
		next := path.Join(done, n)
		s, err := a.t.engine.StatPath(ctx, a.t.id, next)
		if err != nil && !errors.Is(fileError(err), fs.ErrNotExist) {
			return "", fileError(err)
		}
		if err != nil || s.Mode&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", syscall.ELOOP
		}
		if path.IsAbs(s.LinkTarget) {
			done = "/"
		}
		rest = s.LinkTarget + "/" + rest
	}
	return done, nil
}

func (a archive) list(ctx context.Context, name string) ([]backends.Info, error) {
	real, s, err := a.find(ctx, name, false)
	if err != nil {
		return nil, err
	}
	if !s.Mode.IsDir() {
		return nil, syscall.ENOTDIR
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	body, err := a.t.engine.CopyFrom(ctx, a.t.id, real)
	if err != nil {
		return nil, fileError(err)
	}
	defer func() { _ = body.Close() }() // opened for reading
	limited := &io.LimitedReader{R: body, N: maxList}
	r := tar.NewReader(limited)
	var infos []backends.Info
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) && limited.N > 0 {
			a.t.warn("%s is listed through the engine: %v", name, a.why)
			return infos, nil
		}
		if limited.N <= 0 {
			return nil, fmt.Errorf("there are more than %d MiB below it, which the engine would send (%w)", maxList>>20, a.why)
		}
		if err != nil {
			return nil, err
		}
		_, below, _ := strings.Cut(strings.TrimSuffix(path.Clean("/" + h.Name)[1:], "/"), "/")
		if real == "/" {
			below = path.Clean("/" + h.Name)[1:]
		}
		if below != "" && !strings.Contains(below, "/") {
			infos = append(infos, a.info(path.Join(name, below), h))
		}
	}
}

// write puts a file into the container and looks whether it has arrived.
func (a archive) write(ctx context.Context, name string, data []byte, opt backends.WriteOptions, exact bool) (backends.Info, error) {
	if !a.t.opt.ArchiveWrites {
		return backends.Info{}, fmt.Errorf("cannot be written atomically: %w", a.why)
	}
	if strings.HasSuffix(name, "/") {
		return backends.Info{}, backends.ErrIsDirectory
	}
	real, fresh, err := a.place(ctx, name, opt.Expect, exact)
	if err != nil {
		return backends.Info{}, err
	}
	h := &tar.Header{Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(data)), ModTime: time.Now()}
	if opt.Mode != 0 {
		h.Mode = int64(posix.UnixMode(opt.Mode))
	}
	if !fresh && a.t.engine.About().Kind == Podman {
		return backends.Info{}, fmt.Errorf("its owner, which podman's archives do not have, cannot be kept: %w", a.why)
	}
	if !fresh {
		old, _, body, err := a.read(ctx, real)
		if err != nil {
			return backends.Info{}, err
		}
		_ = body.Close() // opened for reading
		h.Mode, h.Uid, h.Gid = old.Mode, old.Uid, old.Gid
	}
	if err := a.put(ctx, real, data, h, opt.MakeDirs); err != nil {
		return backends.Info{}, err
	}
	a.t.warn("%s was written through the engine, not atomically: %v", name, a.why)
	if err := a.expect(ctx, real, false, ptr(backends.VersionOf(data))); err != nil {
		return backends.Info{}, fmt.Errorf("what was written is not there: %w", err)
	}
	return a.stat(ctx, name)
}

// place is where a file can be written, and whether there is none yet. The error says that it
// cannot be, or that something else is there than is expected.
func (a archive) place(ctx context.Context, name string, want *backends.Version, exact bool) (real string, fresh bool, err error) {
	real, s, err := a.find(ctx, name, exact)
	fresh = errors.Is(err, fs.ErrNotExist)
	if err == nil {
		err = posix.Regular(s.Mode)
	} else if fresh {
		err = nil
	}
	if err == nil && exact {
		err = a.leadsTo(ctx, real)
	}
	if err == nil {
		err = a.expect(ctx, real, fresh, want)
	}
	if err == nil {
		err = a.lasting(ctx, real)
	}
	return real, fresh, err
}

func ptr[T any](v T) *T { return &v }

// expect compares what is there with what is expected.
func (a archive) expect(ctx context.Context, name string, fresh bool, want *backends.Version) error {
	if want == nil {
		return nil
	}
	if want.Exists == fresh {
		return backends.ErrChanged
	}
	if fresh {
		return nil
	}
	_, r, body, err := a.read(ctx, name)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }() // opened for reading
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != want.SHA256 {
		return backends.ErrChanged
	}
	return nil
}

// lasting refuses places where the engine's archive would be lost or refused.
func (a archive) lasting(ctx context.Context, name string) error {
	c, err := a.t.engine.Inspect(ctx, a.t.id)
	if err != nil {
		return a.t.explain(ctx, err)
	}
	for _, v := range c.Volatile {
		if name == v || strings.HasPrefix(name, strings.TrimSuffix(v, "/")+"/") {
			return fmt.Errorf("%s is a file system in memory, where what the engine writes is lost: %w", v, a.why)
		}
	}
	if c.ReadOnly {
		return ErrReadOnly
	}
	return nil
}

// put sends one file, and the folders that it needs.
func (a archive) put(ctx context.Context, name string, data []byte, h *tar.Header, makeDirs bool) error {
	folder := path.Dir(name)
	var missing []string
	for makeDirs && folder != "/" {
		_, s, err := a.find(ctx, folder, false)
		if err == nil && !s.Mode.IsDir() {
			return syscall.ENOTDIR
		}
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		missing = append([]string{folder}, missing...)
		folder = path.Dir(folder)
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, d := range missing {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: below(folder, d) + "/", Mode: 0o755, ModTime: h.ModTime}); err != nil {
			return err
		}
	}
	h.Name = below(folder, name)
	err := w.WriteHeader(h)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return err
	}
	return fileError(a.t.engine.CopyTo(ctx, a.t.id, folder, &b))
}

func below(folder, name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, folder), "/")
}
