package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nod-console/nod/agent/ledger/internal/private"
)

// headsLen is the length of a file of heads, in bytes.
const headsLen = 256

// LossKind is the kind of the note that says that a part of the record, or one
// before it, is missing.
const LossKind = "loss"

// heads is a witness beside the ledger's folder: a file that has the last head,
// written over each time.
type heads struct {
	path string
	f    *os.File // nil until something is written
}

// headsOf is the file in a folder that keeps the heads of the ledger with a name.
func headsOf(dir, name string) *heads { return &heads{path: filepath.Join(dir, name)} }

// Tell implements [Witness].
func (w *heads) Tell(h Head) (err error) {
	if w.f == nil {
		if err := private.MakeDir(filepath.Dir(w.path)); err != nil {
			return err
		}
		if w.f, err = private.Open(w.path, os.O_RDWR|os.O_CREATE); err != nil {
			return err
		}
	}
	text := bytes.Repeat([]byte(" "), headsLen)
	copy(text, h.String())
	text[headsLen-1] = '\n'
	_, err = w.f.WriteAt(text, 0)
	return err
}

// Close implements [io.Closer].
func (w *heads) Close() error {
	if w.f == nil {
		return nil
	}
	f := w.f
	w.f = nil
	return f.Close()
}

// last is the head that was told last; nil if there is none that can be read.
func (w *heads) last(name string) (*known, error) {
	f, err := private.Open(w.path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	all, err := headsIn(f, name)
	if err != nil || len(all.seals) == 0 {
		return nil, err
	}
	return all, nil
}

// missing says what of the heads that are known the records up to end do not have;
// empty if nothing.
func (k *known) missing(where string, end uint64) string {
	switch {
	case k == nil:
		return ""
	case k.differs != 0:
		return fmt.Sprintf("record %d is another one than %s knows: the record was put back to an older state and went on from there", k.differs, where)
	case k.most > end:
		return fmt.Sprintf("records %d to %d are missing, which %s knows of: the record was put back to an older state", end+1, k.most, where)
	case k.root != "" && k.foreign:
		return fmt.Sprintf("its first epoch is another one than %s knows: the record was written anew", where)
	}
	return ""
}
