package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/layouts"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/ui/console"
)

// terminalNote is the kind of the notes that say which terminals the operator has opened
// and closed.
const terminalNote = "terminal"

// openTerminal opens another terminal on a target for the operator.
func (d *Controller) openTerminal(ctx context.Context, name string) (console.Opened, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return console.Opened{}, err
	}
	if name == "" {
		name = d.currentTarget()
	}
	s, err := d.connected(ctx, parts.core, name)
	switch {
	case err != nil:
		return console.Opened{}, err
	case s.Panes == nil:
		return console.Opened{}, fmt.Errorf("%s has no terminals: [tools] shell_enabled is false", s.Name())
	case s.Container != nil:
		if err := s.Container.Stands(); err != nil {
			return console.Opened{}, err
		}
	}
	p, err := freshTerminal(ctx, s)
	if err != nil {
		return console.Opened{}, err
	}
	d.ownTerminals(func(all []layouts.Terminal) []layouts.Terminal { return append(all, keptName(s, p)) })
	d.keepTerminals(parts.core)
	opened := console.Opened{Target: s.Name(), Terminal: p.ID()}
	return opened, d.noteTerminal("opened " + s.Name() + " " + targets.NameOf(p))
}

// connected is an open target, which is connected first if need be.
func (d *Controller) connected(ctx context.Context, h *app.Core, name string) (*targets.Target, error) {
	own, err := h.Targets.Canonical(name)
	if err != nil {
		return nil, err
	}
	if s := h.Targets.Get(own); s != nil && len(s.List()) > 0 {
		return s, nil
	}
	if err := d.connect(ctx, h, name); err != nil {
		return nil, err
	}
	if own, err = h.Targets.Canonical(name); err != nil { // a container has another one by now
		return nil, err
	}
	if s := h.Targets.Get(own); s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("%s is not connected", name)
}

// noteTerminal puts on record what the operator has done with a terminal.
func (d *Controller) noteTerminal(text string) error {
	if err := d.parts.core.Ledger.Note(ledger.Note{Kind: terminalNote, Text: text, By: process.Operator()}); err != nil {
		return fmt.Errorf("it is %s, but that cannot be put on record: %w", text, err)
	}
	return nil
}

// freshTerminal makes a pane with the first free name: beside the shared one, or in a
// session of its own where the shared one is a pane that the operator already had.
func freshTerminal(ctx context.Context, s *targets.Target) (*pane.Pane, error) {
	for n := 2; ; n++ {
		name := fmt.Sprintf("term-%d", n)
		p, err := s.Panes.CreatePane(ctx, "", name)
		if errors.Is(err, pane.ErrNotOurs) {
			p, err = s.Panes.CreateSession(ctx, name)
		}
		switch {
		case err == nil:
			return p, nil
		case errors.Is(err, pane.ErrTooMany):
			return nil, fmt.Errorf("%w: close one with /close, or raise max_panes or max_sessions in [tmux]", err)
		case !errors.Is(err, pane.ErrExists):
			return nil, err
		}
	}
}

// closeTerminal ends a pane for the operator.
func (d *Controller) closeTerminal(ctx context.Context, s *targets.Target, p *pane.Pane, sure bool) error {
	if targets.IsShared(p) {
		return fmt.Errorf("it is where commands on %s run, and stays as long as the target is connected: Ctrl-X in the list of targets drops that", s.Name())
	}
	if !sure {
		doing := doing(p)
		if doing == "" && p.Occupied(ctx) {
			doing = notStarted
		}
		if doing != "" {
			return &console.BusyError{Doing: doing}
		}
	}
	name, was := s.Name()+" "+targets.NameOf(p), keptName(s, p)
	roster, ok := guard.Keep(s.Panes).(guard.Roster)
	if !ok {
		return fmt.Errorf("no terminal of %s can be closed", s.Name())
	}
	if err := roster.End(ctx, p.Session(), p.Name()); err != nil {
		return err
	}
	d.ownTerminals(func(all []layouts.Terminal) []layouts.Terminal {
		return slices.DeleteFunc(all, func(t layouts.Terminal) bool { return t == was })
	})
	d.keepTerminals(d.parts.core)
	return d.noteTerminal("closed " + name)
}

// notStarted is said where nod does not know what runs.
const notStarted = "something that nod did not start, or a shell that does not answer"

// doing is what runs in a pane, whoever has begun it; empty if its shell is at its prompt.
func doing(p *pane.Pane) string {
	if run := p.Busy(); run != nil {
		return run.Command
	}
	command, byHand := p.ByHand()
	switch {
	case byHand && command != "":
		return command
	case byHand:
		return "a command that was typed by hand"
	case !p.AtPrompt():
		return notStarted
	}
	return ""
}

// renameTerminal gives a pane another name, by which the model knows it, too.
func (d *Controller) renameTerminal(ctx context.Context, s *targets.Target, p *pane.Pane, name string) error {
	to, err := guard.Name(name)
	if err != nil {
		return err
	}
	if targets.IsShared(p) {
		return errors.New("the shared terminal keeps its name: the model asks for it by that")
	}
	was, before := targets.NameOf(p), keptName(s, p)
	if err := s.Panes.RenamePane(ctx, p.Session(), p.Name(), to); err != nil {
		return err
	}
	d.ownTerminals(func(all []layouts.Terminal) []layouts.Terminal {
		if i := slices.Index(all, before); i >= 0 {
			all[i] = keptName(s, p)
		}
		return all
	})
	d.keepTerminals(d.parts.core)
	return d.noteTerminal("renamed " + s.Name() + " " + was + " to " + to)
}
