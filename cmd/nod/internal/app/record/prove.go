package record

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/nod-console/nod/agent/ledger"
)

// Verify proves the ledger in a folder, the heads of it that are kept elsewhere, and the
// recordings, and says what was proved. What is not as nod wrote it, or missing, is a
// [DamagedError]; losses that the record tells of up to the number known are none.
func Verify(getenv func(string) string, dir string, known uint64) (string, error) {
	report, err := ledger.Verify(dir, HeadsDir(getenv))
	if err != nil {
		return "", Explain(dir, err)
	}
	if err := losses(dir, known); err != nil {
		return "", err
	}
	summary, err := CheckRecordings(filepath.Dir(dir))
	if err != nil {
		return "", err
	}
	said := fmt.Sprintf("ok: %d records, head %s\n", report.Records, report.Head)
	if summary != "" {
		said += summary + "\n"
	}
	return said, nil
}

// Compare proves the ledger in a folder as [Verify] does, by the heads of it that are in a
// log, which name says in errors.
func Compare(dir string, log io.Reader, name string, known uint64) (string, error) {
	report, heads, err := ledger.Compare(dir, log)
	switch {
	case err != nil:
		return "", Explain(dir, err)
	case heads == 0:
		return "", fmt.Errorf("audit: there is no head of this record in %s; set [record] copy, or name the log that has them", name)
	}
	if err := losses(dir, known); err != nil {
		return "", err
	}
	if _, err := CheckRecordings(filepath.Dir(dir)); err != nil {
		return "", err
	}
	return fmt.Sprintf("ok: %d records, head %s, %d heads in the log\n", report.Records, report.Head, heads), nil
}

// losses says that a record before this one is missing.
func losses(dir string, known uint64) error {
	lost, err := Lost(filepath.Dir(dir))
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	said, err := LossesOnRecord(dir, known)
	if err != nil {
		return Explain(dir, err)
	}
	if lost != "" {
		said = append(said, lost)
	}
	if len(said) == 0 {
		return nil
	}
	return DamagedError{Err: fmt.Errorf("audit: what is here is as nod wrote it, and is not all: %s", strings.Join(said, "; "))}
}
