package process

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// stopSignal stops this process once its default is back (stopByDefault).
const stopSignal = unix.SIGTSTP

// stopByDefault has SIGTSTP stop this process, until handleAgain is called.
func stopByDefault() (handleAgain func()) {
	var ours, byDefault sigaction
	setAction(unix.SIGTSTP, &byDefault, &ours)
	return func() { setAction(unix.SIGTSTP, &ours, nil) }
}

// sigaction is what happens on a signal, in the kernel's own form, or more room than
// that takes. The zero value is the default.
type sigaction [8]uint64

// setAction is sigaction(2). Package signal has no way back to the default: after
// Reset, a handler of Go's stays that does nothing.
func setAction(s unix.Signal, act, old *sigaction) {
	const maskSize = 8 // bytes
	//nolint:gosec // the kernel reads and writes no more than there is room for; a signal that exists is no error
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(act)), uintptr(unsafe.Pointer(old)), maskSize, 0, 0)
}
