package recording

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/agent/ledger/internal/private"
)

const suffix = ".cast"

// ErrNone: there is no such recording.
var ErrNone = errors.New("there is no such recording")

// File is a recording's file in a folder.
type File struct {
	Name    string // its name there
	Started time.Time
	Target  string // as far as the name tells
	Pane    string // session and pane
	Part    int
	Bytes   int64
	Live    bool // it is being written
}

// baseName is the beginning of the names of a recording's files. Two that begin
// at once differ in the last word.
func baseName(started time.Time, p Pane) string {
	words := []string{started.UTC().Format("20060102T150405.000Z"), p.Target, p.Session, p.Name, strings.ToLower(rand.Text()[:4])}
	for i, w := range words {
		words[i] = nameable(w)
	}
	return strings.Join(words, "_")
}

// nameable is a word as part of a file's name, which no shell and no scp takes
// for something else.
func nameable(word string) string {
	const most = 60
	word = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '@':
			return r
		}
		return '-'
	}, word)
	return word[:min(len(word), most)]
}

// partName is the name of part n of a recording.
func partName(base string, n int) string {
	if n <= 1 {
		return base + suffix
	}
	return fmt.Sprintf("%s.%d%s", base, n, suffix)
}

// splitName takes a file's name apart.
func splitName(name string) (base string, part int, ok bool) {
	base, ok = strings.CutSuffix(name, suffix)
	if !ok || base == "" {
		return "", 0, false
	}
	if i := strings.LastIndexByte(base, '.'); i >= 0 {
		// The start has a point, too, but "123Z_…" is no number.
		if n, err := strconv.Atoi(base[i+1:]); err == nil && n > 1 {
			return base[:i], n, true
		}
	}
	return base, 1, true
}

// List is what a folder has, the oldest first. A folder that is not there has
// nothing.
func List(dir string) ([]File, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("recordings: %w", err)
	}
	var all []File
	for _, e := range entries {
		base, part, ok := splitName(e.Name())
		info, err := e.Info()
		if !ok || err != nil || !info.Mode().IsRegular() {
			continue // it is no recording, or gone
		}
		f := File{Name: e.Name(), Part: part, Bytes: info.Size()}
		if words := strings.Split(base, "_"); len(words) == 5 {
			f.Started, _ = time.Parse("20060102T150405.000Z", words[0])
			f.Target, f.Pane = words[1], words[2]+"/"+words[3]
		}
		f.Live = live(filepath.Join(dir, e.Name()))
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b File) int {
		baseA, partA, _ := splitName(a.Name)
		baseB, partB, _ := splitName(b.Name)
		if c := strings.Compare(baseA, baseB); c != 0 {
			return c
		}
		return partA - partB
	})
	return all, nil
}

// live reports whether somebody writes the file. One that cannot be asked for
// counts as written.
func live(path string) bool {
	f, err := private.Open(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	return private.Flock(f, unix.LOCK_SH|unix.LOCK_NB) != nil
}

// Remove removes the files of a recording, by the name of one of them. What is
// being written stays.
func Remove(dir, name string) (removed []string, err error) {
	base, _, ok := splitName(filepath.Base(name))
	if !ok || filepath.Base(name) != name {
		return nil, fmt.Errorf("recordings: %q: %w", name, ErrNone)
	}
	all, err := List(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if b, _, _ := splitName(f.Name); b != base {
			continue
		}
		if f.Live {
			return removed, fmt.Errorf("recordings: %s is being written; end its pane first", f.Name)
		}
		if err := os.Remove(filepath.Join(dir, f.Name)); err != nil {
			return removed, fmt.Errorf("recordings: %w", err)
		}
		removed = append(removed, f.Name)
	}
	if removed == nil {
		return nil, fmt.Errorf("recordings: %q: %w", name, ErrNone)
	}
	return removed, private.SyncDir(dir)
}

// makeRoom removes the oldest files that nobody writes until the folder has at
// most so many bytes, and no more than maxFiles.
func makeRoom(dir string, most int64) (removed []string, err error) {
	all, err := List(dir)
	if err != nil {
		return nil, err
	}
	var total int64
	for _, f := range all {
		total += f.Bytes
	}
	left := len(all)
	for _, f := range all {
		if total <= most && left <= maxFiles {
			break
		}
		if f.Live {
			continue
		}
		if err := os.Remove(filepath.Join(dir, f.Name)); err != nil {
			return removed, fmt.Errorf("recordings: make room: %w", err)
		}
		removed = append(removed, f.Name)
		total -= f.Bytes
		left--
	}
	return removed, nil
}

// mend cuts off what a crash has left behind the last whole line of files that
// nobody writes.
func mend(dir string) error {
	all, err := List(dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range all {
		if !f.Live {
			errs = append(errs, mendFile(filepath.Join(dir, f.Name)))
		}
	}
	return errors.Join(errs...)
}

// mendFile cuts a file behind its last newline.
func mendFile(path string) error {
	f, err := private.Open(path, os.O_RDWR)
	if err != nil {
		return nil //nolint:nilerr // what is not this user's own is left alone
	}
	defer f.Close() //nolint:errcheck // Truncate has told what there is to tell
	info, err := f.Stat()
	if err != nil {
		return err
	}
	end := info.Size()
	buffer := make([]byte, 64<<10)
	for end > 0 {
		n := min(int64(len(buffer)), end)
		if _, err := f.ReadAt(buffer[:n], end-n); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		for i := n - 1; i >= 0; i-- {
			if buffer[i] != '\n' {
				continue
			}
			if whole := end - n + i + 1; whole < info.Size() {
				return f.Truncate(whole)
			}
			return nil
		}
		end -= n
	}
	return nil // no line at all: that is no recording of ours to mend
}
