package ssh_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/ssh"
)

// freeze stops all sshd, as a link that swallows everything would look like.
func (w *world) freeze() { w.sshd.Signal(syscall.SIGSTOP) }

// A peer that does not answer is found out, and what ran has an unknown
// outcome.
func TestAFrozenPeerIsLost(t *testing.T) {
	w := newWorld(t)
	opt := w.options()
	opt.Keepalive = 50 * time.Millisecond
	c := w.dial(opt)
	var started lines
	p, err := c.Exec(w.context(), backends.Command{Argv: []string{"sh", "-c", "echo on; exec cat"}, Stdin: endless(t), Stdout: &started})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the program's start", func() bool { return started.String() == "on\n" })
	until(t, "an answer", func() bool { return c.Latency() > 0 })
	w.freeze()
	if o, err := p.Wait(); o.State != backends.Unknown || !errors.Is(err, ssh.ErrLost) || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("%s, %v", o, err)
	}
	<-c.Done()
	if !errors.Is(c.Err(), ssh.ErrLost) {
		t.Error(c.Err())
	}
	if _, err := c.Exec(w.context(), backends.Command{Argv: []string{"true"}}); !errors.Is(err, ssh.ErrLost) {
		t.Errorf("exec: %v", err)
	}
	if _, err := c.Files().Stat(w.context(), "/"); !errors.Is(err, ssh.ErrLost) {
		t.Errorf("stat: %v", err)
	}
	if err := p.Signal(backends.TERM); err != nil {
		t.Errorf("signal to what has ended: %v", err)
	}
}

// No call outlives its context by more than the time to make sure, while the
// loss is not noticed yet.
func TestCallsEndOnAFrozenPeer(t *testing.T) {
	w := newWorld(t)
	opt := w.options()
	opt.Keepalive = time.Hour
	c := w.dial(opt)
	if _, err := c.Files().Stat(w.context(), "/"); err != nil { // the sftp session is there
		t.Fatal(err)
	}
	running, stop := context.WithCancel(w.context())
	p, err := c.Exec(running, backends.Command{Argv: []string{"cat"}, Stdin: endless(t)})
	if err != nil {
		t.Fatal(err)
	}
	w.freeze()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	calls := map[string]func() error{
		"exec": func() error {
			_, err := c.Exec(ctx, backends.Command{Argv: []string{"true"}})
			if !errors.Is(err, ssh.ErrUnsure) {
				t.Errorf("exec: %v", err)
			}
			return err
		},
		"terminal": func() error {
			_, err := c.Terminal(ctx, backends.Command{Argv: []string{"true"}}, backends.Size{Cols: 80, Rows: 24})
			return err
		},
		"open":  func() error { _, err := c.Files().Open(ctx, "/etc/passwd"); return err },
		"stat":  func() error { _, err := c.Files().Stat(ctx, "/"); return err },
		"list":  func() error { _, err := c.Files().List(ctx, "/"); return err },
		"write": func() error { _, err := c.Files().Write(ctx, "/nowhere", nil, backends.WriteOptions{}); return err },
		"exact": func() error { _, err := exact(c).OpenExact(ctx, "/etc/passwd"); return err },
	}
	var wg sync.WaitGroup
	for name, call := range calls {
		wg.Go(func() {
			began := time.Now()
			err := call()
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 10*time.Second {
				t.Errorf("%s: %v after %s", name, err, time.Since(began))
			}
		})
	}
	wg.Wait()
	stop()
	began := time.Now()
	if o, err := p.Wait(); o.State != backends.Unknown || !errors.Is(err, context.Canceled) || time.Since(began) > 15*time.Second {
		t.Errorf("%s, %v after %s", o, err, time.Since(began))
	}
	w.sshd.HangUp()
}

