package docker_test

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/docker/enginetest"
	"github.com/nod-console/nod/backends/pane"
)

// keep opens panes in a container.
func keep(t testing.TB, target backends.Target, shell ...string) *pane.Keeper {
	t.Helper()
	k, err := pane.Open(limited(t), target, pane.Options{Agent: "test", Shell: shell, Config: "/dev/null"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

func shared(t testing.TB, k *pane.Keeper) *pane.Pane {
	t.Helper()
	p, err := k.Shared(limited(t))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tracked runs commands in a pane and compares what they give.
func tracked(t testing.TB, p *pane.Pane) {
	t.Helper()
	for _, c := range []struct {
		command, output string
		want            backends.Outcome
	}{
		{"true", "", backends.ExitedWith(0)},
		{"printf abc; false", "abc", backends.ExitedWith(1)},
		{"(exit 7)", "", backends.ExitedWith(7)},
		{"echo one\necho two", "one\r\ntwo", backends.ExitedWith(0)},
	} {
		if got := result(t, p, begin(t, p, c.command)); got.Outcome != c.want || strings.TrimRight(string(got.Raw), "\r\n") != c.output {
			t.Errorf("%q: %s, %q, %v", c.command, got.Outcome, got.Raw, got.Notices)
		}
	}
}

// In a container with tmux, panes are tmux's; in one without, nod holds the
// terminal.
func TestPanes(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		k := keep(t, open(t, e, enginetest.Debian), "bash", "--norc")
		if err := k.WithoutTmux(); err != nil {
			t.Errorf("no tmux: %v", err)
		}
		tracked(t, shared(t, k))
		k = keep(t, open(t, e, enginetest.Busybox), "ash")
		if err := k.WithoutTmux(); err == nil {
			t.Error("there is a tmux where there is none")
		}
		tracked(t, shared(t, k))
	})
}

// cable is a way to an engine that can be cut.
type cable struct {
	socket string
	mu     sync.Mutex
	conns  []net.Conn
	down   bool
}

func (c *cable) dial(ctx context.Context) (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return nil, net.ErrClosed
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", c.socket)
	if err == nil {
		c.conns = append(c.conns, conn)
	}
	return conn, err
}

// cut ends all connections without a word, for good.
func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		_ = conn.Close() // may have ended
	}
	c.conns, c.down = nil, true
}

// tmux and what runs in it go on when our connection is cut, and the next keeper
// finds it.
func TestTmuxSurvivesACutConnection(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		container := e.Container(t, enginetest.Debian)
		c := &cable{socket: e.Socket}
		engine, err := docker.Dial(limited(t), docker.Address{URL: "ssh://cable"}, c.dial)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = engine.Close() }() // idle connections only
		first, err := docker.Open(limited(t), engine, container, docker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		k, err := pane.Open(limited(t), first, pane.Options{Agent: "test", Shell: []string{"bash", "--norc"}, Config: "/dev/null"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := shared(t, k).Run(limited(t), pane.Request{Command: "touch /tmp/begun; until [ -e /tmp/go-on ]; do sleep 0.05; done; echo done >/tmp/ended"}); err != nil {
			t.Fatal(err)
		}
		second := openNamed(t, e, container, docker.Options{})
		until(t, "the run's start", func() bool { _, _, o := run(t, second, "test", "-e", "/tmp/begun"); return o.OK() })
		c.cut()
		until(t, "the end of the first one's shells", func() bool { return processes(t, second, "sh -c n=$1") <= 1 })
		if n := processes(t, second, "tmux"); n == 0 {
			t.Fatal("tmux has ended")
		}
		run(t, second, "touch", "/tmp/go-on")
		until(t, "the run's end", func() bool { _, _, o := run(t, second, "test", "-e", "/tmp/ended"); return o.OK() })
		tracked(t, shared(t, keep(t, second, "bash", "--norc"))) // takes the session over, and ends it
		_ = k.Close()                                            // its connection is gone, or it has found a new one
		if err := first.Close(); err != nil {
			t.Error(err)
		}
	})
}

// eachPane runs a test on a pane of tmux's and on one that nod holds.
func eachPane(t *testing.T, test func(t *testing.T, e *enginetest.Engine, container string, k *pane.Keeper)) {
	e := enginetest.Docker(t)
	for name, c := range map[string][]string{"tmux": {enginetest.Debian, "bash", "--norc"}, "bare": {enginetest.Busybox, "ash"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			container := e.Container(t, c[0])
			test(t, e, container, keep(t, openNamed(t, e, container, docker.Options{}), c[1:]...))
		})
	}
}

