package plugin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/hook"
	"github.com/nod-console/nod/tools/plugin/lua"
)

// hookTime is how long a plugin's hook may take, with the start of its process.
const hookTime = 40 * time.Second

// SetOptions are what a set works with. Warn and Record may be nil.
type SetOptions struct {
	Store    Store
	Run      Options
	Registry *tools.Registry
	Reserved []string // names that no plugin's tool can have
	Hooks    *hook.Set
	// Warn tells the operator something, in a sentence.
	Warn func(text string)
	// Record puts on record what Reload has exchanged.
	Record func(text string)
}

// Set is the plugins that run in a nod. Safe for concurrent use.
//
// The hooks of a plugin stand in the hook set from the first moment, as they were accepted;
// whoever asks one waits until its plugin was started. Where it could not be, its required
// hooks deny.
type Set struct {
	o    SetOptions
	ctx  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup

	changing sync.Mutex // held by whoever starts, exchanges or removes plugins

	mu    sync.Mutex
	slots map[string]*slot
	tried chan struct{} // closed when each plugin was tried
	once  sync.Once
}

// slot is a plugin's place in a set. Its fields but name are guarded by the set's mu.
type slot struct {
	name     string
	accepted Accepted
	loaded   *Loaded
	fault    string
	running  []string      // names of its tools in the registry
	leftOut  []string      // names of its tools that nod has already
	ready    chan struct{} // closed when it was tried
}

// Open returns the set, with the hooks of what was accepted in place. Plugins with hooks
// are started at once, the others by Start. It does not wait for either.
func Open(o SetOptions) *Set {
	s := &Set{o: o, slots: map[string]*slot{}, tried: make(chan struct{})}
	s.ctx, s.stop = context.WithCancel(context.Background())
	pins, err := o.Store.Accepted()
	if err != nil {
		s.warn("plugins: " + err.Error())
		s.bar(err)
		close(s.tried)
		return s
	}
	hooked := false
	for _, name := range slices.Sorted(maps.Keys(pins)) {
		pin := pins[name]
		sl := &slot{name: name, accepted: pin, ready: make(chan struct{})}
		s.slots[name] = sl
		s.place(sl, pin.Hooks)
		hooked = hooked || len(pin.Hooks) > 0
	}
	if hooked {
		s.Start()
	}
	return s
}

// bar denies everything, because it is not known which hooks are required.
func (s *Set) bar(why error) {
	s.o.Hooks.Replace("plugins", hook.Hook{
		Name: "plugins", Events: hook.Events(), Required: hook.Events(), Timeout: hookTime,
		Call: func(context.Context, hook.Event) (hook.Answer, error) {
			return hook.Answer{}, fmt.Errorf("which hooks of plugins are required cannot be read: %w", why)
		},
	})
}

// Start starts the plugins, behind everything else. Later calls do nothing.
func (s *Set) Start() {
	s.once.Do(func() {
		s.wg.Go(func() {
			s.changing.Lock()
			defer s.changing.Unlock()
			select {
			case <-s.tried:
				return
			default:
			}
			defer close(s.tried)
			s.startAll()
		})
	})
}

// Tried waits until each plugin was started, or could not be. The error is ctx's cause.
func (s *Set) Tried(ctx context.Context) error {
	s.Start()
	select {
	case <-s.tried:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close ends the plugins.
func (s *Set) Close() {
	s.stop()
	s.wg.Wait()
	s.changing.Lock()
	defer s.changing.Unlock()
	for _, sl := range s.sorted() {
		if l := s.setLoaded(sl, nil, "nod ends"); l != nil {
			l.Close()
		}
	}
}

// startAll starts what is installed.
func (s *Set) startAll() {
	all, err := s.o.Store.All()
	if err != nil {
		s.warn("plugins: " + err.Error())
	}
	var starts sync.WaitGroup
	results := make([]*Loaded, len(all))
	faults := make([]string, len(all))
	for i, p := range all {
		if p.Fault != "" {
			faults[i] = p.Fault
			s.warn(fmt.Sprintf("the plugin %s is not loaded: %s", p.Name, p.Fault))
			continue
		}
		starts.Go(func() { results[i], faults[i] = s.load(p.Plugin) })
	}
	starts.Wait()
	for i, p := range all {
		s.put(s.slot(p.Name, p.Accepted), p.Accepted, results[i], faults[i])
	}
	for _, sl := range s.sorted() {
		s.settle(sl, "it is not installed")
	}
}

// load starts one plugin. What is in the way is told.
func (s *Set) load(p Plugin) (l *Loaded, fault string) {
	l, err := Load(s.ctx, p, s.o.Run)
	if err != nil {
		if s.ctx.Err() == nil {
			s.warn(err.Error())
		}
		return nil, strings.TrimPrefix(err.Error(), "plugin "+p.Name+": ")
	}
	return l, ""
}

// slot is the place of a plugin, made if there is none.
func (s *Set) slot(name string, a Accepted) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	sl := s.slots[name]
	if sl == nil {
		sl = &slot{name: name, accepted: a, ready: make(chan struct{})}
		s.slots[name] = sl
	}
	return sl
}

// put lets a plugin, or that there is none, take the place of what is in a slot. There is
// no moment at which its required hooks are not asked.
func (s *Set) put(sl *slot, a Accepted, l *Loaded, fault string) {
	hooks := a.Hooks
	if l != nil {
		hooks = l.Hooks()
	}
	s.mu.Lock()
	sl.accepted = a
	s.mu.Unlock()
	old := s.setLoaded(sl, l, fault)
	s.place(sl, hooks)
	s.settle(sl, fault)
	for _, name := range s.takeTools(sl) {
		s.o.Registry.Unregister(name)
	}
	if l != nil {
		s.register(sl, l)
	}
	if old != nil {
		old.Close()
	}
}

func (s *Set) setLoaded(sl *slot, l *Loaded, fault string) (old *Loaded) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, sl.loaded, sl.fault = sl.loaded, l, fault
	return old
}

