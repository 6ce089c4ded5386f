package mux

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// onBoth runs a test on nod's master and on a stock one.
func onBoth(t *testing.T, run func(t *testing.T, f *fixture, c *Client)) {
	s := startSSHD(t)
	for _, start := range []func(testing.TB, *server) *fixture{startNod, startStock} {
		f := start(t, s)
		t.Run(f.kind, func(t *testing.T) {
			here := *f
			here.t = t
			c, err := Dial(t.Context(), f.socket)
			check(t, err)
			run(t, &here, c)
		})
	}
}

// runs starts a command, feeds it, and returns what it said.
func runs(t testing.TB, c *Client, q Request, input string) (stdout, stderr string, code int, err error) {
	t.Helper()
	s, err := c.Start(t.Context(), q)
	check(t, err)
	defer quietly(s)
	var work sync.WaitGroup
	var out, errs []byte
	work.Go(func() {
		_, _ = io.WriteString(s.Stdin, input)
		_ = s.Stdin.Close()
	})
	work.Go(func() { out, _ = io.ReadAll(s.Stdout) })
	work.Go(func() { errs, _ = io.ReadAll(s.Stderr) })
	work.Wait()
	code, err = s.Wait()
	return string(out), string(errs), code, err
}

func TestClientExec(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture, c *Client) {
		if pid, err := c.Check(t.Context()); err != nil || pid != f.pid {
			t.Errorf("pid %d, %v, want %d", pid, err, f.pid)
		}
		out, errs, code, err := runs(t, c, Request{Command: "cat; echo e >&2; exit 7"}, "in")
		if out != "in" || errs != "e\n" || code != 7 || err != nil {
			t.Errorf("%q %q %d %v", out, errs, code, err)
		}
		out, _, _, err = runs(t, c, Request{Command: "echo $NOD_A ${OTHER-no}", Env: []string{"NOD_A=b", "OTHER=c"}}, "")
		if out != "b no\n" || err != nil {
			t.Errorf("%q %v", out, err)
		}
		if _, _, _, err = runs(t, c, Request{Command: "kill -9 $$"}, ""); !errors.Is(err, ErrNoExitStatus) {
			t.Errorf("killed: %v", err)
		}
		out, _, code, err = runs(t, c, Request{}, "echo shell $((1+1)); exit 3\n")
		if out != "shell 2\n" || code != 3 || err != nil {
			t.Errorf("shell: %q %d %v", out, code, err)
		}
		// The sftp protocol's greeting and its answer.
		sftp, err := c.Start(t.Context(), Request{Command: "sftp", Subsystem: true})
		check(t, err)
		defer quietly(sftp)
		_, err = io.WriteString(sftp.Stdin, "\x00\x00\x00\x05\x01\x00\x00\x00\x03")
		check(t, err)
		version := make([]byte, 9)
		if _, err := io.ReadFull(sftp.Stdout, version); err != nil || string(version[4:]) != "\x02\x00\x00\x00\x03" {
			t.Errorf("sftp: %q %v", version, err)
		}
		if _, _, _, err = runs(t, c, Request{Command: "nothing", Subsystem: true}, ""); !errors.Is(err, ErrNoExitStatus) {
			t.Errorf("unknown subsystem: %v", err)
		}
	})
}

func TestClientTerminal(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture, c *Client) {
		s, err := c.Start(t.Context(), Request{
			Command:  `echo "$TERM $(stty size)"; trap 'stty size; exit 5' WINCH; read x; echo "<$x>"; while :; do sleep 0.05; done`,
			Terminal: &Terminal{Term: "vt220", Cols: 101, Rows: 33},
		})
		check(t, err)
		defer quietly(s)
		out := bufio.NewReader(s.Stdout)
		line := func() string {
			l, err := out.ReadString('\n')
			if err != nil {
				t.Fatalf("%q %v", l, err)
			}
			return l
		}
		if l := line(); l != "vt220 33 101\r\n" {
			t.Errorf("%q", l)
		}
		_, err = io.WriteString(s.Stdin, "x\r")
		check(t, err)
		// Echoed once, by the far side only; and each end of line arrives as it was sent.
		if l := line() + line(); l != "x\r\n<x>\r\n" {
			t.Errorf("%q", l)
		}
		check(t, s.Resize(122, 44))
		if l := line(); l != "44 122\r\n" {
			t.Errorf("%q", l)
		}
		if rest, err := io.ReadAll(out); len(rest) != 0 || err != nil {
			t.Errorf("%q %v", rest, err)
		}
		if code, err := s.Wait(); code != 5 || err != nil {
			t.Errorf("%d %v", code, err)
		}
		if s.Resize(-1, 1) == nil || s.Resize(1, 1<<16) == nil {
			t.Error("an impossible size is accepted")
		}
	})
}

