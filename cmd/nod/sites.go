package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/tmux"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools/guard"
)

// sites are the targets of a house that are open. The first one is the current
// one, which calls mean that name none, until another is chosen.
type sites struct {
	guard   *guard.Guard
	lines   lines
	config  *config.Config
	plan    plan
	engines *engines // of containers

	mu      sync.Mutex
	all     []*site
	aliases map[string]string // what an open container was called to its own name
	chosen  string
	opening map[string]chan struct{} // closed when the attempt is over
	closed  bool
	changed []func()
}

func newSites(g *guard.Guard, l lines, c *config.Config, p plan) *sites {
	s := &sites{guard: g, lines: l, config: c, plan: p, opening: map[string]chan struct{}{}, aliases: map[string]string{}}
	s.engines = newEngines(s.findEngine)
	return s
}

// onChange has f called whenever a site comes or goes, or is chosen. It must not
// block.
func (s *sites) onChange(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = append(s.changed, f)
}

// tell calls those who want to hear of changes.
func (s *sites) tell() {
	s.mu.Lock()
	all := slices.Clone(s.changed)
	s.mu.Unlock()
	for _, f := range all {
		f()
	}
}

// canonical is a target's own name for what the operator calls it.
func (s *sites) canonical(name string) (string, error) {
	switch {
	case name == local.Name:
		return local.Name, nil
	case name == "": // perhaps a variable that is not set: it is not taken for this machine
		return "", &unknownTargetError{name}
	case isContainer(name):
		_, _, err := docker.Parse(name)
		s.mu.Lock()
		defer s.mu.Unlock()
		if own := s.aliases[name]; own != "" {
			return own, err
		}
		return name, err
	case strings.HasPrefix(name, "ssh:") || strings.Contains(name, "@"):
		host, err := ssh.Parse(name)
		return host.String(), err
	}
	names, err := ssh.Names(s.lines.options())
	if err != nil {
		return "", err
	}
	if slices.Contains(names, name) {
		host, err := ssh.Parse(name)
		return host.String(), err
	}
	return "", &unknownTargetError{name}
}

// unknownTargetError says that a name is none of a target.
type unknownTargetError struct{ name string }

// targetNames says which names there are.
const targetNames = "local, ssh:HOST, docker:NAME, or a Host of ssh_config"

func (e *unknownTargetError) Error() string {
	return fmt.Sprintf("target %q is not known; want %s", e.name, targetNames)
}

var errClosing = errors.New("nod is about to end")

