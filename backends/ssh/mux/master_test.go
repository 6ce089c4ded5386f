package mux

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestLostLink: when the connection is given up while the far side is frozen,
// every client ends, and the socket is gone.
func TestLostLink(t *testing.T) {
	s := startSSHD(t)
	f := startNod(t, s)
	if r := f.ssh("", "-O", "forward", "-R", "0:127.0.0.1:1", "host"); r.code != 0 {
		t.Fatal(r)
	}
	tty := f.terminal("echo ready; exec sleep 1000")
	tty.see("ready")
	c, err := Dial(t.Context(), f.socket)
	check(t, err)
	running, err := c.Start(t.Context(), Request{Command: "echo ready; exec cat"})
	check(t, err)
	defer quietly(running)
	_, err = io.ReadFull(running.Stdout, make([]byte, 6))
	check(t, err)
	client, err := DialProxy(t.Context(), f.socket)
	check(t, err)
	defer quietly(client)
	defer s.freeze(t)()
	opening := exec.Command("ssh", f.args("-n", "host", "true")...)
	check(t, opening.Start())
	stdio := exec.Command("ssh", f.args("-W", "127.0.0.1:1", "host")...)
	stdin, err := stdio.StdinPipe()
	check(t, err)
	defer quietly(stdin)
	check(t, stdio.Start())

	start := time.Now()
	quietly(f.conn) // what a keepalive does when it has waited long enough
	<-f.ended
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	if f.err == nil || errors.Is(f.err, ErrTerminated) || !strings.Contains(f.err.Error(), "connection ended") {
		t.Errorf("Serve: %v", f.err)
	}
	if _, err := os.Lstat(f.socket); !os.IsNotExist(err) {
		t.Errorf("the socket: %v", err)
	}
	if out := tty.end(); !strings.HasSuffix(out, "code 255") {
		t.Errorf("terminal: %s", out)
	}
	if _, err := running.Wait(); !errors.Is(err, ErrNoExitStatus) {
		t.Errorf("exec: %v", err)
	}
	_ = opening.Wait()
	_ = stdio.Wait()
	if code := opening.ProcessState.ExitCode(); code != 255 {
		t.Errorf("the session being opened: %d", code)
	}
	if err := client.Wait(); err == nil {
		t.Error("proxy: no error")
	}
}

// TestServeEndsOnFrozenLink: ending a master waits for nothing that the far
// side would have to say.
func TestServeEndsOnFrozenLink(t *testing.T) {
	s := startSSHD(t)
	f := newFixture(t, "nod", s)
	l, err := Listen(f.socket)
	check(t, err)
	conn := s.dial(t)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		defer close(f.ended)
		f.err = Serve(ctx, l, conn, Options{})
	}()
	if r := f.ssh("", "-O", "forward", "-R", "0:127.0.0.1:1", "host"); r.code != 0 {
		t.Fatal(r)
	}
	defer s.freeze(t)()
	cancel(cause)
	select {
	case <-f.ended:
	case <-time.After(patience):
		quietly(conn)
		t.Fatal("Serve waits for the far side")
	}
	if !errors.Is(f.err, cause) {
		t.Errorf("Serve: %v", f.err)
	}
}

