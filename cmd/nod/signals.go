package main

import (
	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends"
)

// signalStatus is the exit status that a shell reports for a command that a
// signal ended: 128 and the signal's number.
func signalStatus(s backends.Signal) int {
	if n := unix.SignalNum("SIG" + string(s)); n != 0 {
		return 128 + int(n)
	}
	return statusFailed
}
