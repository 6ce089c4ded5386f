package local

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/pkg/xattr"
	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends"
)

// maxLinks is how many symbolic links in a row are followed, as in the kernel.
const maxLinks = 40

// maxTries bounds a write without Expect to a name that others keep changing.
const maxTries = 10

// Write implements [backends.Files].
func (f *files) Write(ctx context.Context, path string, data []byte, opt backends.WriteOptions) (backends.Info, error) {
	return f.writeVia(ctx, path, data, opt, openFolder)
}

// WriteExact is Write for a path that must not hold a link: one that has come
// into it meanwhile is backends.ErrChanged.
func (f *files) WriteExact(ctx context.Context, path string, data []byte, opt backends.WriteOptions) (backends.Info, error) {
	return f.writeVia(ctx, path, data, opt, openFolderExact)
}

// opener opens the folder that a write goes to and names the file in it.
type opener func(path string, makeDirs bool) (dir *os.File, base string, err error)

func (f *files) writeVia(ctx context.Context, path string, data []byte, opt backends.WriteOptions, open opener) (backends.Info, error) {
	if err := check(ctx, "write", path); err != nil {
		return backends.Info{}, err
	}
	info, err := write(ctx, path, data, opt, open)
	for try := 1; try < maxTries && opt.Expect == nil && errors.Is(err, backends.ErrChanged); try++ {
		info, err = write(ctx, path, data, opt, open) // somebody else was quicker; we only want to be last
	}
	if err != nil {
		return backends.Info{}, pathError("write", path, err)
	}
	return f.describe(path, info), nil
}

func openFolder(path string, makeMissing bool) (*os.File, string, error) {
	folder, base, err := finalName(path)
	if err != nil {
		return nil, "", err
	}
	if makeMissing {
		if err := makeDirs(folder); err != nil {
			return nil, "", err
		}
	}
	dir, err := os.OpenFile(folder, os.O_RDONLY|syscall.O_DIRECTORY, 0)
	return dir, base, err
}

func write(ctx context.Context, path string, data []byte, opt backends.WriteOptions, open opener) (fs.FileInfo, error) {
	dir, base, err := open(path, opt.MakeDirs)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // synced where that matters

	r := replacement{dir: dir, base: base}
	if err := r.lookAtOld(); err != nil {
		return nil, err
	}
	if err := r.create(opt.Mode == 0); err != nil {
		return nil, err
	}
	info, err := r.fill(data, opt.Mode)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = r.verify(opt.Expect)
	}
	if err == nil {
		err = r.rename()
	}
	if err != nil {
		r.remove()
		return nil, err
	}
	return info, dir.Sync()
}

// finalName follows the links at the end of path and returns the folder and
// the name that a write must replace. The name need not exist. Links within
// the folder's own path are the kernel's business.
func finalName(path string) (folder, base string, err error) {
	for range maxLinks {
		cut := strings.LastIndexByte(path, '/')
		folder, base = path[:cut+1], path[cut+1:]
		if base == "" || base == "." || base == ".." {
			return "", "", backends.ErrIsDirectory
		}
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return folder, base, nil
		case err != nil:
			return "", "", err
		case info.Mode()&fs.ModeSymlink == 0:
			return folder, base, regular(info.Mode())
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", "", err
		}
		if filepath.IsAbs(to) {
			path = to
		} else {
			path = folder + to // not cleaned: "x/.." is not "." where x is a link
		}
	}
	return "", "", syscall.ELOOP
}

// makeDirs creates missing folders, each one on disk before the next.
func makeDirs(folder string) error {
	folder = strings.TrimRight(folder, "/")
	if folder == "" {
		return nil
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := folder[:strings.LastIndexByte(folder, '/')+1]
	if err := makeDirs(parent); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	dir, err := os.Open(parent)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }() // synced before
	return dir.Sync()
}

// replacement is one atomic write on its way. All names are relative to dir,
// so that nothing that happens to the path can lead it elsewhere.
type replacement struct {
	dir  *os.File
	base string

	exists bool
	old    unix.Stat_t // the file that is replaced, if there is one

	tmp  string
	file *os.File
}

// lookAtOld learns what is to be kept, and refuses what must not be replaced.
func (r *replacement) lookAtOld() error {
	fd := int(r.dir.Fd())
	err := unix.Fstatat(fd, r.base, &r.old, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	r.exists = true
	switch r.old.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		return backends.ErrIsDirectory
	case unix.S_IFLNK: // it was none a moment ago
		return backends.ErrChanged
	default:
		return backends.ErrNotRegular
	}
	if r.old.Nlink > 1 {
		return fmt.Errorf("has %d hard links, which a replacement would separate", r.old.Nlink)
	}
	// The folder's rights alone would let a read-only file be replaced.
	return unix.Faccessat(fd, r.base, unix.W_OK, unix.AT_EACCESS)
}

