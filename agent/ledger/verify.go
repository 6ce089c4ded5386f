package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/agent/ledger/internal/private"
)

// ErrNone: there is no ledger in the folder.
var ErrNone = errors.New("there is no ledger")

// Report is what Verify found.
type Report struct {
	Records uint64 `json:"records"` // good ones, from the first on
	Head    string `json:"head"`    // the last good one's seal
	Bytes   int64  `json:"bytes"`
	Open    int    `json:"open"` // intents without a conclusion
}

// Verify proves the ledger in dir. The error is a *Fault that names the first
// bad record, or says why the ledger cannot be read; ErrNone if there is none.
// The Report counts what is good even then.
//
// It reads the log as it was when it started, while others go on appending.
func Verify(dir string) (Report, error) {
	open := map[string]string{}
	end, err := walk(dir, func(_ position, text []byte) error {
		track(open, text)
		return nil
	})
	return Report{Records: end.seq, Head: string(end.prev[:]), Bytes: end.size, Open: len(open)}, err
}

// Read calls fn for each record, in order, each proved before. It ends with
// fn's error, or with the *Fault of the first bad record, or nil.
func Read(dir string, fn func(Record) error) error {
	_, err := walk(dir, func(p position, text []byte) error {
		r, err := decode(p.seq, p.prev[:], text)
		if err != nil {
			return err
		}
		return fn(r)
	})
	return err
}

// walk proves the ledger in dir and calls fn for each good record.
func walk(dir string, fn func(position, []byte) error) (position, error) {
	s, err := snapshot(dir)
	if err != nil {
		return start(), fmt.Errorf("ledger: read %q: %w", dir, err)
	}
	defer s.log.Close() //nolint:errcheck // opened for reading only
	if s.headErr != nil {
		return start(), s.headErr
	}
	end, reached, err := s.seal.follow(s.log, start(), s.head, s.size, fn)
	if fault := judge(end, s.head, reached, err); fault != nil {
		return end, fault
	}
	return end, err
}

// view is a ledger at a moment when nobody appended.
type view struct {
	seal    *sealer
	log     file
	size    int64
	head    position
	headErr error
}

func snapshot(dir string) (v view, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return v, err
	}
	if _, err := os.Lstat(filepath.Join(dir, lockFile)); errors.Is(err, fs.ErrNotExist) {
		return v, ErrNone
	}
	if err := private.CheckDir(dir); err != nil {
		return v, err
	}
	lock, err := openOwn(filepath.Join(dir, lockFile), os.O_RDONLY)
	if err != nil {
		return v, err
	}
	defer lock.Close() //nolint:errcheck // opened for reading only; this also releases it
	if err := acquire(context.Background(), lock, unix.LOCK_SH); err != nil {
		return v, err
	}
	d := osDisk{}
	key, err := readKey(d, dir)
	if err != nil {
		return v, err
	}
	v.seal = newSealer(key)
	v.head, v.headErr = v.seal.readHead(d, filepath.Join(dir, headFile))
	v.log, err = d.open(filepath.Join(dir, logFile), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return v, &Fault{Record: 1, Reason: "the log is missing"}
	}
	if err != nil {
		return v, err
	}
	info, err := v.log.Stat()
	if err != nil {
		return v, errors.Join(err, v.log.Close())
	}
	v.size = info.Size()
	return v, nil
}
