package targets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/tmux"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools/guard"
)

// Targets are the open targets of an invocation. The first one is the current
// one, which calls mean that name none, until another is chosen.
type Targets struct {
	guard   *guard.Guard
	Lines   Connections
	config  *config.Config
	plan    Options
	Engines *Engines // of containers

	mu      sync.Mutex
	all     []*Target
	aliases map[string]string // what an open container was called to its own name
	failed  map[string]error  // why the last attempt to connect a target came to nothing
	chosen  string
	opening map[string]chan struct{} // closed when the attempt is over
	closed  bool
	changed []func()
}

// Options say how targets are opened.
type Options struct {
	Ask      ssh.Asker    // the questions of logins
	Panes    bool         // commands run in panes where the target has them
	Existing *OwnPane     // in place of the shared one
	Keep     bool         // leave the panes' sessions behind
	Attended bool         // somebody is there who can act where a connection is given up
	Agent    string       // names the panes' sessions; empty means the configured name
	Warn     func(string) // of what is done in a lesser way than promised
	// Step is told how far the connection to a target is. It must not block.
	Step func(target, text string)
	// Reached is told of a target whose panes are still to be opened, which may take long
	// or fail. It must not block for long.
	Reached func(*Target)
	Tap     func(p *pane.Pane) pane.Tap // records a pane
	// Hidden are nod's own files and folders on this machine, which no held command
	// reads.
	Hidden []string
}

// New makes the open targets, of which there is none yet.
func New(g *guard.Guard, l Connections, c *config.Config, p Options) *Targets {
	s := &Targets{guard: g, Lines: l, config: c, plan: p, opening: map[string]chan struct{}{}, aliases: map[string]string{}, failed: map[string]error{}}
	s.Engines = newEngines(s.findEngine)
	return s
}

// OnChange has f called whenever a target comes or goes, or is chosen. It must not
// block.
func (s *Targets) OnChange(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = append(s.changed, f)
}

// tell calls those who want to hear of changes.
func (s *Targets) tell() {
	s.mu.Lock()
	all := slices.Clone(s.changed)
	s.mu.Unlock()
	for _, f := range all {
		f()
	}
}

// Canonical is a target's own name for what the operator calls it.
func (s *Targets) Canonical(name string) (string, error) {
	switch {
	case name == local.Name:
		return local.Name, nil
	case name == "": // perhaps a variable that is not set: it is not taken for this machine
		return "", &UnknownError{name}
	case IsContainer(name):
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
	names, err := ssh.Names(s.Lines.SSHOptions())
	if err != nil {
		return "", err
	}
	if slices.Contains(names, name) {
		host, err := ssh.Parse(name)
		return host.String(), err
	}
	return "", &UnknownError{name}
}

// UnknownError says that a name is none of a target.
type UnknownError struct{ Name string }

// NameForms says which names there are.
const NameForms = "local, ssh:HOST, docker:NAME, or a Host of ssh_config"

// Error implements error.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("target %q is not known; want %s", e.Name, NameForms)
}

var errClosing = errors.New("nod is about to end")

