//go:build !linux

package mux

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// What reads and sets a terminal's settings at once (tty(4) of the BSDs and macOS).
const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

// noCharacter is a control character that is switched off (_POSIX_VDISABLE).
const noCharacter = 0xff

// Modes that not every system has; zero where there is none.
const (
	iuclc = 0
	iutf8 = 0x4000 // of <sys/termios.h>; older FreeBSDs do not know it and never set it
	xcase = 0
	olcuc = 0
)

// moreCharacters are control characters of these systems alone.
var moreCharacters = []controlCharacter{{11, unix.VDSUSP}, {17, unix.VSTATUS}}

// speeds are a terminal's speeds in bits per second.
func speeds(t *unix.Termios) (in, out uint32) { return uint32(t.Ispeed), uint32(t.Ospeed) }

// peerUser is the user id of the process at the other end of a socket
// (unix(4), LOCAL_PEERCRED).
func peerUser(fd int) (uint32, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	const version = 0 // XUCRED_VERSION
	if cred.Version != version {
		return 0, fmt.Errorf("LOCAL_PEERCRED: version %d, want %d", cred.Version, version)
	}
	return cred.Uid, nil
}

// newSocket is a socket whose file gets its mode from restrict.
func newSocket() (fd int, err error) {
	syscall.ForkLock.RLock() // no program may be started between the two calls
	fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return -1, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd) // not in use yet
		return -1, err
	}
	return fd, nil
}

// bindIn binds a new socket to a name in the folder dir, which was opened by its
// absolute path. Where that path is too long for a socket, a link to the folder
// stands in for it.
func bindIn(fd int, dir *os.File, name string) error {
	path := filepath.Join(dir.Name(), name)
	if len(path) > maxPath {
		private, err := os.MkdirTemp("", "nod-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(private) }() // the socket is not in it
		link := filepath.Join(private, "d")
		if err := os.Symlink(dir.Name(), link); err != nil {
			return err
		}
		if path = filepath.Join(link, name); len(path) > maxPath {
			return fmt.Errorf("%w: %q has %d bytes, the limit is %d; choose a shorter ControlPath or TMPDIR", ErrPathTooLong, path, len(path), maxPath)
		}
	}
	return unix.Bind(fd, &unix.SockaddrUnix{Name: path})
}

// restrict gives the file of a bound socket mode 0600. Here it has taken its
// mode from the umask, but nobody can connect before the socket listens.
func restrict(dir int, name string) error {
	return unix.Fchmodat(dir, name, 0o600, unix.AT_SYMLINK_NOFOLLOW)
}

// refusedFor is how long a control socket is tried that refuses a connection.
// These systems refuse where nobody listens, and also where the queue is full: a
// master that lives empties it meanwhile.
const refusedFor = 250 * time.Millisecond

// DialSocket connects to a control socket.
func DialSocket(ctx context.Context, d *net.Dialer, path string) (net.Conn, error) {
	for give := time.Now().Add(refusedFor); ; {
		c, err := d.DialContext(ctx, "unix", path)
		if !errors.Is(err, unix.ECONNREFUSED) || time.Now().After(give) {
			return c, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// widen has nothing to do: these systems make a pipe larger by themselves.
func widen(int) {}

// atomicWrite is how much a pipe that poll(2) calls writable takes without
// blocking (PIPE_BUF).
const atomicWrite = 512

// bell wakes who waits in poll(2) for its descriptor. It is a pipe.
type bell struct{ fd, in int }

func newBell() (bell, error) {
	var ends [2]int
	syscall.ForkLock.RLock() // no program may be started between the two calls
	err := unix.Pipe(ends[:])
	if err == nil {
		unix.CloseOnExec(ends[0])
		unix.CloseOnExec(ends[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return bell{}, fmt.Errorf("pipe: %w", err)
	}
	return bell{ends[0], ends[1]}, nil
}

// ring makes the descriptor readable, for good.
func (b bell) ring() { _, _ = unix.Write(b.in, []byte{1}) } // a pipe takes its first byte always

func (b bell) close() {
	_ = unix.Close(b.fd) // nothing to do about an error here
	_ = unix.Close(b.in)
}

// pollAny waits until one of the descriptors is ready. poll(2) of macOS refuses
// some devices (POLLNVAL), /dev/tty for one: select(2) takes them.
func pollAny(fds *[2]unix.PollFd) error {
	_, err := unix.Poll(fds[:], -1)
	if err != nil || fds[0].Revents != 0 || fds[1].Revents&unix.POLLNVAL == 0 {
		return err
	}
	highest := max(fds[0].Fd, fds[1].Fd)
	if highest >= unix.FD_SETSIZE {
		return fmt.Errorf("descriptor %d is above the limit of select(2), %d", highest, unix.FD_SETSIZE)
	}
	var readable, writable unix.FdSet
	for _, p := range fds {
		if p.Events&unix.POLLIN != 0 {
			readable.Set(int(p.Fd))
		}
		if p.Events&unix.POLLOUT != 0 {
			writable.Set(int(p.Fd))
		}
	}
	if _, err := unix.Select(int(highest)+1, &readable, &writable, nil, nil); err != nil {
		return err
	}
	for i := range fds {
		p := &fds[i]
		p.Revents = 0
		if readable.IsSet(int(p.Fd)) {
			p.Revents |= unix.POLLIN
		}
		if writable.IsSet(int(p.Fd)) {
			p.Revents |= unix.POLLOUT
		}
	}
	return nil
}

// neverBlocks reports whether a character device is one that never blocks. Their
// numbers are other ones on each system.
func neverBlocks(st *unix.Stat_t) bool {
	for _, name := range []string{os.DevNull, "/dev/zero", "/dev/random", "/dev/urandom"} {
		var named unix.Stat_t
		if unix.Stat(name, &named) == nil && named.Rdev == st.Rdev {
			return true
		}
	}
	return false
}

// reopenable is the name under which a terminal can be opened anew, and a check
// that it was that one; false if there is none. A pipe has no name here, and
// /dev/fd has only copies of a descriptor. The pattern leaves out /dev/tty, which
// would become ours; the controlling side of a terminal is none of these files.
func reopenable(_ int, st *unix.Stat_t) (path string, same func(fd int) bool, ok bool) {
	if st.Mode&unix.S_IFMT != unix.S_IFCHR {
		return "", nil, false
	}
	is := func(other *unix.Stat_t) bool {
		return other.Mode == st.Mode && other.Dev == st.Dev && other.Ino == st.Ino && other.Rdev == st.Rdev
	}
	for _, pattern := range []string{"/dev/tty?*", "/dev/pts/*"} {
		names, _ := filepath.Glob(pattern) // the pattern is good
		for _, name := range names {
			var named unix.Stat_t
			if unix.Lstat(name, &named) == nil && is(&named) {
				return name, func(fd int) bool {
					var opened unix.Stat_t
					return unix.Fstat(fd, &opened) == nil && is(&opened)
				}, true
			}
		}
	}
	return "", nil, false
}
