package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/ui/targets"
)

// engineTime bounds the look for an engine that nobody is waiting for.
const engineTime = 15 * time.Second

// engines are the container engines in use: one connection for each kind, which
// all its containers share.
type engines struct {
	find func(ctx context.Context, kind docker.Kind) (docker.Engine, error)

	turn chan struct{} // has room for the one who looks for an engine
	mu   sync.Mutex
	all  map[docker.Kind]*engine
}

// engine is one of them.
type engine struct {
	docker.Engine
	kind     docker.Kind
	registry atomic.Pointer[docker.Registry] // nil until it is watched
}

func newEngines(find func(context.Context, docker.Kind) (docker.Engine, error)) *engines {
	return &engines{find: find, turn: make(chan struct{}, 1), all: map[docker.Kind]*engine{}}
}

// get returns the engine of a kind. One that could not be found is looked for
// again.
func (es *engines) get(ctx context.Context, kind docker.Kind) (*engine, error) {
	select {
	case es.turn <- struct{}{}:
		defer func() { <-es.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if e := es.known(kind); e != nil {
		return e, nil
	}
	found, err := es.find(ctx, kind)
	if err != nil {
		return nil, err
	}
	e := &engine{Engine: found, kind: kind}
	es.mu.Lock()
	es.all[kind] = e
	es.mu.Unlock()
	return e, nil
}

// known is the engine of a kind if it has been found, else nil.
func (es *engines) known(kind docker.Kind) *engine {
	es.mu.Lock()
	defer es.mu.Unlock()
	return es.all[kind]
}

// watch begins to watch an engine, if that is not done already.
func (es *engines) watch(ctx context.Context, e *engine) (*docker.Registry, error) {
	select {
	case es.turn <- struct{}{}:
		defer func() { <-es.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if r := e.registry.Load(); r != nil {
		return r, nil
	}
	r, err := docker.Watch(ctx, e.Engine)
	if err == nil {
		e.registry.Store(r)
	}
	return r, err
}

// Close ends the watches and the connections.
func (es *engines) Close() error {
	es.mu.Lock()
	defer es.mu.Unlock()
	var errs []error
	for _, e := range es.all {
		if r := e.registry.Load(); r != nil {
			errs = append(errs, r.Close())
		}
		errs = append(errs, e.Engine.Close())
	}
	es.all = map[docker.Kind]*engine{}
	return errors.Join(errs...)
}

// rows are the containers for the picker: those that run, if only on and off, and
// those that do not.
func (es *engines) rows() (active, idle []targets.Target) {
	for _, kind := range []docker.Kind{docker.Docker, docker.Podman} {
		e := es.known(kind)
		if e == nil || e.registry.Load() == nil {
			continue
		}
		for _, c := range e.registry.Load().List() {
			row := targets.Target{Name: string(kind) + ":" + c.Name, Detail: inWords(c), Logs: true}
			switch c.State {
			case docker.Running, docker.Paused, docker.Restarting:
				active = append(active, row)
			default:
				idle = append(idle, row)
			}
		}
	}
	return active, idle
}

// inWords says how a container does, and what it is made of.
func inWords(c docker.Container) string {
	state := string(c.State)
	if c.State == docker.Exited {
		state = fmt.Sprintf("exited %d", c.ExitCode)
	}
	words := []string{state}
	if c.Health != "" {
		words = append(words, c.Health)
	}
	return strings.Join(append(words, c.Image), " · ")
}

// watchEngines has the containers of the engines that answer in the picker, until
// ctx ends. An engine behind ssh is left alone until a container there is opened:
// its host may have questions.
func (d *station) watchEngines(ctx context.Context, h *house) {
	for _, kind := range []docker.Kind{docker.Docker, docker.Podman} {
		d.tending.Go(func() {
			if err := d.watchEngine(ctx, h, kind); err != nil && ctx.Err() == nil {
				d.mu.Lock()
				d.engineFaults[kind] = err
				d.mu.Unlock()
			}
		})
	}
}

func (d *station) watchEngine(ctx context.Context, h *house, kind docker.Kind) error {
	asked := h.sites.engineSettings(kind)
	asked.DialSSH = nil
	where, err := docker.Discover(asked)
	if err != nil {
		return err
	}
	if kind == docker.Podman && asked.Host != "" {
		return nil // that is where docker: leads
	}
	if len(where) > 0 && strings.HasPrefix(where[0].URL, "ssh://") {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, engineTime)
	defer cancel()
	e, err := h.sites.engines.get(limited, kind)
	if err != nil {
		return err
	}
	return d.follow(ctx, h, e)
}

// follow has the picker and the panes told of an engine's containers, until ctx
// ends. It returns at once.
func (d *station) follow(ctx context.Context, h *house, e *engine) error {
	r, err := h.sites.engines.watch(ctx, e)
	if err != nil {
		return err
	}
	d.mu.Lock()
	known := d.followed[e]
	d.followed[e] = true
	d.mu.Unlock()
	if known {
		return nil
	}
	d.tending.Go(func() {
		for ctx.Err() == nil {
			changed := r.Changed() // before it is looked at
			d.screen.TargetsChanged()
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	})
	return nil
}

// engineReport are the lines of /status about the engines.
func (d *station) engineReport(h *house) []string {
	var lines []string
	for _, kind := range []docker.Kind{docker.Docker, docker.Podman} {
		d.mu.Lock()
		fault := d.engineFaults[kind]
		d.mu.Unlock()
		e := h.sites.engines.known(kind)
		switch {
		case e != nil:
			about := e.About()
			lines = append(lines, fmt.Sprintf("engine   %s %s at %s", about.Kind, about.Version, about.Address))
		case fault != nil && (kind == docker.Docker || !errors.Is(fault, docker.ErrNoEngine)):
			lines = append(lines, "engine   "+fault.Error())
		}
	}
	return lines
}

// engineSettings say which engine is meant by a kind.
func (s *sites) engineSettings(kind docker.Kind) docker.Settings {
	return docker.Settings{
		Kind: kind, Host: s.config.Docker.Host, Context: s.config.Docker.Context,
		Getenv: os.Getenv, DialSSH: s.dialEngine,
	}
}

// findEngine connects to the engine that the configuration or the environment
// names, else to the one that answers.
func (s *sites) findEngine(ctx context.Context, kind docker.Kind) (docker.Engine, error) {
	return docker.Find(ctx, s.engineSettings(kind))
}