// result waits for the end of a run.
func result(t testing.TB, p *pane.Pane, r *pane.Run) pane.Result {
	t.Helper()
	select {
	case <-r.Done():
	case <-time.After(patience):
		t.Fatalf("%q does not end; the screen shows %q", r.Command, p.Screen())
	}
	return r.Result()
}

func begin(t testing.TB, p *pane.Pane, command string) *pane.Run {
	t.Helper()
	for ctx := limited(t); ; {
		r, err := p.Run(ctx, pane.Request{Command: command})
		if err == nil {
			return r
		}
		if !late(err) || ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

// late reports whether a run was refused because its shell did not come to its prompt in
// time, as happens on a machine under load.
func late(err error) bool {
	var notReady *pane.NotReadyError
	return errors.As(err, &notReady)
}

// A command that ends its pane's shell does not end the pane: the next one runs in
// a fresh shell, and says so.
func TestAPaneOutlivesItsShell(t *testing.T) {
	eachPane(t, func(t *testing.T, _ *enginetest.Engine, _ string, k *pane.Keeper) {
		result(t, shared(t, k), begin(t, shared(t, k), "exit 4"))
		var next *pane.Run
		for ctx := limited(t); next == nil; { // the pane may end with its shell meanwhile
			r, err := shared(t, k).Run(ctx, pane.Request{Command: "echo again"})
			if err != nil && !late(err) && !errors.Is(err, pane.ErrEnded) || ctx.Err() != nil {
				t.Fatal(err)
			}
			next = r
		}
		got := result(t, shared(t, k), next)
		if got.Text != "again\n" || !got.Outcome.OK() || !strings.Contains(strings.Join(got.Notices, " "), "fresh") {
			t.Errorf("%+v", got)
		}
	})
}

// What becomes of a command in a pane when its container does not run any more:
// nobody knows how it ended, and that is what is said. One that is frozen goes on.
func TestARunWhoseContainerStops(t *testing.T) {
	for _, how := range [][]string{{"stop", "-t", "0"}, {"rm", "-f"}} {
		t.Run(how[0], func(t *testing.T) {
			eachPane(t, func(t *testing.T, e *enginetest.Engine, container string, k *pane.Keeper) {
				p := shared(t, k)
				r := begin(t, p, "echo begun; sleep 1000")
				until(t, "the start", func() bool { return strings.Contains(p.Screen().String(), "begun") })
				e.Do(t, append(how, container)...)
				next := map[string]string{"stop": "docker start " + container, "rm": "was removed"}[how[0]]
				got := result(t, p, r)
				if notices := strings.Join(got.Notices, " "); got.Outcome.State != backends.Unknown || !strings.Contains(notices, "the container") {
					t.Errorf("%s: %s, %q", how[0], got.Outcome, got.Notices)
				}
				p, err := k.Shared(limited(t)) // the pane that nod holds is there for a next shell
				if err == nil {
					_, err = p.Run(limited(t), pane.Request{Command: "true"})
				}
				if err == nil || !strings.Contains(err.Error(), next) {
					t.Errorf("afterwards: %v", err)
				}
			})
		})
	}
}

func TestARunGoesOnWithItsContainer(t *testing.T) {
	if os.Getenv("NOD_E2E") != "1" { // now and then such an engine (20.10) never thaws what is looked into meanwhile
		t.Skip("a longer test: set NOD_E2E=1")
	}
	eachPane(t, func(t *testing.T, e *enginetest.Engine, container string, k *pane.Keeper) {
		p := shared(t, k)
		r := begin(t, p, "echo begun; until [ -e /tmp/go-on ]; do sleep 0.05; done; echo done; (exit 3)")
		until(t, "the start", func() bool { return strings.Contains(p.Screen().String(), "begun") })
		e.Pause(t, container)
		select {
		case <-r.Done():
			t.Errorf("it has ended: %+v", r.Result())
		case <-time.After(300 * time.Millisecond):
		}
		e.Do(t, "unpause", container)
		e.Do(t, "exec", container, "touch", "/tmp/go-on")
		if got := result(t, p, r); got.Outcome != backends.ExitedWith(3) || !strings.HasSuffix(got.Text, "done\n") {
			t.Errorf("%+v", got)
		}
	})
}
