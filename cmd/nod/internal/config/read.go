package config

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// fileLimit bounds a configuration file, in bytes.
const fileLimit = 1 << 20

// readOwn reads a file that decides what nod does. It is at most fileLimit long, a
// regular file (a link to one will do), and nobody but this user and root can have
// written it. Anything else is refused, and never waited for; but for os.DevNull, which
// stands for an empty file. The error of a file that is not there is fs.ErrNotExist.
func readOwn(path string) ([]byte, error) {
	if path == os.DevNull {
		return nil, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := ownFile(path, info); err != nil { // before it is opened: a device or a pipe may act on that
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0) // it may be another file by now
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := ownFile(path, info); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, fileLimit+1))
	if err == nil && len(data) > fileLimit {
		err = tooLarge(path)
	}
	return data, err
}

// ownFile says what is wrong with a file that readOwn is to read; nil if nothing is.
func ownFile(path string, info fs.FileInfo) error {
	st, known := info.Sys().(*syscall.Stat_t)
	switch mode := info.Mode(); {
	case !mode.IsRegular():
		return fmt.Errorf("%s is %s, and only a regular file is read", path, kindOf(mode))
	case info.Size() > fileLimit:
		return tooLarge(path)
	case known && st.Uid != 0 && int(st.Uid) != os.Getuid():
		return fmt.Errorf("%s belongs to user %d, not to you (%d) or root: copy it to a file of your own", path, st.Uid, os.Getuid())
	case mode.Perm()&0o022 != 0:
		return fmt.Errorf("others can write %s (mode %#o): chmod go-w it, after a look at what it says", path, mode.Perm())
	}
	return nil
}

func tooLarge(path string) error {
	return fmt.Errorf("%s is larger than %d MiB, which is the most that is read", path, fileLimit>>20)
}

// kindOf is what a file is that is not a regular one.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}
