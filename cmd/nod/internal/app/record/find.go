package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// Part is a recording's file, and where in it to begin.
type Part struct {
	Path    string
	At      time.Duration
	Placed  bool   // the operator has named the time
	command string // the run that was asked for; empty if it was not a run
}

// End is when the run that was asked for has ended.
func (t Part) End(rec *recording.Recording) (time.Duration, bool) {
	for _, c := range rec.Commands() {
		if t.command != "" && c.At >= t.At && c.Text == t.command && c.Outcome != "" {
			return c.End, true
		}
	}
	return 0, false
}

// Find is the recording that the operator means.
func Find(getenv func(string) string, what string) (Part, error) {
	state, err := config.StatePath(getenv)
	if err != nil {
		return Part{}, err
	}
	dir := config.RecordingsDir(state)
	if what == "" {
		return newestPart(dir)
	}
	name, at, placed := what, time.Duration(0), false
	if i := strings.LastIndexByte(what, '@'); i > 0 {
		if d, err := time.ParseDuration(what[i+1:]); err == nil {
			name, at, placed = what[:i], d, true
		}
	}
	switch {
	case strings.ContainsRune(what, '/') || Exists(what):
		return Part{Path: what}, nil
	case filepath.Base(name) != name || !Exists(filepath.Join(dir, name)):
		return partOfRun(state, what)
	case placed:
		return partAt(dir, name, at)
	}
	return Part{Path: filepath.Join(dir, name)}, nil
}

// Exists reports whether there is something at path.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// newestPart is the newest recording in which something was done, or the newest if
// there is none.
func newestPart(dir string) (Part, error) {
	all, err := recording.List(dir)
	if err != nil {
		return Part{}, err
	}
	if len(all) == 0 {
		return Part{}, fmt.Errorf("there are no recordings in %s yet; panes of the console and of nod run --pane are recorded", dir)
	}
	for _, f := range slices.Backward(all) {
		path := filepath.Join(dir, f.Name)
		if rec, err := recording.Load(path); err != nil || happened(rec) {
			return Part{Path: path}, nil // whoever plays it says what is wrong with it
		}
	}
	return Part{Path: filepath.Join(dir, all[len(all)-1].Name)}, nil
}

// happened tells a recording in which something was done from one that has only a
// shell's first prompt, such as that of a console which was just opened.
func happened(rec *recording.Recording) bool {
	const promptTakes = 3 * time.Second
	return rec.Duration() > promptTakes || len(rec.Commands()) > 0
}

// partAt finds the file that shows a time since the beginning of a recording,
// by the name of its first file.
func partAt(dir, name string, at time.Duration) (Part, error) {
	part, begins, err := recording.PartAt(dir, name, at)
	if err != nil {
		return Part{}, err
	}
	return Part{Path: filepath.Join(dir, part), At: at - begins, Placed: true}, nil
}

// leastOfName is how much of a run's name must be given.
const leastOfName = 4

// partOfRun finds the recording of a run by the name that "nod audit show" has for
// it: the end of its intent's.
func partOfRun(state, name string) (Part, error) {
	var found []ledger.Intent
	dir := config.LedgerDir(state)
	err := ledger.Read(dir, func(r ledger.Record) error {
		if r.Intent != nil && len(name) >= leastOfName && strings.HasSuffix(strings.ToUpper(r.Intent.ID), strings.ToUpper(name)) {
			found = append(found, *r.Intent)
		}
		return nil
	})
	switch {
	case errors.Is(err, ledger.ErrNone), err == nil && len(found) == 0:
		return Part{}, fmt.Errorf("%q is no file, no recording and no run; nod recordings list and nod audit show have their names", name)
	case err != nil:
		return Part{}, Explain(dir, err)
	case len(found) > 1:
		return Part{}, fmt.Errorf("%q is the end of the names of %d runs; nod audit export has them in full", name, len(found))
	case found[0].Recording == nil:
		return Part{}, fmt.Errorf("the run %q is not recorded: only what runs in a pane is", name)
	}
	place := found[0].Recording
	if !Exists(filepath.Join(config.RecordingsDir(state), place.File)) {
		return Part{}, fmt.Errorf("the recording of the run %q, %s, is not there any more", name, place.File)
	}
	t, err := partAt(config.RecordingsDir(state), place.File, place.At)
	t.Placed, t.command = false, found[0].Command
	return t, err
}

// Doubts says in what a recording is not what was recorded; empty if it is.
func Doubts(getenv func(string) string, path string) string {
	state, err := config.StatePath(getenv)
	if err != nil {
		return ""
	}
	if path, err = filepath.Abs(path); err != nil {
		return ""
	}
	return doubts(state, path)
}