// TestEarlyOutput: what a master writes before the client can have made its
// terminal raw arrives as it was sent, from either stream. A stock master may
// do so: it sends no output before the reply, but the client needs a moment to
// read that.
func TestEarlyOutput(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	l, err := net.Listen("unix", path)
	check(t, err)
	ended := make(chan error, 1)
	go func() { ended <- writeEarly(l) }()
	s, err := (&Client{path: path}).Start(t.Context(), Request{
		Command: "true", Terminal: &Terminal{Term: "vt220", Cols: 101, Rows: 33},
	})
	check(t, err)
	defer quietly(s)
	if out, err := io.ReadAll(s.Stdout); string(out) != "33 101\r\nerror\r\n" || err != nil {
		t.Errorf("%q %v", out, err)
	}
	if code, err := s.Wait(); code != 3 || err != nil {
		t.Errorf("%d %v", code, err)
	}
	check(t, <-ended)
	check(t, l.Close())
}

// writeEarly is a master of one session, which writes before it replies.
func writeEarly(l net.Listener) error {
	raw, err := l.Accept()
	if err != nil {
		return err
	}
	conn := raw.(*net.UnixConn)
	defer quietly(conn)
	if err := helloFrame().writeTo(conn); err != nil {
		return err
	}
	for _, reply := range []func(id uint32) frame{
		nil, // to the greeting
		func(id uint32) frame { return newFrame(sayAlive).u32(id).u32(uint32(os.Getpid())) },
		nil, // to the request of a session, whose descriptors follow
	} {
		_, body, err := readFrame(conn)
		if err != nil {
			return err
		}
		if reply != nil {
			if err := reply(body.u32()).writeTo(conn); err != nil {
				return err
			}
		}
	}
	fds, err := receiveDescriptors(conn, 3)
	if err != nil {
		return err
	}
	size := terminalSize(fds[0])
	var files []*os.File
	for _, fd := range fds {
		files = append(files, os.NewFile(uintptr(fd), "passed"))
	}
	_, err = fmt.Fprintf(files[1], "%d %d\r\n", size.Row, size.Col)
	_, errs := io.WriteString(files[2], "error\r\n")
	closeFiles(files)
	return errors.Join(err, errs,
		newFrame(sayOpened).u32(2).u32(7).writeTo(conn),
		newFrame(sayExit).u32(7).u32(3).writeTo(conn))
}

func TestClientDial(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture, c *Client) {
		l, err := net.Listen("unix", filepath.Join(f.dir, "far"))
		check(t, err)
		ponger(t, l)
		for network, address := range map[string]string{"tcp": "127.0.0.1:" + pongTCP(t), "unix": filepath.Join(f.dir, "far")} {
			conn, err := c.DialContext(t.Context(), network, address)
			check(t, err)
			_, _ = fmt.Fprint(conn, network)
			check(t, conn.(halfCloser).CloseWrite())
			check(t, conn.SetReadDeadline(time.Now().Add(patience)))
			answer, err := io.ReadAll(conn)
			if string(answer) != "pong over "+network || err != nil {
				t.Errorf("%q %v", answer, err)
			}
			check(t, conn.Close())
		}
		var refused *RefusedError
		if _, err := c.DialContext(t.Context(), "tcp", "127.0.0.1:"+freePort(t)); !errors.As(err, &refused) || refused.Denied {
			t.Errorf("nobody listens: %v", err)
		}
		for _, bad := range []string{"127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000"} {
			if _, err := c.DialContext(t.Context(), "tcp", bad); err == nil {
				t.Errorf("dial %q", bad)
			}
		}
		if _, err := c.DialContext(t.Context(), "udp", "127.0.0.1:1"); err == nil {
			t.Error("dial udp")
		}
	})
}

