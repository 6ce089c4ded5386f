package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// durable is a disk that loses, with the power, whatever was not fsynced: content of
// files, and names of folders.
type durable struct {
	osDisk
	content map[string][]byte            // by the file, as it was fsynced last
	names   map[string]map[string]string // by the folder, as it was fsynced last
}

func newDurable() *durable {
	return &durable{content: map[string][]byte{}, names: map[string]map[string]string{}}
}

// id names a file whatever it is called.
func id(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	return inode(info), nil
}

func (d *durable) open(path string, flag int) (file, error) {
	f, err := d.osDisk.open(path, flag)
	if err != nil {
		return nil, err
	}
	return durableFile{f, d, path}, nil
}

func (d *durable) syncDir(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, e := range entries {
		if n, err := id(filepath.Join(path, e.Name())); err == nil {
			names[e.Name()] = n
		}
	}
	d.names[path] = names
	return d.osDisk.syncDir(path)
}

type durableFile struct {
	file
	d    *durable
	path string
}

func (f durableFile) Sync() error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	text := make([]byte, info.Size())
	if _, err := f.ReadAt(text, 0); err != nil && len(text) > 0 {
		return err
	}
	f.d.content[inode(info)] = text
	return f.file.Sync()
}

// cut takes the power away: what is in from is written to to as it is on disk.
func (d *durable) cut(t *testing.T, from, to string) {
	t.Helper()
	must(t, os.MkdirAll(to, 0o700))
	for name, file := range d.names[from] {
		must(t, os.WriteFile(filepath.Join(to, name), d.content[file], 0o600))
	}
}

// TestAPowerCutLosesNothingThatWasAcknowledged: after each record, what is really on
// disk is a ledger that holds and has it.
func TestAPowerCutLosesNothingThatWasAcknowledged(t *testing.T) {
	dir := folder(t)
	d := newDurable()
	l, err := Open(dir, Options{disk: d})
	must(t, err)
	var refs []Ref
	after := func() {
		t.Helper()
		found := filepath.Join(t.TempDir(), "ledger")
		d.cut(t, dir, found)
		var fault *Fault
		if _, err := Verify(found, ""); err != nil && (!errors.As(err, &fault) || !fault.Recoverable) {
			t.Fatalf("after %d records: %v", len(refs), err)
		}
		again, err := Open(found, Options{})
		must(t, err)
		must(t, again.Healthy())
		must(t, again.Close())
		verified(t, found)
		got := outcomes(t, found)
		for _, ref := range refs {
			if _, there := got[ref.ID]; !there {
				t.Fatalf("%s was acknowledged, and is gone", ref.ID)
			}
		}
	}
	after()
	for range sealEvery + 2 {
		refs = append(refs, intend(t, l, "true"))
		if len(refs) < 4 || len(refs) >= sealEvery {
			after()
		}
	}
	must(t, l.Conclude(refs[0], Conclusion{Outcome: Exited}))
	must(t, l.Close())
	after()
}

// inode names a file; one that is deleted keeps it while it is open.
func inode(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		panic("no inode")
	}
	return fmt.Sprint(st.Ino)
}
