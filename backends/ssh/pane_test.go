package ssh_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/backends/ssh"
)

// keeper opens panes on a tmux server of the test's own.
func (w *world) keeper(target backends.Target) *pane.Keeper {
	w.t.Helper()
	need(w.t, "tmux")
	dir, err := os.MkdirTemp("", "nod-ssh-") // short enough for a socket
	if err != nil {
		w.t.Fatal(err)
	}
	socket := dir + "/tmux"
	w.t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", socket, "kill-server").Run() // has ended
		_ = os.RemoveAll(dir)
	})
	k, err := pane.Open(w.context(), target, pane.Options{Agent: "test", Socket: socket, Config: "/dev/null", Shell: []string{"bash", "--norc"}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := k.Close(); err != nil {
			w.t.Error(err)
		}
	})
	return k
}

func (w *world) open(opt ssh.Options) *ssh.Target {
	w.t.Helper()
	target, err := ssh.Open(w.context(), ssh.Host{Name: "box"}, opt)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := target.Close(); err != nil {
			w.t.Error(err)
		}
	})
	return target
}

func TestPanes(t *testing.T) {
	w := newWorld(t)
	k := w.keeper(w.open(w.options()))
	p, err := k.Shared(w.context())
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]struct {
		outcome backends.Outcome
		output  string
	}{
		"true":              {backends.ExitedWith(0), ""},
		"printf abc; false": {backends.ExitedWith(1), "abc"},
	} {
		r, err := p.Run(w.context(), pane.Request{Command: command})
		if err != nil {
			t.Fatal(err)
		}
		<-r.Done()
		if got := r.Result(); got.Outcome != want.outcome || strings.TrimRight(string(got.Raw), "\r\n") != want.output {
			t.Errorf("%s: %s, %q, %v", command, got.Outcome, got.Raw, got.Notices)
		}
	}
}

// A run goes on in tmux while the link is away, and its true outcome is known
// when the link is back.
func TestARunOutlivesTheLink(t *testing.T) {
	w := newWorld(t)
	opt := w.options()
	opt.RetryEvery = 20 * time.Millisecond
	target := w.open(opt)
	p, err := w.keeper(target).Shared(w.context())
	if err != nil {
		t.Fatal(err)
	}
	goOn := w.path("go-on")
	r, err := p.Run(w.context(), pane.Request{Command: "echo x >>" + w.path("begun") + "; until [ -e " + goOn + " ]; do sleep 0.05; done; (exit 5)"})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the command's start", func() bool { _, err := os.Stat(w.path("begun")); return err == nil })
	lost := target.Changed()
	w.sshd.HangUp()
	<-lost
	w.write("go-on", "")
	if err := target.Ready(w.context()); err != nil {
		t.Fatal(err)
	}
	select {
	case <-r.Done():
	case <-time.After(patience):
		t.Fatal("the run did not end")
	}
	if got := r.Result(); got.Outcome != backends.ExitedWith(5) {
		t.Errorf("%s, %v", got.Outcome, got.Notices)
	}
	if got := w.read("begun"); got != "x\n" {
		t.Errorf("it ran %d times", strings.Count(got, "x"))
	}
}

// A run is not given up while its host cannot be reached, however long that
// takes: longer than a terminal that is there is tried again.
func TestARunOutlivesALongOutage(t *testing.T) {
	if os.Getenv("NOD_E2E") != "1" {
		t.Skip("takes over a minute: make e2e")
	}
	w := newWorld(t)
	opt := w.options()
	opt.RetryEvery, opt.RetryAtMost = 20*time.Millisecond, 100*time.Millisecond
	var away atomic.Bool
	opt.Shared = func(context.Context, ssh.Settings, time.Duration) (*ssh.SharedConn, error) {
		if away.Load() {
			return nil, errors.New("away")
		}
		return nil, nil
	}
	target := w.open(opt)
	p, err := w.keeper(target).Shared(w.context())
	if err != nil {
		t.Fatal(err)
	}
	goOn := w.path("go-on")
	r, err := p.Run(w.context(), pane.Request{Command: "touch " + w.path("begun") + "; until [ -e " + goOn + " ]; do sleep 0.05; done; (exit 5)"})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the command's start", func() bool { _, err := os.Stat(w.path("begun")); return err == nil })
	away.Store(true)
	lost := target.Changed()
	w.sshd.HangUp()
	<-lost
	select {
	case <-r.Done():
		t.Fatalf("given up: %s, %v", r.Result().Outcome, r.Result().Notices)
	case <-time.After(65 * time.Second): // tmuxsession's rejoinFor is a minute
	}
	w.write("go-on", "")
	away.Store(false)
	select {
	case <-r.Done():
	case <-time.After(patience):
		t.Fatal("the run did not end")
	}
	if got := r.Result(); got.Outcome != backends.ExitedWith(5) {
		t.Errorf("%s, %v", got.Outcome, got.Notices)
	}
}
