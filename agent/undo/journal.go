package undo

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/renameio/v2"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/inverse"
)

// Bounds of a journal.
const (
	MaxEntries = 100
	MaxBytes   = 256 << 20
	MaxAge     = 30 * 24 * time.Hour
)

// young is how old a content must be before it goes because no entry names it:
// another process may be about to.
const young = time.Hour

// Errors of a Journal.
var (
	// ErrNothing: there is nothing to take back.
	ErrNothing = errors.New("there is nothing to take back")
	// ErrDamaged: a content is not what its name says.
	ErrDamaged = errors.New("what was kept is damaged")
)

// Entry is something that can be taken back: a written file, or a command.
type Entry struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Process string    `json:"process"` // whose it is
	Target  string    `json:"target"`
	User    string    `json:"user,omitempty"`

	Path  string           `json:"path,omitempty"` // of a file; empty for a command
	Was   backends.Version `json:"was"`            // before
	Wrote backends.Version `json:"wrote"`          // what nod has written

	Command string `json:"command,omitempty"`
	Inverse string `json:"inverse,omitempty"`
	Unless  string `json:"unless,omitempty"` // when the inverse is not the opposite
	Dir     string `json:"dir,omitempty"`
	Dialect string `json:"dialect,omitempty"`
}

// Describe says in a line what would be taken back.
func (e Entry) Describe() string {
	switch {
	case e.Path == "":
		return e.Command
	case e.Was.Exists:
		return "write " + e.Path
	}
	return "create " + e.Path
}

// Journal holds entries in a folder. Make one with Open. Safe for concurrent
// use.
type Journal struct {
	dir     string
	now     func() time.Time
	process string

	mu sync.Mutex
}

// Open opens the journal in a folder, which is made if it is not there, and
// drops what is too old. On a disk that is read-only or full it opens, too: what is
// to be kept is refused until it can be. Nil means time.Now.
func Open(dir string, now func() time.Time) (*Journal, error) {
	if now == nil {
		now = time.Now
	}
	j := &Journal{dir: dir, now: now, process: rand.Text()[:12]}
	j.mu.Lock()
	defer j.mu.Unlock()
	err := os.MkdirAll(j.blob(""), 0o700)
	if err == nil {
		err = j.prune()
	}
	if err != nil && !unwritable(err) {
		return nil, fmt.Errorf("undo: %w", err)
	}
	return j, nil
}

// unwritable reports whether an error is the disk's, and may pass.
func unwritable(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, fs.ErrPermission)
}

func (j *Journal) blob(digest string) string { return filepath.Join(j.dir, "contents", digest) }

// Keep keeps what a write will replace: old is what a.Path holds, as a.Expect
// says. drop forgets it again, for a write that did not happen.
func (j *Journal) Keep(a tools.Action, old []byte) (drop func(), err error) {
	if a.Expect.Exists && backends.VersionOf(old) != a.Expect {
		return nil, fmt.Errorf("undo: %s: %w", a.Path, backends.ErrChanged)
	}
	e := Entry{Target: a.Target, User: a.User, Path: a.Path, Was: a.Expect, Wrote: backends.VersionOf(a.Content)}
	j.mu.Lock()
	defer j.mu.Unlock()
	contents := [][]byte{a.Content}
	if a.Expect.Exists {
		contents = append(contents, old)
	}
	for _, data := range contents {
		if err := j.put(data); err != nil {
			return nil, fmt.Errorf("undo: keep what %s holds: %w", a.Path, err)
		}
	}
	if e, err = j.add(e); err != nil {
		return nil, fmt.Errorf("undo: keep what %s holds: %w", a.Path, err)
	}
	return func() { _ = j.Drop(e.ID) }, nil // it is of no use, and goes with its age
}