// TestDeafClient: a client that takes no output and dies leaves nothing behind.
func TestDeafClient(t *testing.T) {
	s := startSSHD(t)
	f := newFixture(t, "nod", s)
	l, err := Listen(f.socket)
	check(t, err)
	conn := s.dial(t)
	var open, most atomic.Int64
	go func() {
		defer close(f.ended)
		_ = Serve(t.Context(), l, conn, Options{Activity: func(n int) {
			open.Store(int64(n))
			most.Store(max(most.Load(), int64(n)))
		}})
	}()
	defer func() { <-f.ended }()
	defer func() { _ = Terminate(t.Context(), f.socket) }()
	c, err := Dial(t.Context(), f.socket)
	check(t, err)
	for _, q := range []Request{
		{Command: "yes"},
		{Command: "yes >&2"},
		{Command: "yes", Terminal: &Terminal{Term: "vt220", Cols: 80, Rows: 24}},
	} {
		session, err := c.Start(t.Context(), q)
		check(t, err)
		buf := make([]byte, 1)
		out := session.Stdout
		if strings.Contains(q.Command, "&2") {
			out = session.Stderr
		}
		_, err = io.ReadFull(out, buf)
		check(t, err)
		check(t, session.Close())
	}
	// One whose standard error is full before the master has something to say.
	theirs, mine, err := pipes(1, 2)
	check(t, err)
	defer closeFiles(mine)
	defer closeFiles(theirs)
	check(t, theirs[2].SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
	_, _ = theirs[2].Write(make([]byte, 1<<20))
	check(t, c.with(t.Context(), patience, func(r *masterConn) error {
		check(t, sessionAsk{agent: true, escape: noEscape, command: "true"}.frame(r.request()).writeTo(r.conn))
		check(t, r.sendFiles(theirs...))
		_, err := r.reply(sayOpened)
		return err
	}))
	until(t, "the sessions' end", func() bool { return open.Load() == 0 })
	if most.Load() == 0 {
		t.Error("activity was not told")
	}
}

// TestRefusals: what the far side or this master does not give is said on
// standard error, and nothing is logged in afresh.
func TestRefusals(t *testing.T) {
	s := startSSHD(t, "PermitTTY no", "DisableForwarding yes")
	nod, stock := startNod(t, s), startStock(t, s)
	var out [2]string
	for i, f := range []*fixture{nod, stock} {
		term := f.terminal("echo no tty; tty")
		// The master's words and the program's come by two ways, in any order.
		said := strings.Fields(strings.NewReplacer(`\r`, " ", `\n`, " ", `"`, " ").Replace(term.end()))
		slices.Sort(said)
		out[i] = f.neutral(strings.Join(said, " ") + f.ssh("-W", "-W", "127.0.0.1:1", "host").String())
	}
	if out[0] != out[1] {
		t.Errorf("nod:\n%s\nstock:\n%s", out[0], out[1])
	}
	if !strings.Contains(out[0], "PTY") {
		t.Error(out[0])
	}
	if r := nod.ssh("", "-s", "host", "nothing"); r != (result{stderr: "subsystem request failed\r\n", code: 255}) {
		t.Errorf("unknown subsystem: %v", r)
	}
	r := nod.run("", []string{"DISPLAY=:77"}, "ssh", nod.args("-A", "-X", "host", "echo on; env | grep -c -e SSH_AUTH_SOCK -e DISPLAY")...)
	if r.stdout != "on\n0\n" || !strings.Contains(r.stderr, "nod: agent forwarding is not available") || !strings.Contains(r.stderr, "nod: X11 forwarding is not available") {
		t.Errorf("-A -X: %v", r)
	}
	c, err := Dial(t.Context(), stock.socket)
	check(t, err)
	session, err := c.Start(t.Context(), Request{Command: "exec cat", Terminal: &Terminal{Term: "vt220"}})
	check(t, err)
	defer quietly(session)
	if _, err := session.Wait(); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("a terminal that is not given: %v", err)
	}
}

