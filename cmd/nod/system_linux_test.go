package main

import "golang.org/x/sys/unix"

// streamSocket makes a socket that no program inherits.
func streamSocket(family int) (fd int, err error) {
	return unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
}

// queueLength is how many connections wait at a listener (tcp(7), TCP_INFO).
func queueLength(fd int) (int, error) {
	info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return 0, err
	}
	return int(info.Unacked), nil // of a listener, it is that
}

// threadUser makes user the effective user of this thread, until back is called.
func threadUser(user uintptr) (back func(), err error) {
	const same = ^uintptr(0)
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, same, user, same); errno != 0 {
		return nil, errno
	}
	return func() { _, _, _ = unix.RawSyscall(unix.SYS_SETRESUID, same, 0, same) }, nil // its real user may
}
