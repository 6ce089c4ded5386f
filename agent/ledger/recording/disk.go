package recording

import (
	"errors"
	"io"
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

// create makes a new file and locks it for as long as it is open.
func (osDisk) create(path string) (file, error) {
	f, err := private.Open(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	// Who looks in this very instant whether the file is written has the lock for a
	// moment.
	if err := private.Flock(f, unix.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
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
