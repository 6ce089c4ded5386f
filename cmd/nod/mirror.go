package main

import (
	"context"
	"fmt"
	"slices"
	"time"

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

// freshPaneWait is how long a pane that has ended stays away, so that a shell
// that cannot start does not keep nod busy.
const freshPaneWait = 200 * time.Millisecond

// tend keeps the shared pane on the screen: when it ends, with its tmux server
// or by somebody's hand, a fresh one takes its place, where the next command
// will run. It returns when ctx ends.
func (d *station) tend(ctx context.Context, panes *pane.Keeper, shown *pane.Pane) {
	for until(ctx, shown, func() bool { return !slices.Contains(panes.List(), shown) }) {
		d.screen.RemovePane(shown.ID())
		d.screen.Notify("the pane " + shown.Session() + "/" + shown.Name() + " has ended; a fresh one takes its place")
		select {
		case <-time.After(freshPaneWait):
		case <-ctx.Done():
			return
		}
		fresh, err := panes.Shared(ctx)
		if err != nil {
			if ctx.Err() == nil {
				d.screen.Notify("there is no pane to watch: " + err.Error())
			}
			return
		}
		shown = fresh
		d.screen.AddPane(mirrorOf(shown))
	}
}

// until waits until something holds of a pane. It returns false if ctx ends
// first.
func until(ctx context.Context, p *pane.Pane, holds func() bool) bool {
	changes, unsubscribe := p.Subscribe()
	defer unsubscribe()
	for !holds() {
		select {
		case <-changes:
		case <-ctx.Done():
			return false
		}
	}
	return true
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
