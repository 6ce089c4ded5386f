package posix

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nod-console/nod/backends"
)

// CheckPath is what every look at a file begins with.
func CheckPath(ctx context.Context, name string) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !path.IsAbs(name):
		return errors.New("the path is not absolute")
	case strings.IndexByte(name, 0) >= 0:
		return errors.New("the path holds a zero byte")
	}
	return nil
}

// Clean refuses paths that could not be compared with the kernel's.
func Clean(name string) error {
	for n := range strings.SplitSeq(strings.TrimPrefix(name, "/"), "/") {
		if n == "" || n == "." || n == ".." {
			return errors.New("the path is not clean")
		}
	}
	return nil
}

// Regular is the error for files that are not regular ones.
func Regular(mode fs.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return backends.ErrIsDirectory
	}
	return backends.ErrNotRegular
}

// Described reads the line in which a script tells what a regular file is.
func Described(name, line string) (backends.Info, error) {
	facts, ok := strings.CutPrefix(line, "ok ")
	if !ok {
		return backends.Info{}, WordError(line)
	}
	info, err := ParseInfo(name, facts)
	if err == nil {
		err = Regular(info.Mode)
	}
	return info, err
}

// ParseInfo reads "MODE SIZE SECONDS UID NAME", the mode in hexadecimal as in
// stat(2); a name may hold blanks.
func ParseInfo(name, facts string) (backends.Info, error) {
	w := strings.SplitN(strings.TrimRight(facts, "\n"), " ", 5)
	if len(w) != 5 {
		return backends.Info{}, fmt.Errorf("the other side describes it as %q", facts)
	}
	mode, e1 := strconv.ParseUint(w[0], 16, 32)
	size, e2 := strconv.ParseInt(w[1], 10, 64)
	moment, e3 := strconv.ParseInt(w[2], 10, 64)
	if err := errors.Join(e1, e2, e3); err != nil {
		return backends.Info{}, fmt.Errorf("the other side describes it as %q: %w", facts, err)
	}
	owner := w[4]
	if owner == "UNKNOWN" {
		owner = w[3]
	}
	return backends.Info{Path: name, Size: size, Mode: Mode(uint32(mode)), ModTime: time.Unix(moment, 0), Owner: owner}, nil
}

// Mode is the mode of stat(2) as package fs has it.
func Mode(m uint32) fs.FileMode {
	mode := fs.FileMode(m & 0o777)
	switch m & syscall.S_IFMT {
	case syscall.S_IFDIR:
		mode |= fs.ModeDir
	case syscall.S_IFLNK:
		mode |= fs.ModeSymlink
	case syscall.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case syscall.S_IFSOCK:
		mode |= fs.ModeSocket
	case syscall.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case syscall.S_IFBLK:
		mode |= fs.ModeDevice
	}
	for bit, is := range map[uint32]fs.FileMode{syscall.S_ISUID: fs.ModeSetuid, syscall.S_ISGID: fs.ModeSetgid, syscall.S_ISVTX: fs.ModeSticky} {
		if m&bit != 0 {
			mode |= is
		}
	}
	return mode
}

// UnixMode is the other way round, for the bits that chmod has.
func UnixMode(m fs.FileMode) uint32 {
	mode := uint32(m.Perm())
	if m&fs.ModeSetuid != 0 {
		mode |= syscall.S_ISUID
	}
	if m&fs.ModeSetgid != 0 {
		mode |= syscall.S_ISGID
	}
	if m&fs.ModeSticky != 0 {
		mode |= syscall.S_ISVTX
	}
	return mode
}
