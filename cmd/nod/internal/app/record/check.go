package record

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// bindings are what a record says of recordings.
type bindings struct {
	files   map[string][]recording.Bound // by the file's name
	removed map[string]bool              // files, and what the names of all files of a recording begin with
}

func (b *bindings) add(l *ledger.Bound) {
	if l != nil {
		b.files[l.File] = append(b.files[l.File], recording.Bound{File: l.File, Bytes: l.Bytes, SHA256: l.SHA256})
	}
}

// gone reports whether a file was removed, on record.
func (b *bindings) gone(file string) bool {
	return b.removed[file] || b.removed[recording.Base(file)]
}

// readBindings reads what the record in a folder says of recordings.
func readBindings(dir string) (*bindings, error) {
	b := &bindings{files: map[string][]recording.Bound{}, removed: map[string]bool{}}
	err := ledger.Read(dir, func(r ledger.Record) error {
		switch {
		case r.Conclusion != nil && r.Conclusion.Recording != nil:
			b.add(r.Conclusion.Recording.Bound)
		case r.Note != nil:
			b.add(r.Note.Bound)
			for _, name := range r.Note.Removed {
				b.removed[name] = true
				if r.Note.By != "nod" { // the operator removes all files of a recording
					b.removed[recording.Base(name)] = true
				}
			}
		}
		return nil
	})
	return b, err
}

// CheckRecordings holds the recordings in a state folder against its record. The
// error says what was changed; otherwise summary is a line about them, empty if there
// are none.
func CheckRecordings(state string) (summary string, err error) {
	dir := config.RecordingsDir(state)
	b, err := readBindings(config.LedgerDir(state))
	if err != nil {
		return "", Explain(config.LedgerDir(state), err)
	}
	all, err := recording.List(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("audit: %w", err)
	}
	names := maps.Collect(maps.All(b.files))
	for _, f := range all {
		if _, known := names[f.Name]; !known {
			names[f.Name] = nil
		}
	}
	var found tally
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !b.gone(name) || Exists(filepath.Join(dir, name)) {
			found.count(filepath.Join(dir, name), recording.Check(dir, name, names[name]))
		}
	}
	if len(found.wrong) > 0 {
		return "", DamagedError{fmt.Errorf("audit: what ran is as nod wrote it; the recordings of it are not: %s", strings.Join(found.wrong, "; "))}
	}
	return found.summary(), nil
}

// tally counts recordings by what a check has found.
type tally struct {
	wrong                   []string // what, file by file
	good, live, loose, gaps int
}

// count takes a file in.
func (t *tally) count(path string, c recording.Checked) {
	switch {
	case c.Wrong != "":
		t.wrong = append(t.wrong, fmt.Sprintf("%s: %s", path, c.Wrong))
	case c.Live:
		t.live++
	case c.Loose > 0:
		t.loose++
	default:
		t.good++
	}
	t.gaps += c.Gaps
}

// summary is a line about the recordings; empty if there are none.
func (t *tally) summary() string {
	if t.good+t.live+t.loose == 0 {
		return ""
	}
	summary := fmt.Sprintf("recordings: %d as they were recorded", t.good)
	for _, more := range []struct {
		n    int
		what string
	}{
		{t.live, "being written"},
		{t.loose, "with an end that is not on record (older than that, or cut short by a crash)"},
		{t.gaps, "gaps in which nothing was recorded"},
	} {
		if more.n > 0 {
			summary += fmt.Sprintf(", %d %s", more.n, more.what)
		}
	}
	return summary
}

// doubts says in what the file of a recording is not what the record has of it; empty
// if it is, or if it is none of nod's.
func doubts(state, path string) string {
	name := filepath.Base(path)
	b, err := readBindings(config.LedgerDir(state))
	if err != nil {
		if filepath.Dir(path) != config.RecordingsDir(state) {
			return ""
		}
		return fmt.Sprintf("whether it is what was recorded cannot be said: %v", err)
	}
	bounds, known := b.files[name]
	if !known && filepath.Dir(path) != config.RecordingsDir(state) {
		return ""
	}
	c := recording.Check(filepath.Dir(path), name, bounds)
	switch {
	case c.Wrong != "":
		return "this is not what was recorded: " + c.Wrong
	case c.Live, c.Loose == 0:
		return ""
	case !known:
		return "the record does not say what was recorded: older than that, or not nod's"
	}
	return fmt.Sprintf("its last %d bytes are not on record: a crash came before, or they were added", c.Loose)
}
