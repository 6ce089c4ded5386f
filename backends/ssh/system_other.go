//go:build !linux

package ssh

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// memoryFile is a file without a name: these systems have none in memory that
// every program can write to.
func memoryFile(name string) (*os.File, error) {
	f, err := os.CreateTemp("", "nod-"+name+"-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	return f, nil
}

// socketpair makes two connected sockets that no other program inherits.
func socketpair() ([2]int, error) {
	syscall.ForkLock.RLock() // no program may be started between the two calls
	defer syscall.ForkLock.RUnlock()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(pair[0])
		unix.CloseOnExec(pair[1])
	}
	return pair, err
}

// bindInterface binds a socket to an address of the interface that the settings
// name, as ssh does on these systems. A BindAddress comes before it, as there.
// It is for [net.Dialer].
func bindInterface(s Settings) func(network, address string, raw syscall.RawConn) error {
	if s.BindAddress != "" {
		return nil
	}
	return func(network, _ string, raw syscall.RawConn) error {
		local, err := interfaceAddress(s.BindInterface, network == "tcp4")
		if err != nil {
			return err
		}
		var bound error
		err = raw.Control(func(fd uintptr) { bound = unix.Bind(int(fd), local) })
		return errors.Join(err, bound)
	}
}

// interfaceAddress is an interface's first address of a family. One that is only
// good on this machine or this link is the last choice.
func interfaceAddress(name string, four bool) (unix.Sockaddr, error) {
	nic, err := net.InterfaceByName(name)
	if err != nil {
		return nil, fmt.Errorf("BindInterface %q: %w", name, err)
	}
	all, err := nic.Addrs()
	if err != nil {
		return nil, fmt.Errorf("BindInterface %q: %w", name, err)
	}
	for _, near := range []bool{false, true} {
		for _, a := range all {
			ip, ok := a.(*net.IPNet)
			if !ok || (ip.IP.To4() != nil) != four || (ip.IP.IsLoopback() || ip.IP.IsLinkLocalUnicast()) != near {
				continue
			}
			if four {
				return &unix.SockaddrInet4{Addr: [4]byte(ip.IP.To4())}, nil
			}
			local := &unix.SockaddrInet6{Addr: [16]byte(ip.IP.To16())}
			if ip.IP.IsLinkLocalUnicast() {
				local.ZoneId = uint32(nic.Index)
			}
			return local, nil
		}
	}
	return nil, fmt.Errorf("BindInterface %q: it has no address for this connection", name)
}

// sendQueue is what waits in the kernel to be sent or acknowledged. The kernel has
// its length; what went through it is counted here.
type sendQueue struct {
	mu    sync.Mutex
	given uint64 // what the kernel has taken
	acked uint64
}

// writePiece is how many bytes are written at once: as long as they are on their
// way into the queue, nothing is known of them.
const writePiece = 32 << 10

// write writes to the connection whose queue it is. Its callers take turns.
func (q *sendQueue) write(c net.Conn, p []byte) (int, error) {
	done := 0
	for {
		n, err := c.Write(p[done:min(len(p), done+writePiece)])
		done += n
		q.mu.Lock()
		q.given += uint64(n) //nolint:gosec // a Write returns no less than 0
		q.mu.Unlock()
		if err != nil || done == len(p) {
			return done, err
		}
	}
}

// look returns how many bytes have been acknowledged, and whether more wait for
// that: what was given to the kernel and is not in its queue any more has been.
func (q *sendQueue) look(fd int) (acked uint64, queued bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting, err := unacknowledged(fd)
	if err != nil {
		return 0, false
	}
	// A Write that goes on has bytes in the queue that were not counted yet: the
	// number does not go down for that.
	if w := uint64(waiting); w < q.given { //nolint:gosec // no queue is shorter than 0
		q.acked = max(q.acked, q.given-w)
	}
	return q.acked, waiting > 0
}

// unacknowledged is how many bytes wait in a socket to be sent or acknowledged.
func unacknowledged(fd int) (int, error) {
	if runtime.GOOS == "darwin" {
		return unix.GetsockoptInt(fd, unix.SOL_SOCKET, 0x1024) // SO_NWRITE of <sys/socket.h>
	}
	return unix.IoctlGetInt(fd, 0x40046677) // FIONWRITE of <sys/filio.h>
}
