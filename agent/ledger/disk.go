package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/agent/ledger/internal/private"
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
	// free is the space that is left for this user, in bytes. The error says that
	// nothing can be written whatever is left.
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

func (osDisk) syncDir(path string) error { return private.SyncDir(path) }

func (osDisk) free(path string) (int64, error) {
	if err := private.Takes(path); err != nil {
		return 0, err
	}
	return private.Free(path)
}

// openOwn opens a file that nobody else can touch.
func openOwn(path string, flag int) (*os.File, error) { return private.Open(path, flag) }

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

func flock(f *os.File, how int) error { return private.Flock(f, how) }
