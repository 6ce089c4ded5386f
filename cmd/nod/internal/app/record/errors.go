package record

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/nod-console/nod/agent/ledger"
)

// Explain says what to do about an error of the ledger.
func Explain(dir string, err error) error {
	var fault *ledger.Fault
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ledger.ErrNone):
		return noRecord(dir)
	case errors.As(err, &fault) && !fault.Recoverable:
		return DamagedError{fmt.Errorf("audit: %w; keep a copy of %s and find out who wrote there", err, dir)}
	case fault != nil:
		return DamagedError{fmt.Errorf("audit: %w", err)}
	}
	return fmt.Errorf("audit: %w", err)
}

// DamagedError is an error that says that the record is not as nod wrote it.
type DamagedError struct{ Err error }

// Error implements error.
func (d DamagedError) Error() string { return d.Err.Error() }

// Unwrap returns the cause, for errors.Is and errors.As.
func (d DamagedError) Unwrap() error { return d.Err }

// noRecord says that there is no record, and whether there was one.
func noRecord(dir string) error {
	lost, err := Lost(filepath.Dir(dir))
	switch {
	case err != nil:
		return fmt.Errorf("audit: %w", err)
	case lost != "":
		return DamagedError{fmt.Errorf("audit: %s; keep a copy of %s and find out who removed it", lost, filepath.Dir(dir))}
	}
	return fmt.Errorf("audit: there is no record in %s yet; nothing has run", dir)
}
