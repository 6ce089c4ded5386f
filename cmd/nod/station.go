package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/targets"
)

// canonical are the targets that the operator has named on the command line, by
// their own names; this machine if he has named none.
func (a *app) canonical(c *config.Config, targets []string) ([]string, error) {
	if len(targets) == 0 {
		return []string{local.Name}, nil
	}
	l, err := a.lines(c)
	if err != nil {
		return nil, err
	}
	s := newSites(nil, l, c, plan{})
	names := make([]string, len(targets))
	for i, t := range targets {
		if names[i], err = s.canonical(t); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// connectAll connects the targets of the start. Without this machine there is
// no console; a host that cannot be reached is told.
func (d *station) connectAll(ctx context.Context) error {
	d.sitesChanged()
	for _, name := range d.targets {
		err := d.connect(ctx, d.parts.house, name)
		switch {
		case err == nil:
		case name == local.Name || ctx.Err() != nil:
			return err
		default:
			d.screen.SetTarget(console.TargetStatus{Name: name, State: "not connected"})
			d.screen.Fail("connect: "+err.Error(), "")
		}
	}
	return nil
}

// awaitTarget waits for the current target, if it is one of the start that is not
// connected yet, and says so. The operator may choose another one meanwhile.
func (d *station) awaitTarget(ctx context.Context) error {
	for said := ""; ; {
		d.mu.Lock()
		moved := d.moved
		d.mu.Unlock()
		name := d.currentTarget()
		d.mu.Lock()
		settled := d.attempted[name] || !slices.Contains(d.targets, name)
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
func (d *station) settle(name string) {
	d.mu.Lock()
	d.attempted[name] = true
	d.mu.Unlock()
	d.move()
}

// move wakes those who wait for the current target.
func (d *station) move() {
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.moved)
	d.moved = make(chan struct{})
}

// connect opens a target and shows its panes until it is dropped or ctx ends.
func (d *station) connect(ctx context.Context, h *house, name string) error {
	defer d.settle(name)
	s, err := h.sites.open(ctx, name)
	if err != nil {
		return err
	}
	defer d.settle(s.name()) // which a container is not always called by
	for _, note := range s.notes {
		d.screen.Notify(note)
	}
	if s.container != nil {
		if err := d.follow(ctx, h, s.container.engine); err != nil {
			return err
		}
	}
	if s.panes == nil {
		return nil
	}
	if _, err := s.panes.Shared(ctx); err != nil {
		return fmt.Errorf("panes: %w", err)
	}
	d.mirrorOnce(ctx, s)
	return nil
}

// mirrorOnce shows the panes of a site until it is dropped, if that is not done
// already. Nothing of the site is held after that: with it go the emulators of
// its panes.
func (d *station) mirrorOnce(ctx context.Context, s *site) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.mirrored[s] {
		return
	}
	if d.mirrored == nil {
		d.mirrored = map[*site]bool{}
	}
	d.mirrored[s] = true
	d.tending.Go(func() {
		d.mirror(ctx, s)
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.mirrored, s)
	})
	d.tending.Go(func() { d.tendLink(ctx, s) })
	if s.container != nil {
		d.tending.Go(func() { d.tendLoad(ctx, s) })
	}
}

// tendLink shows when a site's connection is lost or made again, until the site
// is dropped or ctx ends.
func (d *station) tendLink(ctx context.Context, s *site) {
	var shown string // the latency
	for lost, way := "", s.way(); ; {
		changed := s.linkChanged()
		if changed == nil {
			return
		}
		latency, state := s.link()
		switch {
		case state != "" && lost == "":
			d.screen.Notify(s.name() + ": " + state)
		case state == "" && lost != "":
			again := ": connected again"
			if s.container != nil {
				again = ": the container runs again"
			}
			d.screen.Notify(s.name() + again + elsewhere(way, s.way()))
			way = s.way()
		}
		if now := targets.Latency(latency); state != lost || now != shown {
			lost, shown = state, now
			d.sitesChanged()
		}
		select {
		case <-changed:
		case <-time.After(max(d.config.SSH.Keepalive, time.Second)): // there may be another latency
		case <-s.gone:
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

// house is the house, once it is open; nil before.
func (d *station) house() *house {
	select {
	case <-d.opened:
		return d.parts.house
	default:
		return nil
	}
}

// currentTarget is the target that calls mean that name none.
func (d *station) currentTarget() string {
	if h := d.house(); h != nil {
		return h.sites.current()
	}
	return d.targets[0]
}

// step shows how far a connection is.
func (d *station) step(target, text string) {
	d.mu.Lock()
	d.steps[target] = text
	d.mu.Unlock()
	d.sitesChanged()
}

// sitesChanged shows which target is the current one, and how it stands.
func (d *station) sitesChanged() {
	d.move()
	d.screen.SetTarget(d.statusOf(d.currentTarget()))
	d.screen.TargetsChanged()
}

// statusOf is how a target stands.
func (d *station) statusOf(name string) console.TargetStatus {
	h := d.house()
	status := console.TargetStatus{Name: name, Trust: string(h.policy.TrustOf(name))}
	open, opening := h.sites.list()
	there := slices.IndexFunc(open, func(s *site) bool { return s.name() == name })
	switch {
	case len(opening) > 0:
		d.mu.Lock()
		status.State = fmt.Sprintf("connecting %s: %s", opening[0], d.steps[opening[0]])
		d.mu.Unlock()
	case there >= 0:
		status.Latency, status.State = open[there].link()
		if status.State == "" {
			d.mu.Lock()
			status.Load = d.loads[name]
			d.mu.Unlock()
		}
	default:
		status.State = "not connected"
	}
	return status
}

// listTargets are the targets for the picker: those that are open, those that
// are being connected, this machine, and the hosts of ssh_config.
func (d *station) listTargets() []targets.Target {
	h := d.house()
	if h == nil {
		return nil
	}
	current := h.sites.current()
	open, opening := h.sites.list()
	var all []targets.Target
	listed := map[string]bool{}
	add := func(t targets.Target) {
		if !listed[t.Name] {
			listed[t.Name] = true
			t.Trust, t.Current = string(h.policy.TrustOf(t.Name)), t.Name == current
			all = append(all, t)
		}
	}
	for _, s := range open {
		t := targets.Target{Name: s.name(), State: targets.Connected, Panes: len(s.list())}
		if t.Latency, t.Detail = s.link(); t.Detail != "" {
			t.State = targets.Lost
		}
		if s.container != nil {
			t.Word, t.Logs = s.container.sign(), true
			if there, ok := s.container.known(); ok && t.Detail == "" {
				t.Detail = inWords(there)
			}
		}
		add(t)
	}
	for _, name := range opening {
		d.mu.Lock()
		add(targets.Target{Name: name, State: targets.Connecting, Detail: d.steps[name]})
		d.mu.Unlock()
	}
	add(targets.Target{Name: local.Name, Detail: "this machine"})
	active, idle := h.sites.engines.rows()
	for _, row := range active {
		add(row)
	}
	for _, name := range hosts(h) {
		add(targets.Target{Name: name})
	}
	for _, row := range idle {
		add(row)
	}
	return all
}

// hosts are the names that ssh_config has. One that cannot be read has none
// here; whoever connects is told.
func hosts(h *house) []string {
	names, err := ssh.Names(h.sites.lines.options())
	if err != nil {
		return nil
	}
	for i, n := range names {
		names[i] = ssh.Host{Name: n}.String()
	}
	return names
}

// useTarget makes a target the current one, and connects it before if need be.
func (d *station) useTarget(ctx context.Context, name string) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	h := parts.house
	if err := d.connect(ctx, h, name); err != nil {
		d.sitesChanged()
		return err
	}
	name, err = h.sites.canonical(name)
	if err != nil {
		return err
	}
	h.sites.choose(name)
	return nil
}

// dropTarget gives a target up, with the panes on it.
func (d *station) dropTarget(ctx context.Context, name string) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	return parts.house.sites.drop(name)
}

// attachTo is the command by which the operator gets at a target's panes by
// hand.
func (d *station) attachTo(name string) string {
	h := d.house()
	if h == nil {
		return ""
	}
	open, _ := h.sites.list()
	for _, s := range open {
		if s.name() != name {
			continue
		}
		for _, p := range s.list() {
			if isShared(p) {
				return s.attach(p)
			}
		}
	}
	return ""
}
