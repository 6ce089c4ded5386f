package controller

import (
	"context"
	"fmt"
	"time"

	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
)

// tendLoad shows what a container uses while it is the current target, until its
// target is dropped or ctx ends.
func (d *Controller) tendLoad(ctx context.Context, s *targets.Target) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.Gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	for ctx.Err() == nil {
		if d.currentTarget() == s.Name() && s.Container.Stands() == nil {
			d.readLoad(ctx, s)
			d.setLoad(s.Name(), "")
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// readLoad shows what comes until the container ends or is not the current target
// any more.
func (d *Controller) readLoad(ctx context.Context, s *targets.Target) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// An error is that of a container that has ended, which tendLink tells.
	_ = s.Container.Target.Stats(ctx, func(u docker.Usage) {
		if d.currentTarget() != s.Name() {
			cancel()
			return
		}
		d.setLoad(s.Name(), load(u))
	})
}

func (d *Controller) setLoad(name, text string) {
	d.mu.Lock()
	same := d.loads[name] == text
	if d.loads[name] = text; text == "" {
		delete(d.loads, name)
	}
	d.mu.Unlock()
	if !same && d.currentTarget() == name {
		d.screen.SetTarget(d.statusOf(name))
	}
}

// load is what a container uses as people say it: "cpu 3 % · 41 MiB of 2.0 GiB".
func load(u docker.Usage) string {
	text := fmt.Sprintf("cpu %.0f %% · %s", u.CPU, mebibytes(u.Memory))
	if u.Limit > 0 {
		text += " of " + mebibytes(u.Limit)
	}
	return text
}

func mebibytes(n uint64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
