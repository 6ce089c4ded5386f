package mux

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// maxPath is the longest path of a socket, in bytes: sun_path holds 108 with its
// NUL on Linux, 104 on macOS and the BSDs. OpenSSH refuses the same.
const maxPath = len(unix.RawSockaddrUnix{}.Path) - 1

// lockLimit is how long to wait for another process that is just making or
// removing a socket in the same folder.
const lockLimit = 5 * time.Second

// backlog is how many connections may wait to be taken: a fleet's commands come at once.
// The system has a bound of its own.
const backlog = 4096

// Listener is a control socket. It takes connections for [Serve].
type Listener struct {
	*net.UnixListener
	path string
	node node

	closing sync.Once
	failed  error
}

// node is a file's identity.
type node struct{ dev, ino uint64 }

func nodeOf(st *unix.Stat_t) node { return node{uint64(st.Dev), st.Ino} }

// Listen makes a control socket at path, with mode 0600. Clients see it only
// when it is ready. What a dead master left there is replaced; a master that
// is alive is not: the error is ErrLive. Other errors are ErrPathTooLong and
// ErrForeign; a folder in which other users may replace files is refused.
func Listen(path string) (*Listener, error) {
	l, err := listen(path)
	if err != nil {
		return nil, fmt.Errorf("control socket %q: %w", path, err)
	}
	return l, nil
}

func listen(path string) (*Listener, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if len(path) > maxPath {
		return nil, fmt.Errorf("%w: %d bytes, the limit is %d; choose a shorter ControlPath", ErrPathTooLong, len(path), maxPath)
	}
	dir, err := openFolder(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // it was only read; that also frees the lock
	if err := lock(dir); err != nil {
		return nil, err
	}
	if err := clear(dir, path); err != nil {
		return nil, err
	}
	return bind(dir, path)
}

// openFolder opens the folder of a socket, if it is safe to have one in it.
func openFolder(path string) (*os.File, error) {
	dir, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(dir.Fd()), &st); err != nil {
		_ = dir.Close() // only read
		return nil, err
	}
	own := st.Uid == 0 || int(st.Uid) == os.Geteuid()
	open := st.Mode&0o022 != 0 && st.Mode&unix.S_ISVTX == 0
	if !own || open {
		_ = dir.Close() // only read
		return nil, fmt.Errorf("folder %q: %w, or they may write to it; choose a folder of your own", path, ErrForeign)
	}
	return dir, nil
}

// lock takes turns with other masters of nod that make or remove a socket in
// the same folder. It ends with the descriptor.
func lock(dir *os.File) error {
	give := time.Now().Add(lockLimit)
	for {
		err := unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
		case !errors.Is(err, unix.EWOULDBLOCK):
			return fmt.Errorf("lock folder: %w", err)
		case time.Now().After(give):
			return fmt.Errorf("folder %q stays locked by another process", dir.Name())
		default:
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// clear removes a stale socket at path. Anything else there is an error.
func clear(dir *os.File, path string) error {
	base := filepath.Base(path)
	var st unix.Stat_t
	err := unix.Fstatat(int(dir.Fd()), base, &st, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil
	case err != nil:
		return err
	case st.Mode&unix.S_IFMT != unix.S_IFSOCK:
		return errors.New("something that is no socket is in the way; choose another ControlPath")
	case int(st.Uid) != os.Geteuid():
		return ErrForeign
	}
	c, err := DialSocket(context.Background(), &net.Dialer{Timeout: time.Second}, path)
	if err == nil {
		_ = c.Close() // nothing was said
		return ErrLive
	}
	if errors.Is(err, unix.EAGAIN) || os.IsTimeout(err) {
		return ErrLive // it listens, its queue is full
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its master has just removed it
	}
	if !errors.Is(err, unix.ECONNREFUSED) {
		return err
	}
	if err := unix.Unlinkat(int(dir.Fd()), base, 0); err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("remove stale socket: %w", err)
	}
	return nil
}

// bind makes the socket under a temporary name and links it into place, so
// that no client meets one that does not listen yet, and no other master's is
// replaced.
func bind(dir *os.File, path string) (*Listener, error) {
	fd, err := newSocket()
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), path)
	defer func() { _ = file.Close() }() // net.FileListener has its own
	folder := int(dir.Fd())
	temporary := ".nod-" + rand.Text()[:12]
	if err := bindIn(fd, dir, temporary); err != nil {
		return nil, fmt.Errorf("bind: %w", err)
	}
	defer func() { _ = unix.Unlinkat(folder, temporary, 0) }() // a name too many, in either case
	if err := restrict(folder, temporary); err != nil {
		return nil, fmt.Errorf("chmod: %w", err)
	}
	if err := unix.Listen(fd, backlog); err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	var st unix.Stat_t
	if err := unix.Fstatat(folder, temporary, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return nil, err
	}
	if st.Mode&0o777 != 0o600 {
		return nil, fmt.Errorf("the file system gave the socket mode %04o in place of 0600", st.Mode&0o777)
	}
	ln, err := net.FileListener(file)
	if err != nil {
		return nil, err
	}
	if err := unix.Linkat(folder, temporary, folder, filepath.Base(path), 0); err != nil {
		_ = ln.Close() // not in use yet
		if errors.Is(err, unix.EEXIST) {
			return nil, ErrLive // a stock master came first
		}
		return nil, fmt.Errorf("link: %w", err)
	}
	unixLn := ln.(*net.UnixListener)
	unixLn.SetUnlinkOnClose(false)
	return &Listener{UnixListener: unixLn, path: path, node: nodeOf(&st)}, nil
}

// Path is the socket's absolute path.
func (l *Listener) Path() string { return l.path }

// Close stops listening and removes the socket, if it is still the one that
// Listen made. More calls than one are harmless.
func (l *Listener) Close() error {
	l.closing.Do(func() {
		removed := l.remove() // first: a client must not meet a dead socket
		l.failed = errors.Join(removed, l.UnixListener.Close())
	})
	return l.failed
}

func (l *Listener) remove() error {
	dir, err := os.OpenFile(filepath.Dir(l.path), os.O_RDONLY|unix.O_DIRECTORY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }() // it was only read
	if err := lock(dir); err != nil {
		return err
	}
	base := filepath.Base(l.path)
	var st unix.Stat_t
	if err := unix.Fstatat(int(dir.Fd()), base, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		if errors.Is(err, unix.ENOENT) {
			return nil
		}
		return err
	}
	if nodeOf(&st) != l.node {
		return nil // somebody else's by now
	}
	return unix.Unlinkat(int(dir.Fd()), base, 0)
}