// Open returns a target, which it connects first if it is not open yet.
// Who comes while it is being connected waits for that.
func (s *Targets) Open(ctx context.Context, name string) (*Target, error) {
	name, err := s.Canonical(name)
	if err != nil {
		return nil, err
	}
	for {
		there, busy, closed := s.claim(name)
		switch {
		case closed && there != nil: // a container's engine may be behind it
			return there, nil
		case closed:
			return nil, errClosing
		case there != nil && there.removed():
			if err := s.Drop(name); err != nil { // one of its name may have taken its place
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

// claim is an open target, or what is closed when somebody else's attempt to connect it
// has ended. If there is neither, connecting it is up to the caller.
func (s *Targets) claim(name string) (there *Target, busy <-chan struct{}, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if there = s.find(name); there != nil || s.closed {
		return there, s.opening[name], s.closed
	}
	if busy, ok := s.opening[name]; ok {
		return nil, busy, false
	}
	s.opening[name] = make(chan struct{})
	return nil, nil, false
}

// removed reports whether it is a container that was removed.
func (s *Target) removed() bool {
	return s.Container != nil && errors.Is(s.Container.Stands(), docker.ErrRemoved)
}

// find is an open target, or nil. s.mu is held.
func (s *Targets) find(name string) *Target {
	for _, t := range s.all {
		if t.Name() == name {
			return t
		}
	}
	return nil
}

// connect opens a target and puts it behind the guard.
func (s *Targets) connect(ctx context.Context, name string) (*Target, error) {
	s.tell()
	opened, err := s.make(ctx, name)
	s.mu.Lock()
	close(s.opening[name])
	delete(s.opening, name)
	s.attempted(name, err)
	if err == nil && s.closed {
		err = errClosing
	}
	var known *Target // under another name
	if err == nil && opened.Name() != name {
		s.aliases[name] = opened.Name()
		known = s.find(opened.Name())
	}
	if err == nil && known == nil {
		err = s.guard.Add(opened.place())
	}
	if err == nil && known == nil {
		s.all = append(s.all, opened)
		if s.chosen == "" || s.chosen == name {
			s.chosen = opened.Name()
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

// place is the target as the guard wants it.
func (s *Target) place() guard.Place {
	p := guard.Place{Target: s.Target, User: s.user, Shell: s.shell, Cage: s.Cage}
	if s.Panes != nil {
		p.Panes = guard.Keep(s.Panes)
		if s.Container != nil {
			p.Panes = containerPanes{p.Panes, s.Container}
		}
	}
	return p
}

// make connects a target and opens its panes. After an error nothing is left.
func (s *Targets) make(ctx context.Context, name string) (*Target, error) {
	var opened *Target
	var err error
	switch {
	case name == local.Name:
		opened = here()
	case IsContainer(name):
		opened, err = s.openContainer(ctx, name)
	default:
		opened, err = s.host(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	hidden := s.plan.Hidden
	if name != local.Name {
		hidden = nil
	}
	opened.Cage = confine.NewKeeper(opened.Target, policy.SecretPatterns(hidden...))
	if s.plan.Reached != nil {
		s.plan.Reached(opened)
	}
	if s.plan.Panes && s.config.Tools.Shell {
		if err := s.openPanes(ctx, opened); err != nil {
			return nil, errors.Join(err, opened.Close())
		}
	}
	return opened, nil
}

// here is this machine.
func here() *Target {
	s := &Target{Target: local.New(os.Environ()), user: process.Operator(), shell: "bash", Gone: make(chan struct{})}
	if _, err := os.Stat("/bin/bash"); err != nil {
		s.shell = "sh"
	}
	return s
}

// host is a host over ssh.
func (s *Targets) host(ctx context.Context, name string) (*Target, error) {
	host, err := ssh.Parse(name)
	if err != nil {
		return nil, err
	}
	note := Notes(name, s.plan.Warn)
	step := func(at ssh.Step) {
		note(at)
		if s.plan.Step != nil && at.Stage != ssh.Noted {
			s.plan.Step(name, strings.TrimSpace(at.Stage.String()+" "+at.Detail))
		}
	}
	opt := s.Lines.SSHOptions()
	opt.Asker, opt.Step = s.plan.Ask, step
	there := &Target{shell: "sh", Gone: make(chan struct{}), lines: s.Lines}
	opt.Shared = s.Lines.shared(s.plan.Ask, step, there.ownMaster.Store, s.plan.Warn)
	target, err := ssh.Open(ctx, host, opt)
	if err != nil {
		return nil, err
	}
	conn, err := target.Conn()
	if err != nil {
		return nil, errors.Join(err, target.Close())
	}
	there.Target, there.user, there.settings = target, conn.Remote().User, conn.Settings()
	there.Home = conn.Remote().Home
	if way := there.Way(); way != "" {
		there.Notes = append(there.Notes, there.prefix()+way)
	}
	if path.Base(conn.Remote().Shell) == "bash" {
		there.shell = "bash"
	}
	return there, nil
}

// openPanes starts the panes of a target. Without a tmux that can be used, the
// panes do not survive nod, and the operator is told.
func (s *Targets) openPanes(ctx context.Context, t *Target) error {
	name := s.plan.Agent
	if name == "" {
		name = s.config.Agent.Name
	}
	socket, id := s.config.Tmux.Socket, ""
	if s.plan.Existing != nil && t.Name() == local.Name {
		socket, id = s.plan.Existing.socket, s.plan.Existing.id
	}
	keeper, err := pane.Open(ctx, t.Target, pane.Options{
		Agent: name, Socket: socket, Pane: id, Keep: s.plan.Keep,
		Unattended:  !s.plan.Attended,
		WithoutTmux: t.Container != nil && t.Container.noTmux != "",
		Size:        backends.Size{Cols: 120, Rows: 40},
		Tap:         s.plan.Tap,
		MaxSessions: s.config.Tmux.MaxSessions, MaxPanes: s.config.Tmux.MaxPanes,
	})
	if err != nil {
		return fmt.Errorf("panes: %w", err)
	}
	const so = ": commands run in panes that do not survive nod"
	switch why := keeper.WithoutTmux(); {
	case why != nil && t.Container != nil && t.Container.noTmux != "":
		t.Notes = append(t.Notes, t.prefix()+t.Container.noTmux+so)
	case errors.Is(why, tmux.ErrNoTmux):
		t.Notes = append(t.Notes, t.prefix()+"tmux is not installed"+so+" (apt-get install tmux)")
	case why != nil:
		t.Notes = append(t.Notes, t.prefix()+why.Error()+so)
	}
	t.Panes = keeper
	return nil
}

// Current is the name of the target that calls mean that name none.
func (s *Targets) Current() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.chosen == "" {
		return local.Name
	}
	return s.chosen
}

// Choose makes an open target the current one.
func (s *Targets) Choose(name string) {
	s.mu.Lock()
	s.chosen = name
	s.mu.Unlock()
	s.tell()
}

// List are the open targets, in the order in which they were opened, and the names
// of those that are being connected.
func (s *Targets) List() (open []*Target, opening []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.opening {
		opening = append(opening, name)
	}
	slices.Sort(opening)
	return slices.Clone(s.all), opening
}

// Drop gives a target up, with the panes on it.
func (s *Targets) Drop(name string) error {
	s.mu.Lock()
	t := s.find(name)
	if t != nil {
		s.all = slices.DeleteFunc(s.all, func(other *Target) bool { return other == t })
		s.guard.Remove(name)
		if s.chosen == name {
			s.chosen = ""
			if len(s.all) > 0 {
				s.chosen = s.all[0].Name()
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

// CanonicalNames are the targets that the operator has named on the command line, by
// their own names; this machine if he has named none.
func CanonicalNames(c *config.Config, getenv func(string) string, targets []string) ([]string, error) {
	if len(targets) == 0 {
		return []string{local.Name}, nil
	}
	l, err := NewConnections(c, getenv)
	if err != nil {
		return nil, err
	}
	s := New(nil, l, c, Options{})
	names := make([]string, len(targets))
	for i, t := range targets {
		if names[i], err = s.Canonical(t); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// Names are those of the open targets.
func (s *Targets) Names() []string {
	open, _ := s.List()
	names := make([]string, len(open))
	for i, t := range open {
		names[i] = t.Name()
	}
	return names
}

// Get is an open target, or nil.
func (s *Targets) Get(name string) *Target {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.find(name)
}
