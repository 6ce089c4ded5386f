package recording

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/agent/ledger/internal/private"
)

// file is what a recorder needs of its open file.
type file interface {
	io.WriterAt
	io.Closer
	Sync() error
	Truncate(size int64) error
	// there reports whether the file still has a name.
	there() (bool, error)
}

// disk is every operation that can fail for want of a working disk, so that
// tests can make each of them fail.
type disk interface {
	create(path string) (file, error)
	free(path string) (int64, error)
}

type osDisk struct{}

// draft ends the name of a file that is not locked yet. It makes it no recording.
const draft = ".new"

// create makes a new file that is locked for as long as it is open. It is locked before it
// has its name: who finds it there finds it written.
func (osDisk) create(path string) (file, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	f, err := private.Open(path+draft, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	err = private.Flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		err = os.Rename(path+draft, path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path+draft))
	}
	return osFile{f}, nil
}

func (osDisk) free(path string) (int64, error) { return private.Free(path) }

type osFile struct{ *os.File }

func (f osFile) there() (bool, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return false, err
	}
	return st.Nlink > 0, nil
}
