package docker_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/docker/enginetest"
)

// sleeper is a program that runs until its container does not.
func sleeper(t *testing.T, target backends.Target) backends.Process {
	t.Helper()
	var out buffer
	p, err := target.Exec(limited(t), backends.Command{Argv: sh("echo up; sleep 1000; :"), Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	out.await(t, "up")
	return p
}

// Whatever becomes of a container: its programs end with an unknown outcome and
// a reason, and what is asked afterwards says what to do.
func TestTheEndsOfAContainer(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		for name, c := range map[string]struct {
			do   []string
			want error
		}{
			"stop": {[]string{"stop", "-t", "0"}, docker.ErrStopped},
			"kill": {[]string{"kill"}, docker.ErrStopped},
			"rm":   {[]string{"rm", "-f"}, docker.ErrRemoved},
		} {
			container := e.Container(t, enginetest.Busybox)
			target := openNamed(t, e, container, docker.Options{})
			p := sleeper(t, target)
			e.Do(t, append(c.do, container)...)
			// Before it is removed, it is stopped.
			if o, err := p.Wait(); o.State != backends.Unknown || !errors.Is(err, c.want) && !errors.Is(err, docker.ErrStopped) {
				t.Errorf("%s: the program: %s, %v", name, o, err)
			}
			for range 2 {
				_, err := target.Exec(limited(t), backends.Command{Argv: []string{"true"}})
				var state *docker.StateError
				if !errors.Is(err, c.want) || !errors.As(err, &state) || state.Target != target.Name() {
					t.Errorf("%s: exec: %v", name, err)
				}
				if errors.Is(c.want, docker.ErrStopped) && !strings.Contains(err.Error(), e.Kind+" start "+container) {
					t.Errorf("%s: no next step: %v", name, err)
				}
			}
			if _, err := target.Ask(limited(t), "true"); !errors.Is(err, c.want) {
				t.Errorf("%s: ask: %v", name, err)
			}
			if _, err := target.Files().List(limited(t), "/"); name == "rm" && !errors.Is(err, c.want) {
				t.Errorf("%s: list: %v", name, err)
			}
		}
	})
}

func TestAContainerThatIsRestartedIsTheSameTarget(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		container := e.Container(t, enginetest.Busybox)
		target := openNamed(t, e, container, docker.Options{})
		p := sleeper(t, target)
		if _, err := target.Ask(limited(t), "true"); err != nil {
			t.Error(err)
		}
		e.Do(t, "restart", "-t", "0", container)
		if o, err := p.Wait(); err == nil || o.State != backends.Unknown {
			t.Errorf("the program: %s, %v", o, err)
		}
		if _, _, o := run(t, target, "true"); !o.OK() {
			t.Errorf("afterwards: %s", o)
		}
		if a, err := target.Ask(limited(t), "echo", "x"); err != nil || string(a.Stdout) != "x\n" {
			t.Errorf("ask: %v", err)
		}
	})
}

// A container that is made anew under the name of another is not that one.
func TestAContainerThatIsMadeAnewIsAnother(t *testing.T) {
	e := enginetest.Docker(t)
	container := e.Container(t, enginetest.Busybox)
	target := openNamed(t, e, container, docker.Options{})
	e.Do(t, "rm", "-f", container)
	e.Do(t, "run", "-d", "--name", container, "--network", "none", enginetest.Busybox)
	if _, err := target.Exec(limited(t), backends.Command{Argv: []string{"true"}}); !errors.Is(err, docker.ErrRemoved) {
		t.Errorf("exec: %v", err)
	}
}

// A paused container says so, instead of hanging; what was asked to end ends when
// it goes on.
func TestAPausedContainer(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		container := e.Container(t, enginetest.Busybox)
		target := openNamed(t, e, container, docker.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		var out buffer
		p, err := target.Exec(ctx, backends.Command{Argv: sh("echo up; sleep 4713; :"), Stdout: &out})
		if err != nil {
			t.Fatal(err)
		}
		out.await(t, "up")
		if e.Kind == "podman" {
			if out, err := e.Command(t, "pause", container).CombinedOutput(); err != nil {
				t.Skipf("this podman cannot pause here: %s", out)
			}
		} else {
			e.Pause(t, container)
		}
		if _, err := target.Exec(limited(t), backends.Command{Argv: []string{"true"}}); !errors.Is(err, docker.ErrPaused) {
			t.Errorf("exec: %v", err)
		} else if !strings.Contains(err.Error(), "unpause") {
			t.Errorf("no next step: %v", err)
		}
		if err := p.Signal(backends.HUP); !errors.Is(err, docker.ErrPaused) {
			t.Errorf("signal: %v", err)
		}
		cancel()
		if o, err := p.Wait(); !errors.Is(err, docker.ErrPaused) || !errors.Is(err, context.Canceled) || o.State != backends.Unknown {
			t.Errorf("cancelled: %s, %v", o, err)
		}
		e.Do(t, "unpause", container)
		until(t, "the end of the program", func() bool { return processes(t, target, "sleep 4713") == 0 })
	})
}

func TestWhatDoesNotRunCanBeOpened(t *testing.T) {
	e := enginetest.Docker(t)
	container := e.Container(t, enginetest.Busybox)
	e.Do(t, "stop", "-t", "0", container)
	target := openNamed(t, e, container, docker.Options{})
	if _, err := target.Exec(limited(t), backends.Command{Argv: []string{"true"}}); !errors.Is(err, docker.ErrStopped) {
		t.Errorf("exec: %v", err)
	}
	e.Do(t, "start", container)
	if _, _, o := run(t, target, "true"); !o.OK() {
		t.Errorf("started: %s", o)
	}
	if _, err := docker.Open(limited(t), dial(t, e), "no-such", docker.Options{}); !errors.Is(err, docker.ErrNotFound) || !strings.Contains(err.Error(), `"no-such"`) {
		t.Errorf("none: %v", err)
	}
}
