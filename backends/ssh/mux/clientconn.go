package mux

import (
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// replyLimit is how long a client may take to accept a reply of a few bytes.
const replyLimit = 10 * time.Second

// clientConn is one control connection. Its requests are read in order by talk; a
// session that it opened runs beside, so that its leaving is noticed.
type clientConn struct {
	master *master
	conn   *net.UnixConn

	replying sync.Mutex
	busy     bool // only in talk: there is a session or a stdio forward
}

// talk answers requests until the client leaves.
func (v *clientConn) talk() error {
	if err := v.send(helloFrame(ourExtension)); err != nil {
		return err
	}
	kind, body, err := readFrame(v.conn)
	if err != nil {
		return err
	}
	if _, err := parseHello(kind, body); err != nil {
		return err
	}
	gone := make(chan struct{})
	defer close(gone)
	for {
		kind, body, err := readFrame(v.conn)
		if err != nil {
			return err
		}
		id := body.u32()
		if body.bad {
			return broken("message %#x without a request id", kind)
		}
		if kind == askProxy && !v.busy {
			return v.proxy(id)
		}
		if err := v.answer(kind, id, body, gone); err != nil {
			return err
		}
	}
}

// answer carries out one request. An error ends the conversation.
func (v *clientConn) answer(kind, id uint32, body *fields, gone <-chan struct{}) error {
	m := v.master
	switch kind {
	case askAlive:
		return v.send(newFrame(sayAlive).u32(id).u32(uint32(os.Getpid())))
	case askTerminate:
		err := v.ok(id)
		m.end(ErrTerminated)
		return err
	case askStopListening:
		if err := m.listener.Close(); err != nil {
			return v.fail(id, "the control socket could not be removed")
		}
		return v.ok(id)
	case askNewSession:
		return v.newSession(id, body, gone)
	case askStdioForward:
		return v.newStdio(id, body, gone)
	case askOpenForward:
		return v.openForward(id, body)
	case askCloseForward:
		return v.closeForward(id, body)
	case msgHello:
		return broken("a second greeting")
	}
	return v.fail(id, "unsupported request")
}

// newSession takes the request and its descriptors, and lets the session run.
func (v *clientConn) newSession(id uint32, body *fields, gone <-chan struct{}) error {
	ask, err := parseSession(body)
	if err != nil {
		return err
	}
	streams, err := v.takeStreams(id, 3)
	if streams == nil {
		return err
	}
	s := &session{
		clientConn: v, ask: ask, request: id, number: v.master.number(), gone: gone,
		in: streams[0], out: streams[1], errs: streams[2],
		resized: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	v.busy = true
	v.master.work.Go(s.run)
	return nil
}

func (v *clientConn) newStdio(id uint32, body *fields, gone <-chan struct{}) error {
	ask, err := parseStdio(body)
	if err != nil {
		return err
	}
	streams, err := v.takeStreams(id, 2)
	if streams == nil {
		return err
	}
	f := &stdioForward{clientConn: v, ask: ask, request: id, gone: gone, in: streams[0], out: streams[1]}
	v.busy = true
	v.master.work.Go(f.run)
	return nil
}

// takeStreams receives n descriptors. It returns none if the client got a
// refusal in place of a session, and an error if it is to be left alone.
func (v *clientConn) takeStreams(id uint32, n int) ([]*stream, error) {
	fds, err := receiveDescriptors(v.conn, n)
	if err != nil {
		_ = v.fail(id, "did not receive file descriptors") // it may be gone, which is the error
		return nil, err
	}
	if v.busy {
		for _, fd := range fds {
			_ = unix.Close(fd) // not wanted
		}
		return nil, v.fail(id, "Multiple sessions not supported")
	}
	streams, err := newStreams(fds)
	if err != nil {
		return nil, v.fail(id, fmt.Sprintf("file descriptors: %v", err))
	}
	return streams, nil
}

func (v *clientConn) send(f frame) error {
	v.replying.Lock()
	defer v.replying.Unlock()
	if err := v.conn.SetWriteDeadline(time.Now().Add(replyLimit)); err != nil {
		return err
	}
	return f.writeTo(v.conn)
}

func (v *clientConn) ok(id uint32) error { return v.send(newFrame(sayOK).u32(id)) }

func (v *clientConn) fail(id uint32, why string) error {
	return v.send(newFrame(sayFailure).u32(id).text(why))
}
