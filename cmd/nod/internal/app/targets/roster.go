package targets

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/tools/fleet"
)

// Roster is what the model may name: the targets that the operator has, connected or not.
type Roster struct {
	*Targets
	// Open connects a target; nil: Targets.Open does.
	Open func(ctx context.Context, name string) error
}

var _ fleet.Roster = (*Roster)(nil)

// Known implements [fleet.Roster]: what is open, this machine, the hosts of ssh_config,
// those of the configuration that are no patterns, and those that its groups name.
func (r *Roster) Known() []string {
	names := append(r.Names(), local.Name)
	hosts, err := ssh.Names(r.Lines.SSHOptions())
	if err != nil {
		hosts = nil // the picker and every connection say what is wrong with the file
	}
	for name := range r.config.Targets {
		hosts = append(hosts, name)
	}
	for _, name := range hosts {
		if strings.ContainsAny(name, "*?[,!&^") || IsContainer(name) {
			continue
		}
		if host, err := ssh.Parse(name); err == nil && name != local.Name {
			names = append(names, host.String())
		}
	}
	for name := range fleet.Memberships(r.Groups(), r.Group, names) {
		if host, err := ssh.Parse(name); err == nil && !IsContainer(name) && name != local.Name {
			names = append(names, host.String())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Memberships returns in which of the configuration's groups known targets are, by their
// names.
func (r *Roster) Memberships(known []string) map[string][]string {
	return fleet.Memberships(r.Groups(), r.Group, known)
}

// listTime is how long an engine may take to list its containers.
const listTime = 3 * time.Second

// Containers implements [fleet.Roster].
func (r *Roster) Containers(ctx context.Context, kind string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	e, err := r.Engines.Get(ctx, docker.Kind(kind))
	if err != nil {
		return nil, err
	}
	all, err := e.List(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = kind + ":" + c.Name
	}
	return names, nil
}

// Groups implements [fleet.Roster].
func (r *Roster) Groups() []string { return slices.Sorted(maps.Keys(r.config.Groups)) }

// Group implements [fleet.Roster].
func (r *Roster) Group(name string) (expression string, ok bool) {
	group, ok := r.config.Groups[name]
	return strings.Join(group.Targets, ","), ok
}

// Connect implements [fleet.Roster].
func (r *Roster) Connect(ctx context.Context, target string) error {
	if r.Open != nil {
		return r.Open(ctx, target)
	}
	_, err := r.Targets.Open(ctx, target)
	return err
}

// Failed implements [fleet.Roster].
func (r *Roster) Failed(target string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed[target]
}

// attempted notes how an attempt to connect a target has ended. One that the caller gave up
// says nothing of the target. s.mu is held.
func (s *Targets) attempted(name string, err error) {
	switch {
	case err == nil:
		delete(s.failed, name)
	case !errors.Is(err, context.Canceled) && !errors.Is(err, errClosing):
		s.failed[name] = err
	}
}
