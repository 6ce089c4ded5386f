package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrNoHome: there is no place for nod's state.
var ErrNoHome = errors.New("neither NOD_STATE_DIR, XDG_STATE_HOME nor HOME is set")

// UnwritableError says that the folder for nod's state can be used, but not
// written now: its disk is read-only or full, or its rights are missing.
type UnwritableError struct {
	Dir     string
	Wrapped error
}

// Error implements error.
func (e *UnwritableError) Error() string {
	return fmt.Sprintf("state: %s cannot be written: %v; make room or remount it, or set NOD_STATE_DIR to a folder that you can write", e.Dir, e.Wrapped)
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *UnwritableError) Unwrap() error { return e.Wrapped }

// unwritable is err, as an UnwritableError if it is one that can pass.
func unwritable(dir string, err error) error {
	for _, passes := range []error{syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT, fs.ErrPermission} {
		if errors.Is(err, passes) {
			return &UnwritableError{Dir: dir, Wrapped: err}
		}
	}
	return fmt.Errorf("state: %w; set NOD_STATE_DIR to a folder that you can write", err)
}

// StateDir is the folder for nod's state, made if it is missing: mode 0700,
// owned by the user, not reached through a symbolic link in its last part. With an
// [UnwritableError], the folder is returned, too; it may not be there yet.
func StateDir(getenv func(string) string) (string, error) {
	dir, err := StatePath(getenv)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return dir, unwritable(dir, err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", fmt.Errorf("state: %w", err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return "", fmt.Errorf("state: %s is a symbolic link; set NOD_STATE_DIR to the folder itself", dir)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() {
		return "", fmt.Errorf("state: %s belongs to user %d, not to you (%d); set NOD_STATE_DIR to a folder of your own",
			dir, st.Uid, os.Getuid())
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return "", fmt.Errorf("state: %s is open to others: %w", dir, err)
		}
	}
	if err := writable(dir); err != nil {
		return dir, unwritable(dir, err)
	}
	return dir, nil
}

// StatePath is the folder of nod's state, which need not exist. It is for
// commands that only read.
func StatePath(getenv func(string) string) (string, error) {
	if dir := getenv("NOD_STATE_DIR"); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("state: NOD_STATE_DIR %q: %w", dir, err)
		}
		return abs, nil
	}
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "nod"), nil
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "nod"), nil
	}
	return "", fmt.Errorf("state: %w; set HOME, or NOD_STATE_DIR to a folder of your own", ErrNoHome)
}

// writable makes and removes a file in dir.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
