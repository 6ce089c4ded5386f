package controller

import (
	"context"
	"errors"
	"strings"

	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/layouts"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/ui/console"
)

// layoutOptions are the console's way to the layouts that are kept.
func (d *Controller) layoutOptions() *console.Layouts {
	return &console.Layouts{
		Of: d.kept.Layout,
		Keep: func(targets []string, l console.Layout) {
			d.kept.SetLayout(targets, l)
			d.keepSoon()
		},
	}
}

// keepSoon writes what is to be kept, beside everything else. That it cannot be written is
// told once.
func (d *Controller) keepSoon() {
	d.background.Go(func() {
		err := d.kept.Write()
		if err == nil {
			return
		}
		d.mu.Lock()
		told := d.unkept
		d.unkept = true
		d.mu.Unlock()
		if !told {
			text, next := console.Explain("how the screen is divided, and when targets were connected, is forgotten at the end", err)
			d.screen.Notify(strings.TrimSuffix(text+"; "+next, "; "))
		}
	})
}

// keptName is what a pane is called in what is kept: its session's name where that is not
// the default one.
func keptName(s *targets.Target, p *pane.Pane) layouts.Terminal {
	name := p.Name()
	if p.Session() != pane.DefaultSession {
		name = p.Session()
	}
	return layouts.Terminal{Target: s.Name(), Name: name}
}

// ownTerminals changes the list of the operator's own terminals.
func (d *Controller) ownTerminals(change func([]layouts.Terminal) []layouts.Terminal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.terminals = change(d.terminals)
}

// keepTerminals keeps the operator's own terminals for the targets that are open.
func (d *Controller) keepTerminals(h *app.Core) {
	d.mu.Lock()
	all := d.terminals
	d.kept.SetTerminals(h.Targets.Names(), all)
	d.mu.Unlock()
	d.keepSoon()
}

// mostReopened bounds how many terminals a start opens.
const mostReopened = 16

// reopen opens the terminals that the operator had at the end of the last time with the
// same targets. Their shells are fresh.
func (d *Controller) reopen(ctx context.Context, h *app.Core) {
	for i, t := range d.kept.Terminals(h.Targets.Names()) {
		s := h.Targets.Get(t.Target)
		if s == nil || s.Panes == nil || i >= mostReopened {
			continue
		}
		p, err := s.Panes.CreatePane(ctx, "", t.Name)
		if errors.Is(err, pane.ErrNotOurs) {
			p, err = s.Panes.CreateSession(ctx, t.Name)
		}
		switch {
		case errors.Is(err, pane.ErrExists): // what ran there has kept it
		case ctx.Err() != nil:
			return
		case err != nil:
			d.screen.Notify("the terminal " + t.Name + " of " + t.Target + " is not opened again: " + err.Error())
			continue
		default:
			if err := d.noteTerminal("opened " + s.Name() + " " + targets.NameOf(p)); err != nil {
				d.screen.Notify(err.Error())
			}
		}
		d.ownTerminals(func(all []layouts.Terminal) []layouts.Terminal { return append(all, t) })
	}
}
