//go:build linux

package confine

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Here is the wall of this machine's kernel, without an installation.
func Here() Wall {
	available := func(action uint32) bool {
		_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action))) //nolint:gosec // the kernel reads it
		return errno == 0
	}
	if !available(unix.SECCOMP_RET_ERRNO) {
		return None
	}
	if abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION); errno == 0 && abi > 0 {
		return Landlock
	}
	if available(unix.SECCOMP_RET_USER_NOTIF) {
		return SystemCalls
	}
	return None
}
