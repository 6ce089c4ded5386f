package ssh_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/ssh/mux"
)

// socket is a path for a control socket, which must be short.
func socket(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "nod")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return filepath.Join(dir, "s")
}

// hold serves a connection to the box on a control socket, as the daemon does.
func (w *world) hold() string { return w.holdAs(w.options()) }

func (w *world) holdAs(opt ssh.Options) string {
	w.t.Helper()
	login, err := ssh.LogIn(w.context(), ssh.Host{Name: "box"}, opt)
	if err != nil {
		w.t.Fatal(err)
	}
	path := socket(w.t)
	l, err := mux.Listen(path)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = mux.Serve(ctx, l, login, mux.Options{}) // ends with its context
	}()
	w.t.Cleanup(func() {
		cancel()
		<-over
	})
	return path
}

// operatorsMaster starts a stock ssh -M.
func (w *world) operatorsMaster() string {
	w.t.Helper()
	path := socket(w.t)
	cmd := exec.Command("ssh", "-F", w.path("config"), "-o", "BatchMode=yes", "-M", "-N", "-S", path, "box")
	cmd.Env = append(os.Environ(), "HOME="+w.home, "SSH_AUTH_SOCK=")
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	until(w.t, "the stock master", func() bool {
		_, err := mux.Dial(w.t.Context(), path)
		return err == nil
	})
	return path
}

// onDaemon shares the connection of nod's daemon, onMaster that of the operator's master.
func onDaemon(path string) func(context.Context, ssh.Settings, time.Duration) (*ssh.SharedConn, error) {
	return func(ctx context.Context, _ ssh.Settings, _ time.Duration) (*ssh.SharedConn, error) {
		client, err := mux.DialProxy(ctx, path)
		return &ssh.SharedConn{Client: client}, err
	}
}

func onMaster(path string) func(context.Context, ssh.Settings, time.Duration) (*ssh.SharedConn, error) {
	return func(ctx context.Context, _ ssh.Settings, _ time.Duration) (*ssh.SharedConn, error) {
		master, err := mux.Dial(ctx, path)
		return &ssh.SharedConn{Master: master}, err
	}
}

func TestConformanceOnAHolder(t *testing.T) {
	t.Setenv("NOD_TEST_SECRET", "must not be sent")
	w := newWorld(t, "MaxSessions 100")
	opt := w.options()
	opt.Shared = onDaemon(w.hold())
	backendtest.Run(t, func(*testing.T) backends.Target { return w.dial(opt) })
	if n := strings.Count(w.sshd.Log(), "Accepted publickey"); n != 1 {
		t.Errorf("%d logins", n)
	}
}

func TestConformanceOnTheOperatorsMaster(t *testing.T) {
	t.Setenv("NOD_TEST_SECRET", "must not be sent")
	w := newWorld(t, "MaxSessions 100")
	opt := w.options()
	opt.Shared = onMaster(w.operatorsMaster())
	backendtest.RunUntold(t, func(*testing.T) backends.Target { return w.dial(opt) })
	if n := strings.Count(w.sshd.Log(), "Accepted publickey"); n != 1 {
		t.Errorf("%d logins", n)
	}
}

// A master answers by itself when its link is dead: what is being started then is given up with
// the connection, and does not keep another one from being made.
func TestAStartOnAMasterThatHangsIsGivenUp(t *testing.T) {
	files := newWorld(t)
	lock, begun := files.path("lock"), files.path("begun")
	w := newWorld(t, `ForceCommand test -e `+lock+` && touch `+begun+`; while test -e `+lock+`; do sleep 0.05; done; exec sh -c "$SSH_ORIGINAL_COMMAND"`)
	opt := w.options()
	opt.Shared, opt.Keepalive = onMaster(w.operatorsMaster()), 200*time.Millisecond
	c := w.dial(opt)
	files.write("lock", "")
	failed := make(chan error, 1)
	go func() {
		_, err := c.Exec(t.Context(), backends.Command{Argv: []string{"true"}})
		failed <- err
	}()
	until(t, "the shell", func() bool { _, err := os.Stat(begun); return err == nil })
	w.freeze()
	select {
	case err := <-failed:
		if !errors.Is(err, ssh.ErrUnsure) || !errors.Is(err, backends.ErrUnreachable) {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("it waits for the shell")
	}
}

func TestTheEndOfTheOperatorsMasterIsNoticed(t *testing.T) {
	w := newWorld(t)
	path := w.operatorsMaster()
	opt := w.options()
	opt.Shared, opt.Keepalive = onMaster(path), 200*time.Millisecond // a busy machine is silent for a while
	c := w.dial(opt)
	cmd := exec.Command("ssh", "-F", w.path("config"), "-S", path, "-O", "exit", "box")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	select {
	case <-c.Done():
	case <-time.After(patience):
		t.Fatal("not noticed")
	}
	if !errors.Is(c.Err(), ssh.ErrLost) {
		t.Errorf("%v", c.Err())
	}
}

// A connection that nod's daemon holds and that rests is found dead all the same, by whoever
// holds it, when something is sent on it.
func TestALossIsFoundAtRest(t *testing.T) {
	w := newWorld(t)
	opt := w.options()
	opt.Keepalive = 50 * time.Millisecond
	opt.Shared = onDaemon(w.holdAs(opt))
	c := w.dial(opt)
	c.SetUse(ssh.AtRest)
	if o, out, _ := run(t, c, "echo", "on"); !o.OK() || out != "on\n" {
		t.Errorf("%s, %q", o, out)
	}
	var started lines
	p, err := c.Exec(w.context(), backends.Command{Argv: []string{"sh", "-c", "echo on; exec cat"}, Stdin: endless(t), Stdout: &started})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the program's start", func() bool { return started.String() == "on\n" })
	w.freeze()
	if o, err := p.Wait(); o.State != backends.Unknown || !errors.Is(err, ssh.ErrLost) {
		t.Errorf("%s, %v", o, err)
	}
	<-c.Done()
}
