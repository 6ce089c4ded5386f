package local

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends"
)

// openExact opens a file for reading, following no link anywhere in its path.
func openExact(path string) (*os.File, error) {
	dir, base, err := walk(path, false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(dir) }() // a mere reference
	fd, err := unix.Openat(dir, base, openFlags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ELOOP) {
		return nil, backends.ErrChanged
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

// openFolderExact opens the folder of a file that is to be written, following
// no link on the way.
func openFolderExact(path string, makeDirs bool) (*os.File, string, error) {
	dir, base, err := walk(path, makeDirs)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = unix.Close(dir) }() // a mere reference
	fd, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, "", err
	}
	return os.NewFile(uintptr(fd), path), base, nil
}

// walk goes down from the root to the folder of path, one name at a time, and
// returns a descriptor that refers to it and the last name.
func walk(path string, makeDirs bool) (dir int, base string, err error) {
	names := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for _, n := range names {
		if n == "" || n == "." || n == ".." {
			return -1, "", errNotClean
		}
	}
	const flags = refer | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	dir, err = unix.Open("/", flags, 0)
	if err != nil {
		return -1, "", err
	}
	last := len(names) - 1
	for _, name := range names[:last] {
		next, err := unix.Openat(dir, name, flags, 0)
		if makeDirs && errors.Is(err, fs.ErrNotExist) {
			if err = makeDir(dir, name); err == nil {
				next, err = unix.Openat(dir, name, flags, 0)
			}
		}
		if err != nil {
			err = linkOr(dir, name, err)
			_ = unix.Close(dir) // a mere reference
			return -1, "", err
		}
		_ = unix.Close(dir) // a mere reference
		dir = next
	}
	return dir, names[last], nil
}

var errNotClean = errors.New("the path is not clean")

// makeDir makes a folder and has it on disk.
func makeDir(dir int, name string) error {
	if err := unix.Mkdirat(dir, name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	fd, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return errors.Join(unix.Fsync(fd), unix.Close(fd))
}

// linkOr tells a link from a file where a folder was needed: the kernel's error
// is the same.
func linkOr(dir int, name string, err error) error {
	if !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, syscall.ELOOP) {
		return err
	}
	var st unix.Stat_t
	if unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return backends.ErrChanged
	}
	return err
}
