//go:build !linux

package files_test

import (
	"errors"
	"os"
)

// exchange exchanges two files' names, one after the other: for a moment one of the
// names is free. Whatever takes it meanwhile fails the test.
func exchange(a, b string) error {
	between := b + ".between"
	return errors.Join(os.Rename(a, between), os.Rename(b, a), os.Rename(between, b))
}
