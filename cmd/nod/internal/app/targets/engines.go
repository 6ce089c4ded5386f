package targets

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/nod-console/nod/backends/docker"
)

// Engines are the container engines in use: one connection for each kind, which
// all its containers share.
type Engines struct {
	find func(ctx context.Context, kind docker.Kind) (docker.Engine, error)

	turn chan struct{} // has room for the one who looks for an engine
	mu   sync.Mutex
	all  map[docker.Kind]*Engine
}

// Engine is one of them.
type Engine struct {
	docker.Engine
	kind     docker.Kind
	Registry atomic.Pointer[docker.Registry] // nil until it is watched
}

func newEngines(find func(context.Context, docker.Kind) (docker.Engine, error)) *Engines {
	return &Engines{find: find, turn: make(chan struct{}, 1), all: map[docker.Kind]*Engine{}}
}

// Get returns the engine of a kind. One that could not be found is looked for
// again.
func (es *Engines) Get(ctx context.Context, kind docker.Kind) (*Engine, error) {
	select {
	case es.turn <- struct{}{}:
		defer func() { <-es.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if e := es.Known(kind); e != nil {
		return e, nil
	}
	found, err := es.find(ctx, kind)
	if err != nil {
		return nil, err
	}
	e := &Engine{Engine: found, kind: kind}
	es.mu.Lock()
	es.all[kind] = e
	es.mu.Unlock()
	return e, nil
}

// Known is the engine of a kind if it has been found, else nil.
func (es *Engines) Known(kind docker.Kind) *Engine {
	es.mu.Lock()
	defer es.mu.Unlock()
	return es.all[kind]
}

// Watch begins to watch an engine, if that is not done already.
func (es *Engines) Watch(ctx context.Context, e *Engine) (*docker.Registry, error) {
	select {
	case es.turn <- struct{}{}:
		defer func() { <-es.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if r := e.Registry.Load(); r != nil {
		return r, nil
	}
	r, err := docker.Watch(ctx, e.Engine)
	if err == nil {
		e.Registry.Store(r)
	}
	return r, err
}

// Close ends the watches and the connections.
func (es *Engines) Close() error {
	es.mu.Lock()
	defer es.mu.Unlock()
	var errs []error
	for _, e := range es.all {
		if r := e.Registry.Load(); r != nil {
			errs = append(errs, r.Close())
		}
		errs = append(errs, e.Engine.Close())
	}
	es.all = map[docker.Kind]*Engine{}
	return errors.Join(errs...)
}

// EngineSettings say which engine is meant by a kind.
func (s *Targets) EngineSettings(kind docker.Kind) docker.Settings {
	return docker.Settings{
		Kind: kind, Host: s.config.Docker.Host, Context: s.config.Docker.Context,
		Getenv: os.Getenv, DialSSH: s.dialEngine,
	}
}

// findEngine connects to the engine that the configuration or the environment
// names, else to the one that answers.
func (s *Targets) findEngine(ctx context.Context, kind docker.Kind) (docker.Engine, error) {
	return docker.Find(ctx, s.EngineSettings(kind))
}
