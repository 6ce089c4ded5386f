package posix

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/nod-console/nod/backends"
)

// PathError wraps err once.
func PathError(op, name string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// WordError is the error that a script has a word for.
func WordError(said string) error {
	what, detail, _ := strings.Cut(said, " ")
	switch what {
	case "changed":
		return backends.ErrChanged
	case "directory":
		return backends.ErrIsDirectory
	case "irregular":
		return backends.ErrNotRegular
	case "none":
		return fs.ErrNotExist
	case "notdir":
		return syscall.ENOTDIR
	case "denied":
		return fs.ErrPermission
	case "loop":
		return syscall.ELOOP
	case "links":
		return fmt.Errorf("has %s hard links, which a replacement would separate", detail)
	case "owner":
		return fmt.Errorf("its owner (%s) cannot be kept: %w", detail, fs.ErrPermission)
	case "short":
		return errors.New("only a part of the content arrived")
	}
	return fmt.Errorf("the other side says %q", said)
}

// ErrReadOnly: the file system is read-only, as containers' often are.
var ErrReadOnly = fmt.Errorf("%w: write below a folder that is not, such as a volume or a tmpfs", syscall.EROFS)

// ErrMounted: the engine mounts this very file, as it does /etc/hosts. It has no
// other name that it could be exchanged with, so no write of it is atomic.
var ErrMounted = fmt.Errorf("%w: the file is a mount of its own and cannot be replaced: change it where it is mounted from", syscall.EBUSY)

// toolErrors are what programs say in the C locale, from strerror(3).
var toolErrors = []struct {
	said string
	err  error
}{
	{"Device or resource busy", ErrMounted},
	{"Resource busy", ErrMounted}, // musl
	{"Read-only file system", ErrReadOnly},
	{"o such file", fs.ErrNotExist},
	{"nonexistent directory", fs.ErrNotExist}, // dash
	{"Directory nonexistent", fs.ErrNotExist}, // dash
	{"Permission denied", fs.ErrPermission},
	{"Operation not permitted", fs.ErrPermission},
	{"No space left on device", syscall.ENOSPC},
	{"Disk quota exceeded", syscall.EDQUOT},
	{"Too many levels of symbolic links", syscall.ELOOP},
	{"Symbolic link loop", syscall.ELOOP}, // musl
	{"Not a directory", syscall.ENOTDIR},
	{"Is a directory", backends.ErrIsDirectory},
	{"ile name too long", syscall.ENAMETOOLONG},
}

// ToolError is the error of a script that has no word for it: what a program
// said last.
func ToolError(said string, o backends.Outcome) error {
	said = strings.TrimSpace(said)
	for _, t := range toolErrors {
		if strings.Contains(said, t.said) {
			if errors.Is(t.err, syscall.ENOSPC) {
				return fmt.Errorf("the disk there is full: %w", t.err)
			}
			return t.err
		}
	}
	if said == "" {
		return fmt.Errorf("the other side gave up (%s)", o)
	}
	return fmt.Errorf("the other side says %q", said)
}