// A link that breaks while a program is being started leaves it open whether it
// was.
func TestALinkThatBreaksAtTheStart(t *testing.T) {
	w := newWorld(t, "PermitTTY no")
	opt := w.options()
	opt.Keepalive = time.Hour
	c := w.dial(opt)
	if _, err := c.Terminal(w.context(), backends.Command{Argv: []string{"true"}}, backends.Size{Cols: 80, Rows: 24}); err == nil || !strings.Contains(err.Error(), "terminal: the server refuses") {
		t.Errorf("no terminals: %v", err)
	}
	w.freeze()
	done := make(chan error, 1)
	go func() {
		_, err := c.Exec(w.context(), backends.Command{Argv: []string{"true"}})
		done <- err
	}()
	time.AfterFunc(100*time.Millisecond, w.sshd.HangUp)
	if err := <-done; !errors.Is(err, ssh.ErrLost) || !errors.Is(err, ssh.ErrUnsure) {
		t.Errorf("%v", err)
	}
}

// The server's limit of sessions makes calls wait, not fail.
func TestSessionsAreShared(t *testing.T) {
	w := newWorld(t, "MaxSessions 3")
	c := w.dial(w.options())
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			if o, out, _ := run(t, c, "echo", fmt.Sprint(i)); !o.OK() || out != fmt.Sprintln(i) {
				t.Errorf("%s, %q", o, out)
			}
		})
	}
	wg.Wait()
	// What waits does so within its context, and a cancel needs no session.
	ctx, cancel := context.WithCancel(w.context())
	var all []backends.Process
	for range 2 {
		p, err := c.Exec(ctx, backends.Command{Argv: []string{"sleep", "1000"}})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	full := false
	for range 2 { // nod's own session has made way for the first of them, or takes its place
		tried, giveUp := context.WithCancelCause(ctx)
		waits := time.AfterFunc(200*time.Millisecond, func() { giveUp(context.DeadlineExceeded) })
		p, err := c.Exec(tried, backends.Command{Argv: []string{"sleep", "1000"}})
		if err != nil {
			full = true
			if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ssh.ErrUnsure) {
				t.Errorf("one more: %v", err)
			}
			break
		}
		if waits.Stop() {
			all = append(all, p)
		} else { // it came as its time was over
			_, _ = p.Wait()
		}
	}
	if !full {
		t.Error("more sessions than the server allows")
	}
	cancel()
	for _, p := range all {
		if o, err := p.Wait(); o != backends.EndedBy(backends.TERM) || !errors.Is(err, context.Canceled) {
			t.Errorf("%s, %v", o, err)
		}
	}
}