// TestMasterRules are the requests that no stock client makes.
func TestMasterRules(t *testing.T) {
	f := startNod(t, startSSHD(t))
	talk := func() *masterConn {
		c := &Client{path: f.socket}
		r, err := c.connect(t.Context())
		check(t, err)
		t.Cleanup(func() { quietly(r.conn) })
		check(t, r.conn.SetDeadline(time.Now().Add(patience)))
		return r
	}
	refused := func(name string, r *masterConn, ask frame, words string) {
		t.Helper()
		check(t, ask.writeTo(r.conn))
		var refusal *RefusedError
		if _, err := r.reply(sayOK); !errors.As(err, &refusal) || refusal.Reason != words {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := talk()
	if !r.ours() {
		t.Error("nod's master does not say so")
	}
	refused("unknown request", r, newFrame(0x10000077).u32(r.request()), "unsupported request")
	refused("EXT_INFO", r, newFrame(0x20000001).u32(r.request()).text("connection"), "unsupported request")
	for _, a := range []forwardAsk{
		{kind: 4, listenPort: 1, connectHost: "h", connectPort: 1},
		{kind: forwardDynamic, listenHost: "/x", listenPort: portUnix},
		{kind: forwardLocal, listenPort: 0, connectHost: "h", connectPort: 1},
		{kind: forwardLocal, listenPort: 1, connectHost: "h"},
		{kind: forwardLocal, listenPort: 1, connectPort: 1},
		{kind: forwardRemote, listenPort: 1, connectPort: 1},
	} {
		refused("forward", r, newFrame(askOpenForward).u32(r.request()).u32(a.kind).text(a.listenHost).u32(a.listenPort).text(a.connectHost).u32(a.connectPort), "Invalid forwarding request")
	}
	if _, err := r.alive(); err != nil {
		t.Errorf("after refusals: %v", err)
	}
	cut := func(name string, say func(r *masterConn)) {
		t.Helper()
		r := talk()
		say(r)
		rest, err := io.ReadAll(r.conn)
		if err != nil && !errors.Is(err, unix.ECONNRESET) {
			t.Errorf("%s: %v after %q", name, err, rest)
		}
	}
	cut("a port of 70000", func(r *masterConn) {
		_ = newFrame(askOpenForward).u32(1).u32(1).text("").u32(70000).text("h").u32(1).writeTo(r.conn)
	})
	cut("a second greeting", func(r *masterConn) { _ = helloFrame().writeTo(r.conn) })
	cut("no request id", func(r *masterConn) { _ = newFrame(askAlive).writeTo(r.conn) })
	cut("a long frame", func(r *masterConn) { _, _ = r.conn.Write([]byte{0, 4, 0, 1}) })
	cut("no descriptors", func(r *masterConn) {
		_ = sessionAsk{command: "true"}.frame(1).writeTo(r.conn)
		_, _ = r.conn.Write([]byte{0, 0, 0})
	})
	cut("two descriptors at once", func(r *masterConn) {
		_ = sessionAsk{command: "true"}.frame(1).writeTo(r.conn)
		_, _, _ = r.conn.WriteMsgUnix([]byte{0}, unix.UnixRights(0, 1), nil)
	})
	raw, err := net.Dial("unix", f.socket)
	check(t, err)
	defer quietly(raw)
	check(t, newFrame(askAlive).u32(1).writeTo(raw)) // without a greeting
	if rest, err := io.ReadAll(raw); err != nil || len(rest) > 40 {
		t.Errorf("without a greeting: %q %v", rest, err)
	}
	// One session for one conversation, and questions beside it.
	r = talk()
	theirs, mine, err := pipes(1, 2)
	check(t, err)
	defer closeFiles(mine)
	defer closeFiles(theirs)
	check(t, sessionAsk{escape: noEscape, command: "cat"}.frame(r.request()).writeTo(r.conn))
	check(t, r.sendFiles(theirs...))
	if _, err := r.reply(sayOpened); err != nil {
		t.Fatal(err)
	}
	second := sessionAsk{escape: noEscape, command: "true"}.frame(r.request())
	check(t, second.writeTo(r.conn))
	check(t, r.sendFiles(theirs...))
	var refusal *RefusedError
	if _, err := r.reply(sayOpened); !errors.As(err, &refusal) || refusal.Reason != "Multiple sessions not supported" {
		t.Errorf("a second session: %v", err)
	}
	if pid, err := r.alive(); pid != os.Getpid() || err != nil {
		t.Errorf("beside a session: %d %v", pid, err)
	}
}
