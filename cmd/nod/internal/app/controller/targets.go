package controller

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/layouts"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/ui/console"
	picker "github.com/nod-console/nod/ui/targets"
)

// awaitTarget waits for the current target, if it is one of the start that is not
// connected yet, and says so. The operator may choose another one meanwhile.
func (d *Controller) awaitTarget(ctx context.Context) error {
	for said := ""; ; {
		d.mu.Lock()
		moved := d.moved
		d.mu.Unlock()
		name := d.currentTarget()
		d.mu.Lock()
		settled := d.attempted[name] || !slices.Contains(d.Targets, name)
		d.mu.Unlock()
		if settled {
			return nil
		}
		if name != said {
			d.screen.Notify("waits for " + name + ", which is being connected")
			said = name
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// settle notes that an attempt to connect a target is over.
func (d *Controller) settle(name string) {
	d.mu.Lock()
	d.attempted[name] = true
	d.mu.Unlock()
	d.move()
}

// move wakes those who wait for the current target.
func (d *Controller) move() {
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.moved)
	d.moved = make(chan struct{})
}

// connect opens a target and shows its panes until it is dropped or ctx ends.
func (d *Controller) connect(ctx context.Context, h *app.Core, name string) error {
	defer d.settle(name)
	began := d.together.Begin()
	s, err := h.Targets.Open(ctx, name)
	began()
	if err != nil {
		return err
	}
	address, system := s.Facts()
	d.kept.Connected(s.Name(), address, system)
	d.keepSoon()
	defer d.settle(s.Name()) // which a container is not always called by
	if err := d.introduce(ctx, h, s); err != nil {
		return err
	}
	// The panes have the link for themselves first.
	defer d.background.Go(func() { d.tendCage(ctx, h, s) })
	if s.Panes == nil {
		return nil
	}
	if _, err := s.Panes.Shared(ctx); err != nil {
		return fmt.Errorf("panes: %w", err)
	}
	d.tendPanes(ctx, s, d.mirror)
	return nil
}

// introduce says what is to be known of a target that was opened.
func (d *Controller) introduce(ctx context.Context, h *app.Core, s *targets.Target) error {
	for _, note := range s.Notes {
		d.screen.Notify(note)
	}
	if s.Container != nil {
		return d.follow(ctx, h, s.Container.Engine)
	}
	return nil
}

func (d *Controller) tendPanes(ctx context.Context, s *targets.Target, mirror func(context.Context, *targets.Target)) {
	d.tend(ctx, s, "panes", mirror)
	if s.Container != nil {
		d.tend(ctx, s, "load", d.tendLoad)
	}
}

// connectFor connects a target that the model has asked for: a call may give up, and what it
// connected stays. It may be one of many, so that its panes come up when they are used.
func (d *Controller) connectFor(ctx, call context.Context, name string) error {
	h := d.parts.core
	began := d.together.Begin()
	s, err := h.Targets.Open(call, name)
	began()
	if err != nil {
		return err
	}
	defer d.settle(s.Name())
	if err := d.introduce(ctx, h, s); err != nil {
		return err
	}
	d.background.Go(func() { d.tendCage(ctx, h, s) })
	if s.Panes != nil {
		d.tendPanes(ctx, s, d.mirrorLater)
	}
	return nil
}

// mirrorLater is mirror from when there is a pane.
func (d *Controller) mirrorLater(ctx context.Context, s *targets.Target) {
	changes, unsubscribe := s.Panes.Changes()
	defer unsubscribe()
	for len(s.Panes.List()) == 0 {
		select {
		case <-changes:
		case <-s.Gone:
			return
		case <-ctx.Done():
			return
		}
	}
	d.mirror(ctx, s)
}

// reached looks after the connection to a target from when there is one, so that it is
// said why panes do not come.
func (d *Controller) reached(ctx context.Context, s *targets.Target) {
	d.tend(ctx, s, "link", func(ctx context.Context, s *targets.Target) {
		if s.Container != nil {
			if err := d.follow(ctx, d.parts.core, s.Container.Engine); err != nil {
				return // connect says so
			}
		}
		d.tendLink(ctx, s)
	})
}

// tended is a part of a target that something looks after.
type tended struct {
	target *targets.Target
	part   string
}

// tend looks after a part of a target in the background, until the target is dropped,
// if that is not done already. Nothing of the target is held after that: with it go the
// emulators of its panes.
func (d *Controller) tend(ctx context.Context, s *targets.Target, part string, f func(context.Context, *targets.Target)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	of := tended{s, part}
	if d.tended[of] {
		return
	}
	d.tended[of] = true
	d.background.Go(func() {
		f(ctx, s)
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.tended, of)
	})
}

// tendLink shows when a target's connection is lost or made again, until the target
// is dropped or ctx ends.
func (d *Controller) tendLink(ctx context.Context, s *targets.Target) {
	for lost, way := "", s.Way(); ; {
		changed := s.LinkChanged()
		if changed == nil {
			return
		}
		_, state := s.Link()
		switch {
		case state != "" && lost == "":
			d.screen.Notify(s.Name() + ": " + state)
		case state == "" && lost != "":
			again := ": connected again"
			if s.Container != nil {
				again = ": the container runs again"
			}
			d.screen.Notify(s.Name() + again + elsewhere(way, s.Way()))
			way = s.Way()
		}
		if state != lost {
			lost = state
			d.targetsChanged()
		}
		select {
		case <-changed:
		case <-s.Gone:
			return
		case <-ctx.Done():
			return
		}
	}
}

// elsewhere says of a connection that was made again where it goes now, if that
// is another way than before.
func elsewhere(before, now string) string {
	switch {
	case before == now:
		return ""
	case now == "":
		return ", on a connection of nod's own"
	}
	return ", " + now
}

// core is the Core, once it is open; nil before.
func (d *Controller) core() *app.Core {
	select {
	case <-d.opened:
		return d.parts.core
	default:
		return nil
	}
}

// currentTarget is the target that calls mean that name none.
func (d *Controller) currentTarget() string {
	if h := d.core(); h != nil {
		return h.Targets.Current()
	}
	return d.Targets[0]
}

// step shows how far a connection is.
func (d *Controller) step(target, text string) {
	d.mu.Lock()
	d.steps[target] = text
	d.mu.Unlock()
	d.targetsChanged()
}

// targetsChanged shows which target is the current one, and how it stands.
func (d *Controller) targetsChanged() {
	d.move()
	d.screen.SetTarget(d.statusOf(d.currentTarget()))
	d.screen.TargetsChanged()
}

// statusOf is how a target stands.
func (d *Controller) statusOf(name string) console.TargetStatus {
	h := d.core()
	status := console.TargetStatus{Name: name, Trust: string(h.Policy.TrustOf(name))}
	open, opening := h.Targets.List()
	there := slices.IndexFunc(open, func(s *targets.Target) bool { return s.Name() == name })
	switch status.State = d.connecting(name, opening); {
	case status.State != "":
	case there >= 0:
		status.Latency, status.State = open[there].Link()
		if status.State == "" {
			d.mu.Lock()
			status.Load = d.loads[name]
			d.mu.Unlock()
			words, held := holding(h, open[there])
			status.NotHeld = words != "" && !held
		}
	default:
		status.State = "not connected"
	}
	return status
}

// listTargets are the targets for the picker: those that are open, those that
// are being connected, this machine, and the hosts of ssh_config.
func (d *Controller) listTargets() []picker.Target {
	h := d.core()
	if h == nil {
		return nil
	}
	current := h.Targets.Current()
	open, opening := h.Targets.List()
	known := d.kept.LastConnected()
	var all []picker.Target
	listed := map[string]bool{}
	add := func(t picker.Target) {
		if !listed[t.Name] {
			listed[t.Name] = true
			t.Trust, t.Current = string(h.Policy.TrustOf(t.Name)), t.Name == current
			k := known[t.Name]
			t.Used, t.System = k.When, k.System
			if t.Address == "" {
				t.Address = k.Address
			}
			all = append(all, t)
		}
	}
	for _, s := range open {
		add(openRow(h, s))
	}
	for _, name := range opening {
		d.mu.Lock()
		add(picker.Target{Name: name, State: picker.Connecting, Detail: d.steps[name]})
		d.mu.Unlock()
	}
	add(picker.Target{Name: local.Name, Detail: "this machine"})
	active, idle := containerRows(h.Targets.Engines)
	for _, row := range slices.Concat(active, hosts(h), idle) {
		add(row)
	}
	roster := targets.Roster{Targets: h.Targets}
	for _, name := range roster.Known() { // of the configuration and its groups
		add(picker.Target{Name: name})
	}
	putIntoGroups(all, roster)
	return all
}

// openRow is an open target for the picker.
func openRow(h *app.Core, s *targets.Target) picker.Target {
	t := picker.Target{Name: s.Name(), State: picker.Connected, Panes: len(s.List())}
	if t.Latency, t.Detail = s.Link(); t.Detail != "" {
		t.State = picker.Lost
	}
	if s.Container != nil {
		t.Word, t.Logs = s.Container.Sign(), true
		if there, ok := s.Container.Known(); ok && t.Detail == "" {
			t.Detail = inWords(there)
		}
	}
	if words, held := holding(h, s); t.Detail == "" && words != "" && !held {
		t.Detail = "looks are not held"
	}
	return t
}

// putIntoGroups says of each target in which groups it is.
func putIntoGroups(all []picker.Target, roster targets.Roster) {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	in := roster.Memberships(names)
	for i := range all {
		all[i].Groups = in[all[i].Name]
	}
}

// hosts are those that ssh_config names, with their addresses where it says them
// plainly. One that cannot be read has none here; whoever connects is told.
func hosts(h *app.Core) []picker.Target {
	known, err := ssh.Known(h.Targets.Lines.SSHOptions())
	if err != nil {
		return nil
	}
	all := make([]picker.Target, len(known))
	for i, k := range known {
		all[i] = picker.Target{Name: ssh.Host{Name: k.Name}.String(), Address: k.HostName}
	}
	return all
}

// useTarget makes a target the current one, and connects it before if need be.
func (d *Controller) useTarget(ctx context.Context, name string) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	h := parts.core
	if err := d.connect(ctx, h, name); err != nil {
		d.targetsChanged()
		return err
	}
	name, err = h.Targets.Canonical(name)
	if err != nil {
		return err
	}
	h.Targets.Choose(name)
	return nil
}