// A server that allows one session on a connection runs everything, one after the
// other, also for several that share the connection.
func TestOneSessionIsEnough(t *testing.T) {
	w := newWorld(t, "MaxSessions 1")
	opt := w.options()
	opt.Shared = onDaemon(w.hold())
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			c, err := ssh.Dial(w.context(), ssh.Host{Name: "box"}, opt)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 3 {
				if o, out, _ := run(t, c, "echo", fmt.Sprint(i)); !o.OK() || out != fmt.Sprintln(i) {
					t.Errorf("%s, %q", o, out)
				}
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// Somebody ends all our shells at the other side: signals still arrive.
func TestANewRemoteShellComes(t *testing.T) {
	w := newWorld(t)
	c := w.dial(w.options())
	p, err := c.Exec(w.context(), backends.Command{Argv: []string{"sleep", "1000"}})
	if err != nil {
		t.Fatal(err)
	}
	if o, _, errs := run(t, c, "sh", "-c", `for p in /proc/[0-9]*; do
		read -r _ _ _ parent _ <$p/stat || continue
		[ "$parent" = $PPID ] && [ "${p#/proc/}" != $$ ] && grep -q nod_setsid $p/cmdline && kill -9 ${p#/proc/} && echo killed >&2
	done 2>&1; :`); !o.OK() {
		t.Fatal(o, errs)
	}
	until(t, "a signal that arrives", func() bool { return p.Signal(backends.KILL) == nil })
	if o, err := p.Wait(); o != backends.EndedBy(backends.KILL) || err != nil {
		t.Errorf("%s, %v", o, err)
	}
}

// A target comes back by itself after its connection was cut.
func TestALostConnectionIsMadeAgain(t *testing.T) {
	w := newWorld(t)
	opt := w.options()
	opt.RetryEvery = 20 * time.Millisecond
	target, err := ssh.Open(w.context(), ssh.Host{Name: "box"}, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	}()
	for range 3 {
		p, err := target.Exec(w.context(), backends.Command{Argv: []string{"cat"}, Stdin: endless(t)})
		if err != nil {
			t.Fatal(err)
		}
		changed := target.Changed()
		w.sshd.HangUp()
		if o, err := p.Wait(); o.State != backends.Unknown || !errors.Is(err, ssh.ErrLost) {
			t.Errorf("%s, %v", o, err)
		}
		<-changed
		if err := target.Ready(w.context()); err != nil {
			t.Fatal(err)
		}
		if o, out, _ := run(t, target, "echo", "back"); !o.OK() || out != "back\n" {
			t.Errorf("%s, %q", o, out)
		}
	}
	if target.Name() != "ssh:box" {
		t.Error(target.Name())
	}
}

// During an outage calls fail at once and say why; what cannot get better by
// itself is not tried for ever.
func TestAnOutageSaysWhy(t *testing.T) {
	w := newWorld(t)
	opt := w.options()
	opt.RetryEvery = 20 * time.Millisecond
	target, err := ssh.Open(w.context(), ssh.Host{Name: "box"}, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close() }()
	authorized := w.read("authorized")
	w.write("authorized", "")
	lost := target.Changed()
	w.sshd.HangUp()
	<-lost
	err = target.Ready(w.context())
	var outage *ssh.OutageError
	var auth *ssh.AuthError
	if !errors.As(err, &outage) || !outage.GivenUp || !errors.As(err, &auth) || !errors.Is(err, ssh.ErrLost) || !errors.Is(err, backends.ErrGivenUp) {
		t.Fatalf("%v", err)
	}
	_, execErr := target.Exec(w.context(), backends.Command{Argv: []string{"true"}})
	_, statErr := target.Files().Stat(w.context(), "/")
	for _, err := range []error{execErr, statErr} {
		if !errors.As(err, &outage) || !strings.Contains(err.Error(), "since") {
			t.Errorf("%v", err)
		}
	}
	w.write("authorized", authorized)
	changed := target.Changed()
	target.Retry()
	<-changed
	if err := target.Ready(w.context()); err != nil {
		t.Error(err)
	}
}

// The steps of connecting are told in order.
func TestStepsAreTold(t *testing.T) {
	w := newWorld(t)
	var stages []string
	opt := w.options()
	var mu sync.Mutex
	opt.Step = func(s ssh.Step) {
		mu.Lock()
		defer mu.Unlock()
		if s.Stage != ssh.Noted { // a slow machine is told of
			stages = append(stages, s.Stage.String())
		}
	}
	w.dial(opt)
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(stages, ","); got != "resolve,dial,host key,authenticate,start,ready" {
		t.Error(got)
	}
}

// endless is an input that does not end before the test: a program that reads
// it ends with the link, so that none is left behind.
func endless(t *testing.T) io.Reader {
	r, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() }) // lets the abandoned Read return
	return r
}

// lines collects output and may be read meanwhile.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// A connection that breaks while a shell starts is lost, and tried again: it
// does not look like a server that runs no commands.
func TestABreakAtTheStartIsNoRefusal(t *testing.T) {
	w := newWorld(t, "ForceCommand kill -KILL $PPID; sleep 1")
	opt := w.options()
	opt.Shared = onDaemon(w.hold()) // which ends the session before the connection
	_, err := ssh.Dial(w.context(), ssh.Host{Name: "box"}, opt)
	if !errors.Is(err, ssh.ErrLost) || errors.Is(err, ssh.ErrNoShell) {
		t.Errorf("%v", err)
	}
}
