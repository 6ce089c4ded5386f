package docker_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/docker/enginetest"
)

// awaitState waits until a registry shows a container in a state, "" for gone.
func awaitState(t *testing.T, r *docker.Registry, name string, want docker.State) docker.Container {
	t.Helper()
	limit := time.After(patience)
	for {
		changed := r.Changed()
		c, ok := r.Get(name)
		if ok && c.State == want || !ok && want == "" {
			return c
		}
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("%s: %+v, want %q", name, c, want)
		}
	}
}

func TestTheRegistryFollows(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		r, err := docker.Watch(limited(t), dial(t, e))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Close() }() // gives no error
		name := e.Container(t, enginetest.Busybox)
		c := awaitState(t, r, name, docker.Running)
		if !strings.Contains(c.Image, enginetest.Busybox) || c.ID == "" || !strings.HasPrefix(c.Status, "Up") && e.Kind == "docker" {
			t.Errorf("%+v", c)
		}
		if out, err := e.Command(t, "pause", name).CombinedOutput(); err == nil {
			awaitState(t, r, name, docker.Paused)
			e.Do(t, "unpause", name)
			awaitState(t, r, name, docker.Running)
		} else if e.Kind == "docker" {
			t.Errorf("pause: %s", out)
		}
		e.Do(t, "rename", name, name+"-new")
		awaitState(t, r, name+"-new", docker.Running)
		e.Do(t, "rename", name+"-new", name)
		e.Do(t, "stop", "-t", "0", name)
		awaitState(t, r, name, docker.Exited)
		e.Do(t, "start", name)
		awaitState(t, r, name, docker.Running)
		e.Do(t, "rm", "-f", name)
		awaitState(t, r, name, "")
		if err := r.Err(); err != nil {
			t.Error(err)
		}
		names := r.List()
		if !slices.IsSortedFunc(names, func(a, b docker.Container) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("not sorted: %+v", names)
		}
	})
}

func TestHealthIsShown(t *testing.T) {
	e := enginetest.Docker(t)
	r, err := docker.Watch(limited(t), dial(t, e))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }() // gives no error
	name := e.Container(t, "--health-cmd", "test -e /well", "--health-interval", "200ms", "--health-retries", "1", enginetest.Busybox)
	health := func(want string) {
		t.Helper()
		until(t, want, func() bool { c, _ := r.Get(name); return c.Health == want })
	}
	health("unhealthy")
	e.Do(t, "exec", name, "touch", "/well")
	health("healthy")
}

// What happens is told in order, and what programs in containers do is not.
func TestTheSequenceOfEvents(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		engine := dial(t, e)
		ctx, cancel := context.WithCancel(limited(t))
		defer cancel()
		var mu sync.Mutex
		var seen []docker.Event
		listening, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- engine.Events(ctx, time.Time{}, func() { close(listening) }, func(ev docker.Event) {
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, ev)
			})
		}()
		<-listening
		name := e.Container(t, enginetest.Busybox)
		target := openNamed(t, e, name, docker.Options{})
		for range 3 {
			run(t, target, "true")
		}
		e.Do(t, "kill", name)
		until(t, "its end", func() bool {
			c, err := engine.Inspect(limited(t), name)
			return err == nil && c.State == docker.Exited
		})
		e.Do(t, "rm", "-f", name)
		actions := func() string {
			mu.Lock()
			defer mu.Unlock()
			var all []string
			for _, ev := range seen {
				if ev.ID == target.ID() {
					all = append(all, ev.Action)
				}
			}
			return strings.Join(all, " ")
		}
		gone := map[string]string{"docker": "destroy", "podman": "remove"}[e.Kind]
		until(t, gone, func() bool { return strings.HasSuffix(actions(), gone) })
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
		got := actions()
		at := -1
		for _, want := range []string{"create", "start", "kill", "die", gone} {
			i := strings.Index(got, want)
			if i < at && want != "die" { // podman tells the kill after the death that it causes
				t.Errorf("%q: %s out of order", got, want)
			}
			if i < 0 {
				t.Errorf("%q: no %s", got, want)
			}
			at = i
		}
		if strings.Contains(got, "exec") {
			t.Errorf("%q holds what our own programs cause", got)
		}
	})
}

func TestLogsAndStats(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		name := e.Container(t, enginetest.Busybox, "sh", "-c", "echo out; echo err >&2; sleep 1000")
		target := openNamed(t, e, name, docker.Options{})
		var stdout, stderr buffer
		until(t, "the log", func() bool {
			stdout, stderr = buffer{}, buffer{}
			if err := target.Logs(limited(t), docker.LogOptions{}, &stdout, &stderr); err != nil {
				t.Fatal(err)
			}
			return stdout.String() == "out\n" && stderr.String() == "err\n"
		})
		ctx, cancel := context.WithCancel(limited(t))
		var live buffer
		followed := make(chan error, 1)
		go func() {
			followed <- target.Logs(ctx, docker.LogOptions{Follow: true, Tail: 10}, &live, &live)
		}()
		live.await(t, "out\n")
		cancel()
		if err := <-followed; !errors.Is(err, context.Canceled) {
			t.Errorf("following: %v", err)
		}
		ctx, cancel = context.WithCancel(limited(t))
		defer cancel()
		var last docker.Usage
		err := target.Stats(ctx, func(u docker.Usage) {
			last = u
			if u.PIDs > 0 && u.Memory > 0 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("stats: %v (%+v)", err, last)
		}
	})
}

// What a container prints in its next life comes later than the end of the one
// before, and what it has printed in that does not.
func TestTheEndOfALife(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		r, err := docker.Watch(limited(t), dial(t, e))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Close() }() // gives no error
		name := e.Container(t, enginetest.Busybox, "sh", "-c", "trap 'echo last; exit' TERM; echo first; while :; do sleep 0.01; done")
		target := openNamed(t, e, name, docker.Options{})
		if at := r.Ended(target.ID()); !at.IsZero() {
			t.Errorf("ended at %s while it runs", at)
		}
		said := func(since time.Time, want string) {
			t.Helper()
			var all buffer
			until(t, "the log", func() bool {
				all = buffer{}
				if err := target.Logs(limited(t), docker.LogOptions{Since: since}, &all, &all); err != nil {
					t.Fatal(err)
				}
				return strings.HasSuffix(all.String(), want)
			})
			if all.String() != want {
				t.Errorf("the log since %s has %q, want %q", since, all.String(), want)
			}
		}
		said(time.Time{}, "first\n")
		e.Do(t, "stop", "-t", "60", name)
		until(t, "its end", func() bool { return !r.Ended(target.ID()).IsZero() })
		e.Do(t, "start", name)
		said(r.Ended(target.ID()), "first\n")
		e.Do(t, "rm", "-f", name)
		until(t, "nothing is known of it", func() bool { return r.Ended(target.ID()).IsZero() })
	})
}