// TestClientGivesUp: a program that waits for input is given up, and the
// master goes on.
func TestClientGivesUp(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture, c *Client) {
		s, err := c.Start(t.Context(), Request{Command: "echo ready; exec cat"})
		check(t, err)
		_, err = io.ReadFull(s.Stdout, make([]byte, 6))
		check(t, err)
		check(t, s.Close())
		check(t, s.Close())
		if _, err := s.Wait(); !errors.Is(err, ErrNoExitStatus) {
			t.Errorf("given up: %v", err)
		}
		if out, _, _, err := runs(t, c, Request{Command: "echo on"}, ""); out != "on\n" || err != nil {
			t.Errorf("%q %v", out, err)
		}
	})
}

// TestGiveUpKeepsWhatCame: what has come from a session that is given up can still
// be read.
func TestGiveUpKeepsWhatCame(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture, c *Client) {
		const size = 50_000 // fits into a pipe
		s, err := c.Start(t.Context(), Request{Command: fmt.Sprintf("head -c %d /dev/zero; echo all >&2; exec cat", size)})
		check(t, err)
		_, err = io.ReadFull(s.Stderr, make([]byte, 4))
		check(t, err)
		until(t, "all of it here", func() bool {
			n, err := unread(int(s.Stdout.(*os.File).Fd()))
			return err == nil && n == size
		})
		s.GiveUp()
		out, err := io.ReadAll(s.Stdout)
		if len(out) != size || err != nil {
			t.Errorf("%d bytes, %v", len(out), err)
		}
		check(t, s.Close())
	})
}

// TestKilledClient: processes are killed in the middle of an open. The
// operator's master still answers.
func TestKilledClient(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture, c *Client) {
		for range 5 {
			release := f.server.freeze(t)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), helperEnv+"="+f.socket)
			out, err := cmd.StdoutPipe()
			check(t, err)
			check(t, cmd.Start())
			line, _ := bufio.NewReader(out).ReadString('\n')
			if line != "opening\n" {
				t.Errorf("helper: %q", line)
			}
			time.Sleep(20 * time.Millisecond) // some way into the open; every instant must do
			check(t, cmd.Process.Kill())
			_ = cmd.Wait()
			release()
			if pid, err := c.Check(t.Context()); err != nil || pid != f.pid {
				t.Fatalf("the master is gone: %d %v", pid, err)
			}
			if out, _, _, err := runs(t, c, Request{Command: "echo on"}, ""); out != "on\n" || err != nil {
				t.Fatalf("%q %v", out, err)
			}
		}
	})
}

