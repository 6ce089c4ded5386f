package ledger

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nod-console/nod/agent/ledger/internal/private"
)

const spoolSuffix = ".spool"

// maxSpool bounds a file of the spool, in bytes.
const maxSpool = 64 << 20

// Spooled says that records could not be written before Close, and are kept for the
// next Open.
type Spooled struct {
	Path    string
	Records int
	Why     error
}

// Error implements error.
func (s *Spooled) Error() string {
	return fmt.Sprintf("ledger: %d records are kept in %s and go on record at the next start: %v", s.Records, s.Path, s.Why)
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (s *Spooled) Unwrap() error { return s.Why }

// setAside keeps what is pending in the spool, because of err, which it returns
// where it cannot.
func (l *Ledger) setAside(why error) error {
	all := []error{why}
	for _, dir := range l.spool {
		path := filepath.Join(dir, l.process+spoolSuffix)
		err := l.writeSpool(path)
		if err == nil {
			s := &Spooled{Path: path, Records: len(l.pending), Why: why}
			l.pending = nil
			return s
		}
		all = append(all, fmt.Errorf("ledger: keep what is not on record: %w", err))
	}
	return errors.Join(all...)
}

func (l *Ledger) writeSpool(path string) (err error) {
	if err := private.MakeDir(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := private.Open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	for _, b := range l.pending {
		text, err := b.encode()
		if err != nil {
			return err // keep and fail checked it: cannot be
		}
		if _, err := f.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return f.Sync()
}

// fetchSpool writes what earlier processes could not. A crash in the middle has
// notes go on record twice. The caller has caught up.
func (l *Ledger) fetchSpool() error {
	for _, dir := range l.spool {
		files, _ := filepath.Glob(filepath.Join(dir, "*"+spoolSuffix)) // a malformed pattern finds nothing
		if err := l.fetch(files); err != nil {
			return err
		}
		_ = os.Remove(dir) // another process may be about to use it
	}
	l.tail = nil
	return nil
}

func (l *Ledger) fetch(files []string) error {
	for _, path := range files {
		for _, b := range readSpool(path) {
			text, err := b.encode()
			if err != nil {
				return err
			}
			if _, open := l.open[b.Ref]; b.Type == TypeConclusion && !open || string(text) == string(l.tail) {
				continue // it reached the log
			}
			if err := l.put(text); err != nil {
				return err
			}
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("ledger: %w", err)
		}
	}
	return nil
}

// readSpool reads the records of a file. What is no record is left out: only this
// user can have written it.
func readSpool(path string) (found []body) {
	f, err := private.Open(path, os.O_RDONLY)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	if info, err := f.Stat(); err != nil || info.Size() > maxSpool {
		return nil
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, MaxRecord+1024)
	for lines.Scan() {
		var b body
		if json.Unmarshal(lines.Bytes(), &b) == nil && b.Type != TypeIntent && (b.Note == nil) != (b.Conclusion == nil) {
			found = append(found, b)
		}
	}
	return found
}
