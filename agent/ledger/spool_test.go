package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestWhatTheDiskDoesNotTakeWaitsForTheNextStart: notes and conclusions, once each,
// and not those that reached the log although nobody heard of it.
func TestWhatTheDiskDoesNotTakeWaitsForTheNextStart(t *testing.T) {
	for failAt := 1; failAt <= 6; failAt++ {
		dir, base := folder(t), t.TempDir()
		nowhere := filepath.Join(base, "file", "spool")
		must(t, os.WriteFile(filepath.Join(base, "file"), nil, 0o600))
		opt := Options{Spool: []string{nowhere, filepath.Join(base, "spool")}}
		d := &faulty{left: 1 << 40}
		withDisk := opt
		withDisk.disk = d
		l, err := Open(dir, withDisk)
		must(t, err)
		ran := intend(t, l, "make")
		d.arm(failAt, 1<<30)
		if l.Note(Note{Kind: "read", Text: "a look"}) == nil || l.Conclude(ran, Conclusion{Outcome: Exited}) == nil {
			t.Error("the disk took it")
		}
		var kept *Spooled
		if err := l.Close(); !errors.As(err, &kept) || kept.Records == 0 || !errors.Is(err, errInjected) {
			t.Fatalf("Close: %v", err)
		}
		again, err := Open(dir, withDisk) // the disk is not mended yet
		must(t, err)
		if err := again.Close(); err != nil && !errors.As(err, &kept) {
			t.Errorf("Close: %v", err)
		}
		for range 2 {
			l, err := Open(dir, opt)
			must(t, err)
			must(t, l.Healthy())
			must(t, l.Close())
		}
		verified(t, dir)
		if got := outcomes(t, dir)[ran.ID]; got != Exited {
			t.Errorf("operation %d: outcome %q", failAt, got)
		}
		looks := 0
		for _, r := range records(t, dir) {
			if r.Note != nil && r.Note.Text == "a look" {
				looks++
			}
		}
		if looks != 1 {
			t.Errorf("operation %d: the look is %d times on record", failAt, looks)
		}
		if left, err := os.ReadDir(base); err != nil || len(left) != 1 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}

// TestTheSpoolBringsNoIntent: what runs is on record before it does, or not at all.
func TestTheSpoolBringsNoIntent(t *testing.T) {
	dir, spool := folder(t), filepath.Join(t.TempDir(), "spool")
	must(t, os.Mkdir(spool, 0o700))
	text, err := body{Type: TypeIntent, Ref: "x", Intent: &Intent{ID: "x", Command: "rm"}}.encode()
	must(t, err)
	must(t, os.WriteFile(filepath.Join(spool, "a"+spoolSuffix), append(text, "\nrubbish\n{}\n"...), 0o600))
	l, err := Open(dir, Options{Spool: []string{spool}})
	must(t, err)
	must(t, l.Close())
	if r := verified(t, dir); r.Records != 0 {
		t.Errorf("%d records", r.Records)
	}
}
