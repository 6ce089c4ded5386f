package ssh

import (
	"errors"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// memoryFile is a file in memory (memfd_create(2)).
func memoryFile(name string) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// socketpair makes two connected sockets that no other program inherits.
func socketpair() ([2]int, error) {
	return unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
}

// bindInterface binds a socket to the interface that the settings name
// (socket(7), SO_BINDTODEVICE). It is for [net.Dialer].
func bindInterface(s Settings) func(network, address string, raw syscall.RawConn) error {
	return func(_, _ string, raw syscall.RawConn) error {
		var bound error
		err := raw.Control(func(fd uintptr) { bound = unix.BindToDevice(int(fd), s.BindInterface) })
		return errors.Join(err, bound)
	}
}

// sendQueue is what waits in the kernel to be sent or acknowledged. The kernel
// counts it.
type sendQueue struct{}

// write writes to the connection whose queue it is.
func (sendQueue) write(c net.Conn, p []byte) (int, error) { return c.Write(p) }

// look returns how many bytes have been acknowledged, and whether more wait for
// that (tcp(7), TCP_INFO).
func (sendQueue) look(fd int) (acked uint64, queued bool) {
	info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return 0, false
	}
	return info.Bytes_acked, info.Unacked > 0 || info.Notsent_bytes > 0
}
