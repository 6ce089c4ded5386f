package history

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// errFolder: the folder must not be trusted with the history.
var errFolder = errors.New("the folder cannot be used")

// makeFolder makes dir (0700), or checks that it is this user's own folder.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%w: %s is not a folder, but %s", errFolder, dir, info.Mode().Type())
	case !ok || int(st.Uid) != os.Geteuid():
		return fmt.Errorf("%w: %s belongs to another user", errFolder, dir)
	case info.Mode().Perm()&0o077 != 0:
		return os.Chmod(dir, 0o700)
	}
	return nil
}

// holdDoor makes one process at a time open or close the database. SQLite takes
// exclusive locks when the first one enters and when the last one leaves, and
// answers "busy" at once then, whatever the busy time-out.
func holdDoor(dir string) (release func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, "door"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f, unix.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil // closing unlocks, and nothing was written
}

const livePrefix = "live-"

// holder is the proof that this process is alive: a file that it keeps locked.
type holder struct {
	id   string
	file *os.File
}

// newHolder makes one, and clears away those of dead processes.
func newHolder(dir string) (*holder, error) {
	removeDead(dir)
	id := rand.Text()
	path := filepath.Join(dir, livePrefix+id)
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
		if err != nil {
			return nil, err
		}
		h := &holder{id: id, file: f}
		if err := lock(f, unix.LOCK_EX|unix.LOCK_NB); err == nil && h.inPlace(path) {
			return h, nil
		} else if err != nil && !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errors.Join(err, f.Close())
		}
		// Another process took the file for a dead one's just before the lock.
		_ = f.Close() // nothing was written
	}
}

func (h *holder) inPlace(path string) bool {
	mine, err := h.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(mine, there)
}

func (h *holder) release() error {
	return errors.Join(os.Remove(h.file.Name()), h.file.Close())
}

// alive reports whether the process with that id still runs.
func alive(dir, id string) bool {
	if id == "" {
		return false
	}
	f, err := os.Open(filepath.Join(dir, livePrefix+filepath.Base(id)))
	if err != nil {
		// A file that is there but cannot be asked may be a living one's.
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer func() { _ = f.Close() }() // nothing was written
	return lock(f, unix.LOCK_SH|unix.LOCK_NB) != nil
}

func removeDead(dir string) {
	paths, err := filepath.Glob(filepath.Join(dir, livePrefix+"*"))
	if err != nil {
		return // only a malformed pattern; leftovers do no harm
	}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		if lock(f, unix.LOCK_EX|unix.LOCK_NB) == nil {
			_ = os.Remove(path) // a leftover does no harm
		}
		_ = f.Close() // nothing was written
	}
}

func lock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
