package controller

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	picker "github.com/nod-console/nod/ui/targets"
)

// engineTime bounds the look for an engine that nobody is waiting for.
const engineTime = 15 * time.Second

// containerRows are the containers for the picker: those that run, if only on and off, and
// those that do not.
func containerRows(es *targets.Engines) (active, idle []picker.Target) {
	for _, kind := range []docker.Kind{docker.Docker, docker.Podman} {
		e := es.Known(kind)
		if e == nil || e.Registry.Load() == nil {
			continue
		}
		for _, c := range e.Registry.Load().List() {
			row := picker.Target{Name: string(kind) + ":" + c.Name, Detail: inWords(c), Logs: true}
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
func (d *Controller) watchEngines(ctx context.Context, h *app.Core) {
	for _, kind := range []docker.Kind{docker.Docker, docker.Podman} {
		d.background.Go(func() {
			if err := d.watchEngine(ctx, h, kind); err != nil && ctx.Err() == nil {
				d.mu.Lock()
				d.engineFaults[kind] = err
				d.mu.Unlock()
			}
		})
	}
}

func (d *Controller) watchEngine(ctx context.Context, h *app.Core, kind docker.Kind) error {
	asked := h.Targets.EngineSettings(kind)
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
	e, err := h.Targets.Engines.Get(limited, kind)
	if err != nil {
		return err
	}
	return d.follow(ctx, h, e)
}

// follow has the picker and the panes told of an engine's containers, until ctx
// ends. It returns at once.
func (d *Controller) follow(ctx context.Context, h *app.Core, e *targets.Engine) error {
	r, err := h.Targets.Engines.Watch(ctx, e)
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
	d.background.Go(func() {
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
func (d *Controller) engineReport(h *app.Core) []string {
	var lines []string
	for _, kind := range []docker.Kind{docker.Docker, docker.Podman} {
		d.mu.Lock()
		fault := d.engineFaults[kind]
		d.mu.Unlock()
		e := h.Targets.Engines.Known(kind)
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