// open returns the site of a target, which it connects if it is not open yet.
// Who comes while it is being connected waits for that.
func (s *sites) open(ctx context.Context, name string) (*site, error) {
	name, err := s.canonical(name)
	if err != nil {
		return nil, err
	}
	for {
		s.mu.Lock()
		there, busy, closed := s.find(name), s.opening[name], s.closed
		if there == nil && busy == nil && !closed {
			s.opening[name] = make(chan struct{})
		}
		s.mu.Unlock()
		switch {
		case closed && there != nil: // a container's engine may be behind it
			return there, nil
		case closed:
			return nil, errClosing
		case there != nil && there.container != nil && errors.Is(there.container.stands(), docker.ErrRemoved):
			if err := s.drop(name); err != nil { // one of its name may have taken its place
				return nil, err
			}
			continue
		case there != nil:
			return there, nil
		case busy == nil:
			return s.connect(ctx, name)
		}
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// find is an open site, or nil. s.mu is held.
func (s *sites) find(name string) *site {
	for _, t := range s.all {
		if t.name() == name {
			return t
		}
	}
	return nil
}

// connect opens a site and puts it behind the guard.
func (s *sites) connect(ctx context.Context, name string) (*site, error) {
	s.tell()
	opened, err := s.make(ctx, name)
	s.mu.Lock()
	close(s.opening[name])
	delete(s.opening, name)
	if err == nil && s.closed {
		err = errClosing
	}
	var known *site // under another name
	if err == nil && opened.name() != name {
		s.aliases[name] = opened.name()
		known = s.find(opened.name())
	}
	if err == nil && known == nil {
		err = s.guard.Add(opened.place())
	}
	if err == nil && known == nil {
		s.all = append(s.all, opened)
		if s.chosen == "" || s.chosen == name {
			s.chosen = opened.name()
		}
	}
	s.mu.Unlock()
	if known != nil {
		return known, opened.Close()
	}
	s.tell()
	if err != nil && opened != nil {
		err = errors.Join(err, opened.Close())
	}
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// place is the site as the guard wants it.
func (s *site) place() guard.Place {
	p := guard.Place{Target: s.target, User: s.user, Shell: s.shell}
	if s.panes != nil {
		p.Panes = guard.Keep(s.panes)
		if s.container != nil {
			p.Panes = standing{p.Panes, s.container}
		}
	}
	return p
}

// make connects a target and opens its panes. After an error nothing is left.
func (s *sites) make(ctx context.Context, name string) (*site, error) {
	var opened *site
	var err error
	switch {
	case name == local.Name:
		opened = here()
	case isContainer(name):
		opened, err = s.openContainer(ctx, name)
	default:
		opened, err = s.host(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	if s.plan.panes && s.config.Tools.Shell {
		if err := s.openPanes(ctx, opened); err != nil {
			return nil, errors.Join(err, opened.Close())
		}
	}
	return opened, nil
}

// here is this machine.
func here() *site {
	s := &site{target: local.New(os.Environ()), user: operator(), shell: "bash", gone: make(chan struct{})}
	if _, err := os.Stat("/bin/bash"); err != nil {
		s.shell = "sh"
	}
	return s
}

// host is a host over ssh.
func (s *sites) host(ctx context.Context, name string) (*site, error) {
	host, err := ssh.Parse(name)
	if err != nil {
		return nil, err
	}
	step := func(at ssh.Step) {
		if s.plan.step != nil {
			s.plan.step(name, strings.TrimSpace(at.Stage.String()+" "+at.Detail))
		}
	}
	opt := s.lines.options()
	opt.Asker, opt.Step = s.plan.ask, step
	there := &site{shell: "sh", gone: make(chan struct{}), lines: s.lines}
	opt.Ride = s.lines.ride(s.plan.ask, step, there.master.Store, s.plan.warn)
	target, err := ssh.Open(ctx, host, opt)
	if err != nil {
		return nil, err
	}
	conn, err := target.Conn()
	if err != nil {
		return nil, errors.Join(err, target.Close())
	}
	there.target, there.user, there.settings = target, conn.Remote().User, conn.Settings()
	there.home = conn.Remote().Home
	if way := there.way(); way != "" {
		there.notes = append(there.notes, there.prefix()+way)
	}
	if path.Base(conn.Remote().Shell) == "bash" {
		there.shell = "bash"
	}
	return there, nil
}

// openPanes starts the keeper of a site. Without a tmux that can be used, the
// panes do not survive nod, and the operator is told.
func (s *sites) openPanes(ctx context.Context, t *site) error {
	name := s.plan.agent
	if name == "" {
		name = s.config.Agent.Name
	}
	socket, id := s.config.Tmux.Socket, ""
	if s.plan.existing != nil && t.name() == local.Name {
		socket, id = s.plan.existing.socket, s.plan.existing.id
	}
	keeper, err := pane.Open(ctx, t.target, pane.Options{
		Agent: name, Socket: socket, Pane: id, Keep: s.plan.keep,
		WithoutTmux: t.container != nil && t.container.noTmux != "",
		Size:        backends.Size{Cols: 120, Rows: 40},
		Tap:         s.plan.tap,
		MaxSessions: s.config.Tmux.MaxSessions, MaxPanes: s.config.Tmux.MaxPanes,
	})
	if err != nil {
		return fmt.Errorf("panes: %w", err)
	}
	const so = ": commands run in panes that do not survive nod"
	switch why := keeper.WithoutTmux(); {
	case why != nil && t.container != nil && t.container.noTmux != "":
		t.notes = append(t.notes, t.prefix()+t.container.noTmux+so)
	case errors.Is(why, tmux.ErrNoTmux):
		t.notes = append(t.notes, t.prefix()+"tmux is not installed"+so+" (apt-get install tmux)")
	case why != nil:
		t.notes = append(t.notes, t.prefix()+why.Error()+so)
	}
	t.panes = keeper
	return nil
}

// current is the name of the target that calls mean that name none.
func (s *sites) current() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.chosen == "" {
		return local.Name
	}
	return s.chosen
}

// choose makes an open site the current one.
func (s *sites) choose(name string) {
	s.mu.Lock()
	s.chosen = name
	s.mu.Unlock()
	s.tell()
}

// list are the open sites, in the order in which they were opened, and the names
// of those that are being connected.
func (s *sites) list() (open []*site, opening []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.opening {
		opening = append(opening, name)
	}
	slices.Sort(opening)
	return slices.Clone(s.all), opening
}

// drop gives a target up, with the panes on it.
func (s *sites) drop(name string) error {
	s.mu.Lock()
	t := s.find(name)
	if t != nil {
		s.all = slices.DeleteFunc(s.all, func(other *site) bool { return other == t })
		s.guard.Remove(name)
		if s.chosen == name {
			s.chosen = ""
			if len(s.all) > 0 {
				s.chosen = s.all[0].name()
			}
		}
	}
	s.mu.Unlock()
	if t == nil {
		return fmt.Errorf("%s is not connected", name)
	}
	s.tell()
	return t.Close()
}

// Close closes all sites, the newest first.
func (s *sites) Close() error {
	s.mu.Lock()
	s.closed = true
	all := slices.Clone(s.all)
	s.mu.Unlock()
	for _, t := range all { // all at once: they are waited for together
		if t, ok := t.target.(*ssh.Target); ok {
			t.Retry()
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), returnTime)
	defer cancel()
	var errs []error
	for last := s.last(); last != nil; last = s.last() {
		errs = append(errs, last.closeWithin(ctx))
		s.mu.Lock()
		s.all = slices.DeleteFunc(s.all, func(t *site) bool { return t == last })
		s.mu.Unlock()
	}
	return errors.Join(append(errs, s.engines.Close())...)
}

// last is the site that was opened last, or nil.
func (s *sites) last() *site {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) == 0 {
		return nil
	}
	return s.all[len(s.all)-1]
}
