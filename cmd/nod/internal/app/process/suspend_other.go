//go:build !linux

package process

import "golang.org/x/sys/unix"

// stopSignal stops this process whatever it has a handler for: these systems have no
// sigaction(2) without the C library.
const stopSignal = unix.SIGSTOP

// stopByDefault has nothing to do where stopSignal has no handler.
func stopByDefault() (handleAgain func()) { return func() {} }
