package mux

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// What reads and sets a terminal's settings at once (ioctl_tty(2)).
const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

// noCharacter is a control character that is switched off (_POSIX_VDISABLE).
const noCharacter = 0

// Modes that not every system has; zero where there is none.
const (
	iuclc = unix.IUCLC
	iutf8 = unix.IUTF8
	xcase = unix.XCASE
	olcuc = unix.OLCUC
)

// moreCharacters are control characters of this system alone.
var moreCharacters []controlCharacter

// speeds are a terminal's speeds in bits per second.
func speeds(t *unix.Termios) (in, out uint32) {
	rate := baud(t.Cflag & unix.CBAUD)
	return rate, rate
}

// defaultBaud is what a speed that we have no number for is reported as. It
// means nothing on a pseudo terminal.
const defaultBaud = 9600

func baud(code uint32) uint32 {
	rates := map[uint32]uint32{
		unix.B1200: 1200, unix.B2400: 2400, unix.B4800: 4800, unix.B9600: 9600, unix.B19200: 19200,
		unix.B38400: 38400, unix.B57600: 57600, unix.B115200: 115200, unix.B230400: 230400,
	}
	if r, ok := rates[code]; ok {
		return r
	}
	return defaultBaud
}

// peerUser is the user id of the process at the other end of a socket
// (unix(7), SO_PEERCRED).
func peerUser(fd int) (uint32, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return cred.Uid, nil
}

// newSocket is a socket whose file will have mode 0600. The file takes its mode
// from the socket; the umask is the whole process's and stays out of it.
func newSocket() (fd int, err error) {
	fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, err
	}
	if err := unix.Fchmod(fd, 0o600); err != nil {
		_ = unix.Close(fd) // not in use yet
		return -1, err
	}
	return fd, nil
}

// bindIn binds a new socket to a name in the folder dir. Through /proc, the
// length of the folder's path does not count.
func bindIn(fd int, dir *os.File, name string) error {
	return unix.Bind(fd, &unix.SockaddrUnix{Name: fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), name)})
}

// restrict gives the file of a bound socket its mode: it has it already.
func restrict(int, string) error { return nil }

// fullFor is how long a socket is tried whose queue is full. A connect(2) that may block
// would wait for room; Go's does not block and fails with EAGAIN, see unix(7).
const fullFor = 10 * time.Second

// DialSocket connects to a control socket. Where many connect at once, it waits for its turn.
func DialSocket(ctx context.Context, d *net.Dialer, path string) (net.Conn, error) {
	for give := time.Now().Add(fullFor); ; {
		c, err := d.DialContext(ctx, "unix", path)
		if !errors.Is(err, unix.EAGAIN) || time.Now().After(give) {
			return c, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// widen makes a pipe larger. It only makes it faster; not all are pipes.
func widen(fd int) { _, _ = unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, widePipe) }

// widePipe is the size that a pipe is given when much goes through it.
const widePipe = 1 << 20

// atomicWrite is how much a pipe that poll(2) calls writable takes without
// blocking (PIPE_BUF).
const atomicWrite = 4096

// bell wakes who waits in poll(2) for its descriptor (eventfd(2)).
type bell struct{ fd int }

func newBell() (bell, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return bell{}, fmt.Errorf("eventfd: %w", err)
	}
	return bell{fd}, nil
}

// ring makes the descriptor readable, for good.
func (b bell) ring() {
	_, _ = unix.Write(b.fd, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // an eventfd takes its first write always
}

func (b bell) close() { _ = unix.Close(b.fd) } // nothing to do about an error here

// pollAny waits until one of the descriptors is ready.
func pollAny(fds *[2]unix.PollFd) error {
	_, err := unix.Poll(fds[:], -1)
	return err
}

// memoryMajor is the device number of /dev/null, /dev/zero and their like.
const memoryMajor = 1

// neverBlocks reports whether a character device is one that never blocks.
func neverBlocks(st *unix.Stat_t) bool { return unix.Major(st.Rdev) == memoryMajor }

// reopenable is the name under which a pipe or terminal can be opened anew, and
// a check that it was that one; false if there is none.
func reopenable(fd int, st *unix.Stat_t) (path string, same func(fd int) bool, ok bool) {
	path = fmt.Sprintf("/proc/self/fd/%d", fd)
	if st.Mode&unix.S_IFMT == unix.S_IFIFO {
		return path, func(int) bool { return true }, true
	}
	// Only a terminal under its own name: /dev/tty would become ours, and
	// /dev/ptmx another one.
	device, err := unix.IoctlGetUint32(fd, unix.TIOCGDEV)
	if err != nil || uint64(device) != st.Rdev {
		return "", nil, false
	}
	return path, func(fd int) bool {
		again, err := unix.IoctlGetUint32(fd, unix.TIOCGDEV)
		return err == nil && again == device
	}, true
}