// useAll connects several targets, as many at a time as at the start, and makes the first of
// them that could be connected the current one. One that cannot be reached is told.
func (d *Controller) useAll(ctx context.Context, names []string) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	failed := map[string]bool{}
	defer d.together.Begin()()
	err = inOrder(d.background.Go, names, mostConnecting, func(name string) error {
		err := d.connect(ctx, parts.core, name)
		d.targetsChanged()
		if err != nil {
			mu.Lock()
			failed[name] = true
			mu.Unlock()
			d.screen.Fail(console.Explain("connect to "+name, err))
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		if canonical, err := parts.core.Targets.Canonical(name); err == nil && !failed[name] {
			parts.core.Targets.Choose(canonical)
			return nil
		}
	}
	return nil
}

// dropTarget gives a target up, with the panes on it.
func (d *Controller) dropTarget(ctx context.Context, name string) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	d.ownTerminals(func(all []layouts.Terminal) []layouts.Terminal {
		return slices.DeleteFunc(all, func(t layouts.Terminal) bool { return t.Target == name })
	})
	return parts.core.Targets.Drop(name)
}

// attachTo is the command by which the operator gets at a target's panes by
// hand.
func (d *Controller) attachTo(name string) string {
	h := d.core()
	if h == nil {
		return ""
	}
	s := h.Targets.Get(name)
	if s == nil {
		return ""
	}
	for _, p := range s.List() {
		if targets.IsShared(p) {
			return s.Attach(p)
		}
	}
	return ""
}