// Did takes note of a command that has succeeded, if it has an opposite.
func (j *Journal) Did(a tools.Action) error {
	if a.Kind != tools.Exec && a.Kind != tools.Run || len(a.Inside) > 0 {
		return nil
	}
	back, ok := inverse.Of(a.Command)
	if !ok {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_, err := j.add(Entry{
		Target: a.Target, User: a.User, Command: a.Command, Inverse: back.Command, Unless: back.Unless, Dir: a.Dir, Dialect: a.Dialect,
	})
	if err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	return nil
}

// put has a content on disk.
func (j *Journal) put(data []byte) error {
	name := backends.VersionOf(data).SHA256
	if info, err := os.Stat(j.blob(name)); err == nil && info.Size() == int64(len(data)) {
		now := j.now()
		return os.Chtimes(j.blob(name), now, now) // it is young again
	}
	return j.write(j.blob(name), data)
}

// add has an entry on disk.
func (j *Journal) add(e Entry) (Entry, error) {
	e.Time, e.Process = j.now(), j.process
	e.ID = fmt.Sprintf("%020d-%s", e.Time.UnixNano(), rand.Text()[:8])
	text, err := json.Marshal(e)
	if err != nil {
		return e, err
	}
	if err := j.write(filepath.Join(j.dir, e.ID+".json"), text); err != nil {
		return e, err
	}
	return e, j.prune()
}

// write makes a file, on disk as a whole, its name too, or not at all.
func (j *Journal) write(name string, data []byte) error {
	if err := os.MkdirAll(j.blob(""), 0o700); err != nil {
		return err
	}
	if err := renameio.WriteFile(name, data, 0o600, renameio.WithTempDir(j.dir)); err != nil {
		return err
	}
	return syncDir(filepath.Dir(name))
}

func syncDir(name string) error {
	d, err := os.Open(name) //nolint:gosec // the journal's own folder
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// List returns all entries, the newest first.
func (j *Journal) List() ([]Entry, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	all, err := j.list()
	if err != nil {
		return nil, fmt.Errorf("undo: %w", err)
	}
	return all, nil
}

func (j *Journal) list() ([]Entry, error) {
	files, err := os.ReadDir(j.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it could not be made yet
	}
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".json") || strings.HasPrefix(f.Name(), ".") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(j.dir, f.Name())) //nolint:gosec // the journal's own folder
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process has dropped it
		}
		if err != nil {
			return nil, err
		}
		var e Entry
		if json.Unmarshal(text, &e) != nil || e.ID+".json" != f.Name() {
			continue // not ours; it goes with its age
		}
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(b.ID, a.ID) })
	return all, nil
}

// Last is what is taken back first: the newest entry of this process, or the
// newest of all if it has none. mine says which. The error is ErrNothing if
// there is none.
func (j *Journal) Last() (e Entry, mine bool, err error) {
	all, err := j.List()
	if err != nil {
		return Entry{}, false, err
	}
	if len(all) == 0 {
		return Entry{}, false, ErrNothing
	}
	if i := slices.IndexFunc(all, func(e Entry) bool { return e.Process == j.process }); i >= 0 {
		return all[i], true, nil
	}
	return all[0], false, nil
}

// Content returns a content by its version.
func (j *Journal) Content(v backends.Version) ([]byte, error) {
	if strings.ContainsAny(v.SHA256, "/.") || v.SHA256 == "" {
		return nil, fmt.Errorf("undo: %w: the digest %q", ErrDamaged, v.SHA256)
	}
	data, err := os.ReadFile(j.blob(v.SHA256))
	if err != nil {
		return nil, fmt.Errorf("undo: %w", err)
	}
	if backends.VersionOf(data) != v {
		return nil, fmt.Errorf("undo: %w: %s", ErrDamaged, v.SHA256)
	}
	return data, nil
}

// Drop forgets an entry. One that is not there is no error.
func (j *Journal) Drop(id string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := remove(filepath.Join(j.dir, id+".json")); err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	if err := j.prune(); err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	return nil
}

func remove(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// prune drops what is too old, too many or too large, and contents that no entry
// names.
func (j *Journal) prune() error {
	all, err := j.list()
	if err != nil {
		return err
	}
	used, bytes := map[string]bool{}, int64(0)
	for i, e := range all {
		more := int64(0)
		for _, v := range []backends.Version{e.Was, e.Wrote} {
			if info, err := os.Stat(j.blob(v.SHA256)); v.SHA256 != "" && !used[v.SHA256] && err == nil {
				more += info.Size()
			}
		}
		if i > 0 && (i >= MaxEntries || bytes+more > MaxBytes || j.now().Sub(e.Time) > MaxAge) {
			if err := remove(filepath.Join(j.dir, e.ID+".json")); err != nil {
				return err
			}
			continue
		}
		bytes += more
		used[e.Was.SHA256], used[e.Wrote.SHA256] = true, true
	}
	return j.sweep(used)
}

// sweep removes contents that are not used, and what a write has left behind.
func (j *Journal) sweep(used map[string]bool) error {
	for _, dir := range []string{j.dir, j.blob("")} {
		files, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, f := range files {
			info, err := f.Info()
			if err != nil || f.IsDir() || j.now().Sub(info.ModTime()) < young {
				continue
			}
			if dir == j.dir && strings.HasPrefix(f.Name(), ".") || dir != j.dir && !used[f.Name()] {
				if err := remove(filepath.Join(dir, f.Name())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
