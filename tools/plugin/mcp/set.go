package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/plugin/harmless"
	"github.com/nod-console/nod/tools/plugin/mcp/oauth"
)

// Options of a Set. All but Ask, Warn, Record, Logins, Reserved, Patience and Now are needed.
type Options struct {
	Servers  []Config // checked ones
	Registry *tools.Registry
	Guard    *guard.Guard
	Pins     *Pins
	// Local is this machine, with the environment that each program gets.
	Local backends.Target
	// Cages holds programs there.
	Cages *confine.Keeper
	// Hidden are nod's own files and folders, which no program may write to.
	Hidden []string
	Getenv func(string) string
	// Version is nod's own, which servers are told.
	Version string
	// Ask lets the operator fill in what a server asks for. Nil: that is declined.
	Ask Asker
	// Warn tells the operator something, in a line. Nil: nobody listens.
	Warn func(string)
	// Record puts on record what was accepted, before it counts. Nil: nobody does.
	Record func(text string) error
	// Logins are those at servers of HTTP. Nil: there are none, and none can be made.
	Logins *oauth.Store
	// Reserved are names that no server's tool may have.
	Reserved []string
	// Patience, if above 0, is the time-out of every server: for tests.
	Patience time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Set is the servers of the configuration.
type Set struct {
	opt     Options
	servers []*server // by name

	life  context.Context
	end   context.CancelFunc
	wg    sync.WaitGroup
	wake  chan struct{}
	first chan struct{} // closed when each server was tried once

	mu         sync.Mutex
	registered map[string]*Tool
	recent     []string // registered tools that stand in requests, the latest last
	told       map[string]string
}

// New returns a set that is not connected to anything.
func New(opt Options) *Set {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Warn == nil {
		opt.Warn = func(string) {}
	}
	s := &Set{
		opt: opt, wake: make(chan struct{}, 1), first: make(chan struct{}),
		registered: map[string]*Tool{}, told: map[string]string{},
	}
	s.life, s.end = context.WithCancel(context.Background())
	for _, c := range opt.Servers {
		s.servers = append(s.servers, newServer(c, s))
	}
	slices.SortFunc(s.servers, func(a, b *server) int { return strings.Compare(a.cfg.Name, b.cfg.Name) })
	return s
}

func (s *Set) now() time.Time { return s.opt.Now() }

// Start connects to all servers in the background and registers the tools that the
// operator has accepted, and search_tools and mcp_resource. Call it once.
func (s *Set) Start() error {
	if len(s.servers) == 0 {
		close(s.first)
		return nil
	}
	for _, t := range []tools.Tool{&SearchTools{set: s}, &ResourceTool{set: s}} {
		if err := s.opt.Registry.Register(t); err != nil {
			return err
		}
	}
	var trying sync.WaitGroup
	for _, one := range s.servers {
		trying.Go(func() {
			if _, err := one.ensure(s.life); err != nil && s.life.Err() == nil {
				s.opt.Warn(fmt.Sprintf("the MCP server %s: %v", one.cfg.Name, err))
			}
		})
	}
	s.wg.Go(func() {
		trying.Wait()
		close(s.first)
		s.watch()
	})
	return nil
}

// watch reads the tools of servers anew that have said that they have changed.
func (s *Set) watch() {
	for {
		select {
		case <-s.life.Done():
			return
		case <-s.wake:
		}
		for _, one := range s.servers {
			one.mu.Lock()
			stale := one.stale && one.link != nil
			one.mu.Unlock()
			if stale {
				_, _ = one.ensure(s.life) // Status has the error, and so has the next call
			}
		}
		pause := time.NewTimer(200 * time.Millisecond) // a server that says so all the time is not asked all the time
		select {
		case <-pause.C:
		case <-s.life.Done():
			pause.Stop()
		}
	}
}

// look has the servers looked at that have changed.
func (s *Set) look() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Ready waits until each server was tried once. The error names a required server that
// is not there, or is ctx's cause.
func (s *Set) Ready(ctx context.Context) error {
	select {
	case <-s.first:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for _, one := range s.servers {
		if !one.cfg.Required {
			continue
		}
		if _, err := one.ensure(ctx); err != nil {
			return fmt.Errorf("the MCP server %s is required and not there: %w", one.cfg.Name, err)
		}
	}
	return nil
}

// HasRequired reports whether a server is required.
func (s *Set) HasRequired() bool {
	return slices.ContainsFunc(s.servers, func(one *server) bool { return one.cfg.Required })
}

// Close ends all servers. It returns when their programs have ended.
func (s *Set) Close() error {
	s.end()
	var all sync.WaitGroup
	for _, one := range s.servers {
		all.Go(func() {
			_ = one.alone(context.Background(), func() error {
				one.mu.Lock()
				l := one.link
				one.link, one.err = nil, errors.New("nod has ended it")
				one.mu.Unlock()
				if l != nil {
					l.close()
				}
				return nil
			})
		})
	}
	all.Wait()
	s.wg.Wait()
	s.sync()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return s.opt.Cages.Close(ctx)
}

// sync registers the tools that can be called, and no others. A server that has ended
// keeps its tools: the next call starts it again.
func (s *Set) sync() {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := map[string]*Tool{}
	for _, one := range s.servers {
		withheld := map[string]string{}
		for _, d := range one.usable("") {
			t := newTool(s, one, d)
			switch other, taken := wanted[t.name]; {
			case slices.Contains(s.opt.Reserved, t.name):
				withheld[d.Name] = fmt.Sprintf("%q is a tool of nod's own", t.name)
			case taken:
				withheld[d.Name] = fmt.Sprintf("%q is the tool %q of %s already", t.name, harmless.Text(other.def.Name), other.server.cfg.Name)
			default:
				wanted[t.name] = t
			}
		}
		one.mu.Lock()
		one.withheld = withheld
		one.mu.Unlock()
	}
	for name, t := range s.registered {
		if now, still := wanted[name]; !still || now.digest != t.digest || s.life.Err() != nil {
			s.opt.Registry.Unregister(name)
			delete(s.registered, name)
		}
	}
	for _, name := range sortedKeys(wanted) {
		t := wanted[name]
		if _, there := s.registered[name]; there || s.life.Err() != nil {
			continue
		}
		if err := s.opt.Registry.Register(t); err != nil {
			t.server.mu.Lock()
			t.server.withheld[t.def.Name] = fmt.Sprintf("%q is a tool of nod's own", name)
			t.server.mu.Unlock()
			continue
		}
		s.registered[name] = t
	}
	s.recent = slices.DeleteFunc(s.recent, func(name string) bool { return s.registered[name] == nil })
	s.tell()
}

// tell tells the operator, once each, what waits for them.
func (s *Set) tell() {
	if s.life.Err() != nil {
		return
	}
	for _, one := range s.servers {
		all, err := one.changesNow()
		text := ""
		if p := pendingOf(all); err == nil && p.count() > 0 {
			text = fmt.Sprintf("%s of the MCP server %s %s new or changed, and withheld: /mcp %s shows what, /mcp accept %s accepts",
				p, one.cfg.Name, isAre(p.count()), one.cfg.Name, one.cfg.Name)
		}
		key := fingerprint(all)
		if text != "" && s.told[one.cfg.Name] != key {
			s.opt.Warn(text)
		}
		s.told[one.cfg.Name] = key
	}
}

// pending counts the changes that withhold something.
type pending struct{ tools, resources int }

func pendingOf(all []Change) (p pending) {
	for _, c := range all {
		switch {
		case c.Now == nil:
		case c.resource():
			p.resources++
		default:
			p.tools++
		}
	}
	return p
}

func (p pending) count() int { return p.tools + p.resources }

func (p pending) String() string {
	return Counts(p.tools, p.resources)
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// find is the server of that name.
func (s *Set) find(name string) (*server, error) {
	var names []string
	for _, one := range s.servers {
		if one.cfg.Name == name {
			return one, nil
		}
		names = append(names, one.cfg.Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no MCP server %q: none is configured; \"nod help mcp\" says how", name)
	}
	return nil, fmt.Errorf("there is no MCP server %q; there are %s", name, strings.Join(names, ", "))
}

// Reach connects to a server if needed; without a name it does nothing.
func (s *Set) Reach(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	one, err := s.find(name)
	if err != nil {
		return err
	}
	if _, err := one.ensure(ctx); err != nil {
		return fmt.Errorf("the MCP server %s: %w", name, err)
	}
	return nil
}

// Names are those of the servers.
func (s *Set) Names() (names []string) {
	for _, one := range s.servers {
		names = append(names, one.cfg.Name)
	}
	return names
}