// settle lets go on who waits for a slot's plugin.
func (s *Set) settle(sl *slot, fault string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-sl.ready:
		return
	default:
	}
	if sl.loaded == nil && sl.fault == "" {
		sl.fault = fault
	}
	close(sl.ready)
}

func (s *Set) takeTools(sl *slot) (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	names, sl.running, sl.leftOut = sl.running, nil, nil
	return names
}

// register makes a plugin's tools known.
func (s *Set) register(sl *slot, l *Loaded) {
	var running, leftOut []string
	for _, t := range l.Tools() {
		if slices.Contains(s.o.Reserved, t.Name()) || s.o.Registry.Register(t) != nil {
			leftOut = append(leftOut, t.Name())
			s.warn(fmt.Sprintf("plugin %s: its tool %q is left out, because nod has a tool of that name already; rename it", l.Name, t.Name()))
			continue
		}
		running = append(running, t.Name())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sl.running, sl.leftOut = running, leftOut
}

// place puts a plugin's hooks into the hook set, or none.
func (s *Set) place(sl *slot, events []string) {
	owner := "plugin " + sl.name
	if len(events) == 0 {
		s.o.Hooks.Replace(owner)
		return
	}
	s.mu.Lock()
	required := sl.accepted.Required
	s.mu.Unlock()
	s.o.Hooks.Replace(owner, hook.Hook{
		Name: owner, Events: events, Required: required, Timeout: hookTime,
		Call: func(ctx context.Context, e hook.Event) (hook.Answer, error) { return s.ask(ctx, sl, e) },
	})
}

// ask puts an event before a plugin's hook.
func (s *Set) ask(ctx context.Context, sl *slot, e hook.Event) (hook.Answer, error) {
	select {
	case <-sl.ready:
	case <-ctx.Done():
		return hook.Answer{}, context.Cause(ctx)
	}
	s.mu.Lock()
	l, fault := sl.loaded, sl.fault
	s.mu.Unlock()
	if l == nil {
		return hook.Answer{}, fmt.Errorf("%w: %s", hook.ErrAbsent, fault)
	}
	return l.Hook(ctx, e)
}

// sorted are the slots by name.
func (s *Set) sorted() []*slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*slot
	for _, sl := range s.slots {
		all = append(all, sl)
	}
	slices.SortFunc(all, func(a, b *slot) int { return strings.Compare(a.name, b.name) })
	return all
}

func (s *Set) warn(text string) {
	if s.o.Warn != nil {
		s.o.Warn(text)
	}
}

// Status is how a plugin stands.
type Status struct {
	Name, Version  string
	Fault          string // why it does not run; empty if it does
	Tools, LeftOut []string
	Hooks          []string // events; those that are required end with " (required)"
	Commands       []string
}

// Line is the status in a line.
func (s Status) Line() string {
	if s.Fault != "" {
		return s.Name + ": does not run: " + s.Fault
	}
	return strings.TrimSpace(s.Name+" "+s.Version) + ": runs"
}

// Statuses are how the plugins stand, by name.
func (s *Set) Statuses() []Status {
	var all []Status
	for _, sl := range s.sorted() {
		s.mu.Lock()
		st := Status{Name: sl.name, Fault: sl.fault, Tools: sl.running, LeftOut: sl.leftOut}
		hooks := sl.accepted.Hooks
		if sl.loaded != nil {
			st.Version, hooks = sl.loaded.Version, sl.loaded.Hooks()
			for _, c := range sl.loaded.Commands() {
				st.Commands = append(st.Commands, "/"+c.Name)
			}
		} else if st.Fault == "" {
			st.Fault = "it is being started"
		}
		for _, e := range hooks {
			if slices.Contains(sl.accepted.Required, e) {
				e += " (required)"
			}
			st.Hooks = append(st.Hooks, e)
		}
		s.mu.Unlock()
		all = append(all, st)
	}
	return all
}

// Commands are the commands of the plugins that run, the first of a name.
func (s *Set) Commands() []lua.OwnCommand {
	var all []lua.OwnCommand
	for _, sl := range s.sorted() {
		s.mu.Lock()
		if sl.loaded != nil {
			for _, c := range sl.loaded.Commands() {
				if !slices.ContainsFunc(all, func(o lua.OwnCommand) bool { return o.Name == c.Name }) {
					all = append(all, c)
				}
			}
		}
		s.mu.Unlock()
	}
	return all
}

// ErrNoCommand means that no plugin has a command.
var ErrNoCommand = errors.New("no plugin has this command any more")

// Command runs a plugin's command.
func (s *Set) Command(ctx context.Context, name, args string) (lua.CommandResult, error) {
	for _, sl := range s.sorted() {
		s.mu.Lock()
		l := sl.loaded
		s.mu.Unlock()
		if l != nil && slices.ContainsFunc(l.Commands(), func(c lua.OwnCommand) bool { return c.Name == name }) {
			return l.Command(ctx, name, args)
		}
	}
	return lua.CommandResult{}, fmt.Errorf("/%s: %w", name, ErrNoCommand)
}
