package mux

import (
	"net"

	"golang.org/x/sys/unix"
)

// sendDescriptor passes one descriptor, with one byte to carry it, as OpenSSH
// expects (mm_send_fd).
func sendDescriptor(c *net.UnixConn, fd int) error {
	_, _, err := c.WriteMsgUnix([]byte{0}, unix.UnixRights(fd), nil)
	return err
}

// receiveDescriptor takes one descriptor. Whatever else came with it is
// closed, and more than one is an error.
func receiveDescriptor(c *net.UnixConn) (int, error) {
	var carrier [1]byte
	control := make([]byte, unix.CmsgSpace(4*4)) // room to notice that there were more
	n, controlled, flags, _, err := c.ReadMsgUnix(carrier[:], control)
	if err != nil {
		return -1, err
	}
	fds, err := parseRights(control[:controlled])
	if err == nil && n == 1 && len(fds) == 1 && flags&unix.MSG_CTRUNC == 0 {
		return fds[0], nil
	}
	for _, fd := range fds {
		_ = unix.Close(fd) // not wanted
	}
	if err != nil {
		return -1, broken("control data: %v", err)
	}
	return -1, broken("%d descriptors with %d bytes, want one of each", len(fds), n)
}

// receiveDescriptors takes n descriptors, or none.
func receiveDescriptors(c *net.UnixConn, n int) ([]int, error) {
	var fds []int
	for len(fds) < n {
		fd, err := receiveDescriptor(c)
		if err != nil {
			for _, fd := range fds {
				_ = unix.Close(fd) // not wanted any more
			}
			return nil, err
		}
		fds = append(fds, fd)
	}
	return fds, nil
}

// parseRights returns the descriptors in a control message, also with an
// error, so that they can be closed.
func parseRights(control []byte) ([]int, error) {
	if len(control) == 0 {
		return nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return nil, err
	}
	var fds []int
	for i := range messages {
		got, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			return fds, err
		}
		fds = append(fds, got...)
	}
	return fds, nil
}

// PeerUser is the user id of the process at the other end of a socket, from the kernel.
func PeerUser(c *net.UnixConn) (uint32, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var user uint32
	var failed error
	if err := raw.Control(func(fd uintptr) { user, failed = peerUser(int(fd)) }); err != nil {
		return 0, err
	}
	return user, failed
}
