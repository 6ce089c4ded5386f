//go:build !linux

package enginetest

import (
	"errors"
	"syscall"
)

// errLinuxOnly: an engine uses namespaces of Linux.
var errLinuxOnly = errors.New("an engine of the test's own needs Linux")

func apart() (*syscall.SysProcAttr, error) { return nil, errLinuxOnly }

func detach(string) error { return errLinuxOnly }