// freeze stops the connections of a server until the returned call.
func (s *server) freeze(t testing.TB) (release func()) {
	t.Helper()
	var all []int
	var find func(pid int)
	find = func(pid int) {
		for _, c := range children(pid) {
			all = append(all, c)
			find(c)
		}
	}
	find(s.cmd.Process.Pid)
	for _, pid := range all {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	var once sync.Once
	release = func() {
		once.Do(func() {
			for _, pid := range all {
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}
		})
	}
	t.Cleanup(release)
	return release
}

// TestClientContext: an open on a frozen link ends with its context.
func TestClientContext(t *testing.T) {
	onBoth(t, func(t *testing.T, f *fixture, c *Client) {
		release := f.server.freeze(t)
		defer release()
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
		if _, err := c.Start(ctx, Request{Command: "true"}); !errors.Is(err, cause) {
			t.Errorf("start: %v", err)
		}
		if _, err := c.DialContext(ctx, "tcp", "127.0.0.1:1"); !errors.Is(err, cause) {
			t.Errorf("dial: %v", err)
		}
		// The master itself knows its answer, frozen link or not.
		if _, err := c.Check(t.Context()); err != nil {
			t.Errorf("check: %v", err)
		}
		release()
		if out, _, _, err := runs(t, c, Request{Command: "echo on"}, ""); out != "on\n" || err != nil {
			t.Errorf("%q %v", out, err)
		}
	})
}

// TestMasterDies: what was running has an unknown outcome, and the next call
// says that the master is gone.
func TestMasterDies(t *testing.T) {
	f := startStock(t, startSSHD(t))
	c, err := Dial(t.Context(), f.socket)
	check(t, err)
	s, err := c.Start(t.Context(), Request{Command: "echo ready; exec cat"})
	check(t, err)
	defer quietly(s)
	_, err = io.ReadFull(s.Stdout, make([]byte, 6))
	check(t, err)
	check(t, syscall.Kill(f.pid, syscall.SIGKILL))
	if _, err := s.Wait(); !errors.Is(err, ErrNoExitStatus) {
		t.Errorf("%v", err)
	}
	<-f.ended
	if _, err := c.Check(t.Context()); !errors.Is(err, ErrStale) {
		t.Errorf("stale: %v", err)
	}
	check(t, os.Remove(f.socket))
	if _, err := Dial(t.Context(), f.socket); !errors.Is(err, ErrNoMaster) {
		t.Errorf("missing: %v", err)
	}
}

// TestBadSockets: whatever is at the path, the error says so in time.
func TestBadSockets(t *testing.T) {
	dir := shortDir(t)
	made := 0
	answering := func(t *testing.T, answer string) string {
		made++
		path := filepath.Join(dir, fmt.Sprint("s", made))
		l, err := net.Listen("unix", path)
		check(t, err)
		var work sync.WaitGroup
		work.Go(func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				work.Go(func() {
					_, _ = io.WriteString(c, answer)
					_, _ = io.Copy(io.Discard, c)
					_ = c.Close()
				})
			}
		})
		t.Cleanup(func() {
			_ = l.Close()
			work.Wait()
		})
		return path
	}
	hello := string(helloFrame().bytes())
	for _, c := range []struct {
		name, answer string
		want         error
	}{
		{"silent", "", ErrHung},
		{"silent after the greeting", hello, ErrHung},
		{"not this protocol", "HTTP/1.1 400 Bad Request\r\n\r\n", ErrProtocol},
		{"another version", string(newFrame(msgHello).u32(5).bytes()), ErrProtocol},
		{"another reply", hello + string(newFrame(sayOK).u32(1).bytes()), ErrProtocol},
		{"a reply to nothing", hello + string(newFrame(sayAlive).u32(77).u32(5).bytes()), ErrProtocol},
		{"process 1", hello + string(newFrame(sayAlive).u32(1).u32(1).bytes()), ErrProtocol},
		{"process -1", hello + string(newFrame(sayAlive).u32(1).bytes()), ErrProtocol},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := answering(t, c.answer)
			client := &Client{path: path}
			err := client.with(t.Context(), 100*time.Millisecond, func(r *masterConn) error {
				_, err := r.alive()
				return err
			})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
	var refused *RefusedError
	client := &Client{path: answering(t, hello+string(newFrame(sayDenied).u32(1).text("no").bytes()))}
	if _, err := client.Check(t.Context()); !errors.As(err, &refused) || !refused.Denied || refused.Reason != "no" {
		t.Errorf("denied: %v", err)
	}
	if _, err := Dial(t.Context(), filepath.Join(dir, strings.Repeat("x", 108))); !errors.Is(err, ErrPathTooLong) {
		t.Errorf("too long: %v", err)
	}
	full := filepath.Join(dir, "full")
	fd, err := blockingSocket()
	check(t, err)
	defer func() { _ = unix.Close(fd) }()
	check(t, unix.Bind(fd, &unix.SockaddrUnix{Name: full}))
	check(t, unix.Listen(fd, 0))
	first, err := net.Dial("unix", full)
	check(t, err)
	defer quietly(first)
	if _, err := Dial(t.Context(), full); !errors.Is(err, ErrHung) {
		t.Errorf("full queue: %v", err)
	}
}

func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mux")
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
