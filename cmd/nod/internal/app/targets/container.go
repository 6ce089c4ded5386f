package targets

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

// IsContainer reports whether a target name is that of a container.
func IsContainer(name string) bool {
	return strings.HasPrefix(name, string(docker.Docker)+":") || strings.HasPrefix(name, string(docker.Podman)+":")
}

// container is the engine's side of a target that is a container.
type container struct {
	Engine *Engine
	Target *docker.Target
	noTmux string // why tmux cannot be used although it may be there
}

// Known is what the engine says of the container.
func (c *container) Known() (docker.Container, bool) {
	r := c.Engine.Registry.Load()
	if r == nil {
		return docker.Container{}, false
	}
	return r.Get(c.Target.ID())
}

// Stands is nil while programs can be started in the container; else a
// *docker.StateError. What is not known is taken to be well: who asks more of
// the container will be told.
func (c *container) Stands() error {
	r := c.Engine.Registry.Load()
	if r == nil || r.Err() != nil {
		return nil
	}
	there, ok := r.Get(c.Target.ID())
	if !ok {
		return &docker.StateError{Target: c.Target.Name(), Err: docker.ErrRemoved}
	}
	return docker.Fit(c.Target.Name(), there)
}

// ended reports whether nothing runs in the container any more.
func (c *container) ended() bool {
	err := c.Stands()
	return errors.Is(err, docker.ErrStopped) || errors.Is(err, docker.ErrRemoved)
}

// wrong says in words what is wrong with the container or its engine.
func (c *container) wrong() string {
	var state *docker.StateError
	if errors.As(c.Stands(), &state) {
		return state.Words()
	}
	if r := c.Engine.Registry.Load(); r != nil && r.Err() != nil {
		return r.Err().Error()
	}
	return ""
}

// Sign is the one word for it.
func (c *container) Sign() string {
	err := c.Stands()
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
	if r := c.Engine.Registry.Load(); r != nil {
		return r.Changed()
	}
	return nil
}

// openContainer opens a container of the engine of its kind.
func (s *Targets) openContainer(ctx context.Context, name string) (*Target, error) {
	kind, id, err := docker.Parse(name)
	if err != nil {
		return nil, err
	}
	e, err := s.Engines.Get(ctx, kind)
	if err != nil {
		return nil, err
	}
	target, err := docker.Open(ctx, e.Engine, id, docker.Options{Warn: s.plan.Warn, Kind: kind})
	if err != nil {
		return nil, err
	}
	there := &Target{Target: target, shell: "sh", Gone: make(chan struct{}), Container: &container{Engine: e, Target: target}}
	facts, err := target.Facts(ctx)
	if err != nil {
		return nil, errors.Join(err, there.Close())
	}
	there.user, there.Home = facts.User, facts.Home
	if !slices.Contains(facts.Writable, "/tmp") {
		there.Container.noTmux = "tmux has no folder for its socket, since /tmp is not writable"
	}
	for _, limit := range facts.Limits {
		there.Notes = append(there.Notes, name+": "+limit)
	}
	return there, nil
}

// dialEngine connects to an engine on another host over nod's own connection to
// that host, which is opened like any other target.
func (s *Targets) dialEngine(_ context.Context, address string) docker.Dialer {
	return func(ctx context.Context) (net.Conn, error) {
		u, err := url.Parse(address)
		if err != nil {
			return nil, fmt.Errorf("docker: the address %q: %w", address, err)
		}
		host, err := ssh.Parse("ssh://" + strings.TrimPrefix(u.User.String()+"@", "@") + u.Host)
		if err != nil {
			return nil, err
		}
		at, err := s.Open(ctx, host.String())
		if err != nil {
			return nil, err
		}
		dial, err := docker.Stdio(at.Target, address)
		if err != nil {
			return nil, err
		}
		return dial(ctx)
	}
}

// containerPanes are the panes of a container, which nothing is planned for or run in
// while the container could not run it.
type containerPanes struct {
	guard.Panes
	container *container
}

// Find implements [guard.Panes].
func (s containerPanes) Find(ctx context.Context, session, name string) (guard.Pane, error) {
	if err := s.container.Stands(); err != nil {
		return nil, err
	}
	return s.Panes.Find(ctx, session, name)
}
