package local

import (
	"errors"
	"fmt"

	"github.com/pkg/xattr"
	"golang.org/x/sys/unix"
)

// refer opens a folder as a mere reference: the right to read it is not needed
// (open(2), O_PATH).
const refer = unix.O_PATH

// awaitExit returns when the child process pid has ended. It is not reaped, so
// its id stays its own (waitid(2), WNOWAIT).
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// unread is the number of bytes that the pipe or terminal fd holds now.
func unread(fd int) (int, error) { return unix.IoctlGetInt(fd, unix.TIOCINQ) }

// renameNew renames a file within the folder dir unless the new name is taken
// (EEXIST). EINVAL or ENOSYS: the file system cannot tell.
func renameNew(dir int, from, to string) error {
	return unix.Renameat2(dir, from, dir, to, unix.RENAME_NOREPLACE)
}

// attributes reads the extended attributes of the old file. It is named by its
// folder: the right to read the file itself may be missing.
func (r *replacement) attributes() (map[string][]byte, error) {
	old := fmt.Sprintf("/proc/self/fd/%d/%s", r.dir.Fd(), r.base)
	return readAttributes(
		func() ([]string, error) { return xattr.LList(old) },
		func(name string) ([]byte, error) { return xattr.LGet(old, name) })
}
