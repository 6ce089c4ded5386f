package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// file is what the ledger needs of an open file.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
}

// disk is every operation that can fail for want of a working disk, so that
// tests can make each of them fail.
type disk interface {
	open(path string, flag int) (file, error)
	rename(from, to string) error
	syncDir(path string) error
	stat(path string) (fs.FileInfo, error)
	// free is the space that is left for this user, in bytes.
	free(path string) (int64, error)
}

type osDisk struct{}

func (osDisk) open(path string, flag int) (file, error) {
	f, err := openOwn(path, flag)
	if err != nil {
		return nil, err // not a nil *os.File in an interface
	}
	return f, nil
}

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }

func (osDisk) stat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

func (osDisk) syncDir(path string) error {
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

func (osDisk) free(path string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, &fs.PathError{Op: "statfs", Path: path, Err: err}
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}

// openOwn opens a file with mode 0600 that belongs to this user, has one name
// and is not a link.
func openOwn(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		if errors.Is(err, unix.ELOOP) {
			return nil, fmt.Errorf("%s is a symbolic link: %w", path, err)
		}
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = private(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// private says why a file must not be trusted with the ledger.
func private(path string, info fs.FileInfo) error {
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

// makeDir creates dir (0700) or checks that it is this user's own folder.
func makeDir(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return checkDir(dir)
}

// checkDir refuses a folder that is somebody else's, and one that is reached
// through a link which somebody else can turn.
func checkDir(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link", dir)
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", dir)
	}
	if err := private(dir, info); err != nil {
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

// lockWait bounds the wait for another process that appends, which takes
// milliseconds; only a stopped one takes longer.
const lockWait = 5 * time.Second

// acquire takes the advisory lock on f, exclusive or shared.
func acquire(ctx context.Context, f *os.File, how int) error {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	pause := 200 * time.Microsecond
	for {
		err := flock(f, how|unix.LOCK_NB)
		if err == nil || !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("ledger: another process holds %s: %w", f.Name(), ctx.Err())
		case <-time.After(pause):
		}
		pause = min(2*pause, 20*time.Millisecond)
	}
}

func release(f *os.File) error { return flock(f, unix.LOCK_UN) }

func flock(f *os.File, how int) error {
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
