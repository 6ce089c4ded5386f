package main

import (
	"context"
	"fmt"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/ui/console"
)

// mirrorOf shows a pane in the console. What the operator types there goes to
// the pane itself: it is his terminal as much as nod's.
func mirrorOf(p *pane.Pane) console.Pane {
	return console.Pane{
		ID:        p.ID(),
		Title:     fmt.Sprintf("%s · %s/%s", p.Target(), p.Session(), p.Name()),
		Snapshot:  p.Screen,
		Subscribe: func(changed func()) (cancel func()) { return follow(p, changed) },
		Type:      p.Type,
		Resize: func(_ context.Context, cols, rows int) {
			p.Resize(backends.Size{Cols: cols, Rows: rows})
		},
	}
}

// follow calls changed after each change of the pane until it is cancelled.
func follow(p *pane.Pane, changed func()) (cancel func()) {
	changes, unsubscribe := p.Subscribe()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-changes:
				changed()
			case <-stop:
				return
			}
		}
	}()
	return func() {
		unsubscribe()
		close(stop)
		<-stopped
	}
}
