package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/tools/guard"
)

// isContainer reports whether a target name is that of a container.
func isContainer(name string) bool {
	return strings.HasPrefix(name, string(docker.Docker)+":") || strings.HasPrefix(name, string(docker.Podman)+":")
}

// container is the engine's side of a site that is a container.
type container struct {
	engine *engine
	target *docker.Target
	noTmux string // why tmux cannot be used although it may be there
}

// known is what the engine says of the container.
func (c *container) known() (docker.Container, bool) {
	r := c.engine.registry.Load()
	if r == nil {
		return docker.Container{}, false
	}
	return r.Get(c.target.ID())
}

// stands is nil while programs can be started in the container; else a
// *docker.StateError. What is not known is taken to be well: who asks more of
// the container will be told.
func (c *container) stands() error {
	r := c.engine.registry.Load()
	if r == nil || r.Err() != nil {
		return nil
	}
	there, ok := r.Get(c.target.ID())
	if !ok {
		return &docker.StateError{Target: c.target.Name(), Err: docker.ErrRemoved}
	}
	return docker.Fit(c.target.Name(), there)
}

// ended reports whether nothing runs in the container any more.
func (c *container) ended() bool {
	err := c.stands()
	return errors.Is(err, docker.ErrStopped) || errors.Is(err, docker.ErrRemoved)
}

// wrong says in words what is wrong with the container or its engine.
func (c *container) wrong() string {
	var state *docker.StateError
	if errors.As(c.stands(), &state) {
		return state.Words()
	}
	if r := c.engine.registry.Load(); r != nil && r.Err() != nil {
		return r.Err().Error()
	}
	return ""
}

// sign is the one word for it.
func (c *container) sign() string {
	err := c.stands()
	for _, is := range []struct {
		err  error
		word string
	}{{docker.ErrPaused, "paused"}, {docker.ErrRemoved, "removed"}, {docker.ErrStopped, "stopped"}} {
		if errors.Is(err, is.err) {
			return is.word
		}
	}
	return ""
}

// changed is closed when wrong may next say something else.
func (c *container) changed() <-chan struct{} {
	if r := c.engine.registry.Load(); r != nil {
		return r.Changed()
	}
	return nil
}

// openContainer opens a container of the engine of its kind.
func (s *sites) openContainer(ctx context.Context, name string) (*site, error) {
	kind, id, err := docker.Parse(name)
	if err != nil {
		return nil, err
	}
	e, err := s.engines.get(ctx, kind)
	if err != nil {
		return nil, err
	}
	target, err := docker.Open(ctx, e.Engine, id, docker.Options{Warn: s.plan.warn, Kind: kind})
	if err != nil {
		return nil, err
	}
	there := &site{target: target, shell: "sh", gone: make(chan struct{}), container: &container{engine: e, target: target}}
	facts, err := target.Facts(ctx)
	if err != nil {
		return nil, errors.Join(err, there.Close())
	}
	there.user, there.home = facts.User, facts.Home
	if !slices.Contains(facts.Writable, "/tmp") {
		there.container.noTmux = "tmux has no folder for its socket, since /tmp is not writable"
	}
	for _, limit := range facts.Limits {
		there.notes = append(there.notes, name+": "+limit)
	}
	return there, nil
}

// dialEngine connects to an engine on another host over nod's own connection to
// that host, which is opened like any other target.
func (s *sites) dialEngine(_ context.Context, address string) docker.Dialer {
	return func(ctx context.Context) (net.Conn, error) {
		u, err := url.Parse(address)
		if err != nil {
			return nil, fmt.Errorf("docker: the address %q: %w", address, err)
		}
		host, err := ssh.Parse("ssh://" + strings.TrimPrefix(u.User.String()+"@", "@") + u.Host)
		if err != nil {
			return nil, err
		}
		at, err := s.open(ctx, host.String())
		if err != nil {
			return nil, err
		}
		dial, err := docker.Stdio(at.target, address)
		if err != nil {
			return nil, err
		}
		return dial(ctx)
	}
}

// standing are the panes of a container, which nothing is planned for or run in
// while the container could not run it.
type standing struct {
	guard.Panes
	container *container
}

// Find implements [guard.Panes].
func (s standing) Find(ctx context.Context, session, name string) (guard.Pane, error) {
	if err := s.container.stands(); err != nil {
		return nil, err
	}
	return s.Panes.Find(ctx, session, name)
}
