// Package private opens files and folders that nobody else can read, change or
// put in place: what records are kept in.
//
// What belongs to somebody else, is open to others, or is reached through a
// link, is refused, and the error says which it is and, where there is one, the
// command that helps. Everything is safe for concurrent use.
package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Open opens a file with mode 0600 that belongs to this user, has one name and
// is not a link.
func Open(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		if errors.Is(err, unix.ELOOP) {
			return nil, fmt.Errorf("%s is a symbolic link: %w", path, err)
		}
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = Check(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Check says why a file or folder must not be trusted.
func Check(path string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return fmt.Errorf("%s: its owner cannot be learnt", path)
	case int(st.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to the user with id %d, not to the one with id %d", path, st.Uid, os.Geteuid())
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s is open to others (mode %04o); run: chmod go= '%s'", path, info.Mode().Perm(), path)
	case info.IsDir():
		return nil
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", path)
	case st.Nlink > 1:
		return fmt.Errorf("%s has %d names", path, st.Nlink)
	}
	return nil
}

// MakeDir creates dir (0700) or checks that it is this user's own folder.
func MakeDir(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return CheckDir(dir)
}

// CheckDir refuses a folder that is somebody else's, and one that is reached
// through a link which somebody else can turn.
func CheckDir(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link", dir)
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", dir)
	}
	if err := Check(dir, info); err != nil {
		return err
	}
	for at := filepath.Dir(dir); ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if info.Mode()&fs.ModeSymlink != 0 && (!ok || st.Uid != 0 && int(st.Uid) != os.Geteuid()) {
			return fmt.Errorf("%s is reached through %s, a symbolic link of somebody else", dir, at)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// SyncDir puts what was created, renamed or removed in a folder on disk.
func SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if closeErr := d.Close(); err == nil {
		err = closeErr
	}
	return err
}

// Unwritable reports whether an error says that a disk takes nothing now: it is
// read-only or full, or the rights are missing. All of it can change.
func Unwritable(err error) bool {
	return errors.Is(err, unix.EROFS) || errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, fs.ErrPermission)
}

// Free is the space that is left for this user, in bytes.
func Free(path string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, &fs.PathError{Op: "statfs", Path: path, Err: err}
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}

// Takes says why the file system of path takes no new file now: it is mounted
// read-only, or has no inode left. Nil means that nothing is known against it.
func Takes(path string) error {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return &fs.PathError{Op: "statfs", Path: path, Err: err}
	}
	switch {
	case uint64(s.Flags)&readOnlyMount != 0:
		return &fs.PathError{Op: "write", Path: path, Err: unix.EROFS}
	case s.Files > 0 && s.Ffree == 0:
		return fmt.Errorf("%s: no inode is left: %w", path, unix.ENOSPC)
	}
	return nil
}

// Flock takes or gives back an advisory lock on f.
func Flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			if err != nil {
				return &fs.PathError{Op: "flock", Path: f.Name(), Err: err}
			}
			return nil
		}
	}
}