// create opens the temporary file.
func (r *replacement) create(usualMode bool) error {
	var id [8]byte
	rand.Read(id[:]) // never fails: see crypto/rand.Read
	r.tmp = ".nod-" + hex.EncodeToString(id[:]) + ".tmp"
	mode := uint32(0o600) // nobody else reads what may be a secret
	if !r.exists && usualMode {
		mode = 0o644 // the kernel takes the umask off
	}
	const flags = unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(int(r.dir.Fd()), r.tmp, flags, mode)
	if err != nil {
		return err
	}
	r.file = os.NewFile(uintptr(fd), r.tmp)
	return nil
}

// fill puts the content, owner and mode on disk.
func (r *replacement) fill(data []byte, mode fs.FileMode) (fs.FileInfo, error) {
	if _, err := r.file.Write(data); err != nil {
		return nil, err
	}
	if err := r.dress(mode); err != nil {
		return nil, err
	}
	if err := r.file.Sync(); err != nil {
		return nil, err
	}
	info, err := r.file.Stat()
	if err != nil {
		return nil, err
	}
	return info, r.file.Close()
}

// dress gives the temporary file what the old one has, or the mode asked for.
// It comes after the content, since a write takes set-user-id bits and
// capabilities away, and a change of owner does, too.
func (r *replacement) dress(mode fs.FileMode) error {
	if !r.exists {
		if mode == 0 {
			return nil
		}
		return r.file.Chmod(mode)
	}
	var now unix.Stat_t
	if err := unix.Fstat(int(r.file.Fd()), &now); err != nil {
		return err
	}
	if now.Uid != r.old.Uid || now.Gid != r.old.Gid {
		if err := r.file.Chown(int(r.old.Uid), int(r.old.Gid)); err != nil {
			return fmt.Errorf("its owner (user %d, group %d) cannot be kept: %w", r.old.Uid, r.old.Gid, bare(err))
		}
	}
	if err := unix.Fchmod(int(r.file.Fd()), uint32(r.old.Mode)&0o7777); err != nil {
		return err
	}
	return r.keepAttributes()
}

// keepAttributes copies extended attributes: access control lists, security
// labels, the user's own. It comes after the mode, since a list refines it.
func (r *replacement) keepAttributes() error {
	attributes, err := r.attributes()
	if err != nil {
		return err
	}
	for name, value := range attributes {
		if err := xattr.FSet(r.file, name, value); err != nil {
			return fmt.Errorf("its attribute %s cannot be kept: %w", name, err)
		}
	}
	return nil
}

// readAttributes reads what list names. A file system without attributes has none.
func readAttributes(list func() ([]string, error), get func(string) ([]byte, error)) (map[string][]byte, error) {
	names, err := list()
	if errors.Is(err, unix.ENOTSUP) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	values := make(map[string][]byte, len(names))
	for _, name := range names {
		if values[name], err = get(name); err != nil {
			return nil, fmt.Errorf("its attribute %s cannot be read: %w", name, err)
		}
	}
	return values, nil
}

// verify compares what is there with what is expected.
func (r *replacement) verify(expect *backends.Version) error {
	if expect == nil {
		return nil
	}
	if !expect.Exists || !r.exists {
		if expect.Exists != r.exists {
			return backends.ErrChanged
		}
		return nil // rename refuses a file that has come meanwhile
	}
	const flags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
	fd, err := unix.Openat(int(r.dir.Fd()), r.base, flags, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ELOOP) {
		return backends.ErrChanged
	}
	if err != nil {
		return err
	}
	file := os.NewFile(uintptr(fd), r.base)
	defer func() { _ = file.Close() }() // opened for reading
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	var now unix.Stat_t
	if err := unix.Fstat(fd, &now); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != expect.SHA256 {
		return backends.ErrChanged
	}
	if !isSame(now, r.old) {
		return backends.ErrChanged // the same content, but another file or other rights
	}
	return nil
}

// isSame reports whether a file is the one that it was, with the rights that it had.
func isSame(now, old unix.Stat_t) bool {
	return now.Ino == old.Ino && now.Dev == old.Dev && now.Mode == old.Mode && now.Uid == old.Uid && now.Gid == old.Gid
}

// rename puts the new file in its place. Where none was, none may have come.
func (r *replacement) rename() error {
	fd := int(r.dir.Fd())
	if r.exists {
		return unix.Renameat(fd, r.tmp, fd, r.base)
	}
	err := renameNew(fd, r.tmp, r.base)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // some network file systems
		err = unix.Linkat(fd, r.tmp, fd, r.base, 0)
		if err == nil {
			r.remove()
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return backends.ErrChanged
	}
	return err
}

// remove takes the temporary file away. What remains if that fails is a hidden
// file that says whose it is.
func (r *replacement) remove() {
	_ = r.file.Close() // may be closed already
	_ = unix.Unlinkat(int(r.dir.Fd()), r.tmp, 0)
}
