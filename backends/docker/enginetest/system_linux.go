package enginetest

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// apart starts an engine in a process group and a network namespace of its own. It
// ends with the thread that started it.
func apart() (*syscall.SysProcAttr, error) {
	return &syscall.SysProcAttr{
		Setpgid:    true,
		Cloneflags: syscall.CLONE_NEWNET, // it deletes a bridge that it finds
		Pdeathsig:  syscall.SIGTERM,
	}, nil
}

// detach unmounts what is mounted at path, also while it is in use.
func detach(path string) error { return unix.Unmount(path, unix.MNT_DETACH) }
