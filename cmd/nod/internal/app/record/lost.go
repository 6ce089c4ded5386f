package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// AnchorPath is the file beside the record that tells which one stood there: a
// line for each, the name that its heads carry and when it was first seen.
func AnchorPath(state string) string { return filepath.Join(state, "records") }

// OpenLedger opens the record of a state folder. Where a record was and is not
// any more, the new one begins with what is missing, and lost says it, too; the same
// of one that was put back to an older state.
func OpenLedger(getenv func(string) string, state string, opt ledger.Options) (l *ledger.Ledger, lost string, err error) {
	dir := config.LedgerDir(state)
	opt.Heads, opt.Spool = HeadsDir(getenv), SpoolDirs(getenv, state)
	if lost, err = Lost(state); err != nil {
		return nil, "", err
	}
	if l, err = ledger.Open(dir, opt); err != nil {
		return nil, "", err
	}
	if lost != "" {
		err = l.Note(ledger.Note{Kind: ledger.LossKind, Text: lost, By: "nod"})
	} else {
		lost = l.Lost()
	}
	if l.Healthy() != nil {
		return l, lost, nil // the ledger keeps the note until it can write it, and a later start the anchor
	}
	if err == nil {
		err = anchor(state)
	}
	if err != nil {
		return nil, "", errors.Join(err, l.Close())
	}
	return l, lost, nil
}

// Lost says what tells of a record that is not there any more; empty if
// nothing does. It asks what else nod leaves in the state folder.
func Lost(state string) (string, error) {
	known, err := anchored(state)
	if err != nil {
		return "", err
	}
	name, err := ledger.Name(config.LedgerDir(state))
	var fault *ledger.Fault
	switch {
	case errors.As(err, &fault):
		return "", nil // which says more
	case err != nil && !errors.Is(err, ledger.ErrNone):
		return "", err
	case err == nil && (len(known) == 0 || known[len(known)-1].name == name):
		return "", nil
	case err == nil:
		was := known[len(known)-1]
		return fmt.Sprintf("the record %s, which was here since %s, is missing: another one, %s, stands in its place (%s tells)",
			was.name, was.since, name, AnchorPath(state)), nil
	}
	var tell []string
	if len(known) > 0 {
		was := known[len(known)-1]
		tell = append(tell, fmt.Sprintf("%s names the record %s, which was here since %s", AnchorPath(state), was.name, was.since))
	}
	all, err := recording.List(config.RecordingsDir(state))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if len(all) > 0 {
		tell = append(tell, fmt.Sprintf("%s has %d recordings of panes, the first from %s", config.RecordingsDir(state), len(all), all[0].Started.Format(time.RFC3339)))
	}
	if first, n := conversationsBefore(state, processBegan); n > 0 {
		tell = append(tell, fmt.Sprintf("%s has %d conversations, the first from %s", config.HistoryDir(state), n, first.Format(time.RFC3339)))
	}
	if len(tell) == 0 {
		return "", nil
	}
	return fmt.Sprintf("the record in %s is missing, and there was one: %s", config.LedgerDir(state), strings.Join(tell, "; ")), nil
}

// processBegan bounds what was there before: the console keeps a conversation
// before it opens the record.
var processBegan = time.Now()

// conversationsBefore counts the conversations that began before a time. A store
// that cannot be read tells of none: whoever needs it says why.
func conversationsBefore(state string, before time.Time) (first time.Time, n int) {
	if !Exists(config.HistoryDir(state)) {
		return first, 0
	}
	s, err := history.Open(context.Background(), config.HistoryDir(state), history.Options{ReadOnly: true})
	if err != nil {
		return first, 0
	}
	defer s.Close() //nolint:errcheck // opened for reading only
	all, err := s.List(context.Background(), 0)
	if err != nil {
		return first, 0
	}
	for _, c := range all {
		if c.Created.Before(before) && c.Messages > 0 {
			if n++; n == 1 || c.Created.Before(first) {
				first = c.Created
			}
		}
	}
	return first, n
}

// anchor notes that the record which is there now stands in the state folder.
func anchor(state string) error {
	name, err := ledger.Name(config.LedgerDir(state))
	if err != nil {
		return err
	}
	known, err := anchored(state)
	if err != nil || len(known) > 0 && known[len(known)-1].name == name {
		return err
	}
	f, err := os.OpenFile(AnchorPath(state), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s %s\n", name, time.Now().UTC().Format(time.RFC3339))
	return errors.Join(err, f.Sync(), f.Close())
}

// anchorLine is a record that stood in the state folder.
type anchorLine struct{ name, since string }

func anchored(state string) (all []anchorLine, err error) {
	text, err := os.ReadFile(AnchorPath(state))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if name, since, whole := strings.Cut(strings.TrimSuffix(line, "\n"), " "); whole {
			all = append(all, anchorLine{name, since})
		}
	}
	return all, nil
}

// LossesOnRecord are what a record says of records that were lost before it, after the
// one with that number.
func LossesOnRecord(dir string, after uint64) (said []string, err error) {
	err = ledger.Read(dir, func(r ledger.Record) error {
		if r.Note != nil && r.Note.Kind == ledger.LossKind && r.Seq > after {
			said = append(said, fmt.Sprintf("record %d says: %s", r.Seq, r.Note.Text))
		}
		return nil
	})
	return slices.Compact(said), err
}
