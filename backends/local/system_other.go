//go:build !linux

package local

import (
	"errors"
	"os"

	"github.com/pkg/xattr"
	"golang.org/x/sys/unix"
)

// refer opens a folder for reading: there is no way to refer to one without that
// right.
const refer = unix.O_RDONLY

// awaitExit returns when the child process pid has ended. It is not reaped, so
// its id stays its own (kqueue(2), EVFILT_PROC). Where that cannot be watched it
// returns at once: whoever reaps the child then waits.
func awaitExit(pid int) {
	queue, err := unix.Kqueue()
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(queue) }() // nothing was written
	var watch unix.Kevent_t
	unix.SetKevent(&watch, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	watch.Fflags = unix.NOTE_EXIT
	events := make([]unix.Kevent_t, 1)
	for {
		_, err := unix.Kevent(queue, []unix.Kevent_t{watch}, events, nil)
		if !errors.Is(err, unix.EINTR) {
			return // ESRCH: it has ended already
		}
	}
}

// unread is the number of bytes that the pipe or terminal fd holds now
// (FIONREAD of sys/filio.h, the same number on macOS and the BSDs).
func unread(fd int) (int, error) { return unix.IoctlGetInt(fd, 0x4004667f) }

// renameNew says ENOSYS: the caller links and removes instead.
func renameNew(int, string, string) error { return unix.ENOSYS }

// attributes reads the extended attributes of the old file.
func (r *replacement) attributes() (map[string][]byte, error) {
	const flags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
	fd, err := unix.Openat(int(r.dir.Fd()), r.base, flags, 0)
	if err != nil {
		return nil, err
	}
	old := os.NewFile(uintptr(fd), r.base)
	defer func() { _ = old.Close() }() // opened for reading
	return readAttributes(
		func() ([]string, error) { return xattr.FList(old) },
		func(name string) ([]byte, error) { return xattr.FGet(old, name) })
}
