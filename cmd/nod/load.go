package main

import (
	"context"
	"fmt"
	"time"

	"github.com/nod-console/nod/backends/docker"
)

// tendLoad shows what a container uses while it is the current target, until its
// site is dropped or ctx ends.
func (d *station) tendLoad(ctx context.Context, s *site) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	for ctx.Err() == nil {
		if d.currentTarget() == s.name() && s.container.stands() == nil {
			d.readLoad(ctx, s)
			d.setLoad(s.name(), "")
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// readLoad shows what comes until the container ends or is not the current target
// any more.
func (d *station) readLoad(ctx context.Context, s *site) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// An error is that of a container that has ended, which tendLink tells.
	_ = s.container.target.Stats(ctx, func(u docker.Usage) {
		if d.currentTarget() != s.name() {
			cancel()
			return
		}
		d.setLoad(s.name(), load(u))
	})
}

func (d *station) setLoad(name, text string) {
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
