package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/ui/console"
)

// freshPaneWait is how long a shared pane that has ended stays away, so that a
// shell that cannot start does not keep nod busy.
const freshPaneWait = 200 * time.Millisecond

// paneMirror shows the panes of a keeper in the console.
type paneMirror struct {
	target *targets.Target
	panes  *pane.Keeper
	trust  string // of the target's target
	screen Screen
	shown  map[*pane.Pane]shown
	show   func(*pane.Pane) console.Pane
	gaveUp bool // a shared pane could not be made
}

// shown is a pane's ID on the screen, and the name that it has there.
type shown struct{ id, name string }

// mirror shows the keeper's panes, and keeps the console to what there is: panes
// come and go with tmux, by the model's calls and by anybody's hand. When the
// shared one ends, a fresh one takes its place, where the next command will run.
// It returns when the target is dropped or ctx ends.
func (d *Controller) mirror(ctx context.Context, s *targets.Target) {
	changes, unsubscribe := s.Panes.Changes()
	defer unsubscribe()
	trust := string(d.parts.core.Policy.TrustOf(s.Name()))
	m := paneMirror{target: s, panes: s.Panes, trust: trust, screen: d.screen, shown: map[*pane.Pane]shown{}}
	m.show = func(p *pane.Pane) console.Pane { return d.mirrorOf(s, p) }
	for stood := true; ctx.Err() == nil; {
		linked := s.LinkChanged() // before it is looked at
		stands := s.Container == nil || s.Container.Stands() == nil
		if stands && !stood {
			m.gaveUp = false // there may be a shell again
		}
		stood = stands
		there := m.panes.List()
		if s.Dropped() { // its panes end after that
			m.remove()
			return
		}
		if !m.update(there) && !m.gaveUp {
			m.renew(ctx)
		}
		select {
		case <-changes:
		case <-linked:
		case <-s.Gone:
		case <-ctx.Done():
		}
	}
}

// remove takes the panes of a target that was dropped off the screen.
func (m *paneMirror) remove() {
	for _, is := range m.shown {
		m.screen.RemovePane(is.id)
	}
}

// update adds the panes that are new and removes those that are not there any
// more. It reports whether the shared one is there.
func (m *paneMirror) update(there []*pane.Pane) (hasShared bool) {
	for p, is := range m.shown {
		if slices.Contains(there, p) {
			if title, name := namesOf(p); is.name != name {
				m.shown[p] = shown{is.id, name}
				m.screen.NamePane(is.id, title, name)
			}
			continue
		}
		delete(m.shown, p)
		m.screen.RemovePane(is.id)
		if !targets.IsShared(p) { // of which renew tells
			m.screen.Notify("the pane " + targets.NameOf(p) + " has ended")
		}
	}
	for _, p := range there {
		if _, known := m.shown[p]; !known {
			added := m.show(p)
			added.Trust = m.trust
			m.shown[p] = shown{added.ID, added.Name}
			m.screen.AddPane(added)
		}
	}
	hasShared = slices.ContainsFunc(there, targets.IsShared)
	m.gaveUp = m.gaveUp && !hasShared
	return hasShared
}

// renew makes a fresh shared pane. Where that fails, the next command tries it
// again, and what it makes is seen like any other pane.
func (m *paneMirror) renew(ctx context.Context) {
	select {
	case <-time.After(freshPaneWait):
	case <-m.target.Gone:
		return
	case <-ctx.Done():
		return
	}
	p, err := m.panes.Shared(ctx)
	switch {
	case err == nil:
		m.screen.Notify("the pane " + targets.NameOf(p) + " has ended; a fresh one takes its place")
	case errors.Is(err, pane.ErrClosed): // the target is being dropped
	case ctx.Err() == nil:
		m.gaveUp = true
		m.screen.Notify("there is no pane to watch: " + err.Error())
	}
}

// paneNumber makes the IDs of panes on the screen. A pane keeps its own, while
// its terminal gets another name with a fresh shell.
var paneNumber atomic.Uint64

// mirrorOf shows a pane in the console. What the operator types there goes to
// the pane itself: it is his terminal as much as nod's.
func (d *Controller) mirrorOf(s *targets.Target, p *pane.Pane) console.Pane {
	title, name := namesOf(p)
	f := newFeed(s, p)
	return console.Pane{
		ID:        fmt.Sprintf("pane %d", paneNumber.Add(1)),
		Title:     title,
		Name:      name,
		Main:      targets.IsShared(p),
		Order:     d.order(s.Name()),
		Snapshot:  func() *vt.Snapshot { return f.now().screen },
		State:     func() console.PaneState { return f.now().state },
		Subscribe: f.follow,
		Shown:     func(shown bool) { d.attention.show(s, shown) },
		Type:      p.Type,
		Attach:    func() string { return s.Attach(p) },
		Close:     func(ctx context.Context, sure bool) error { return d.closeTerminal(ctx, s, p, sure) },
		Rename:    func(ctx context.Context, name string) error { return d.renameTerminal(ctx, s, p, name) },
		Resize: func(_ context.Context, cols, rows int) {
			p.Resize(backends.Size{Cols: cols, Rows: rows})
		},
	}
}

// namesOf are what a pane's frame says and its short name.
func namesOf(p *pane.Pane) (title, name string) {
	full := targets.NameOf(p)
	if name = full; p.Session() == pane.DefaultSession {
		name = p.Name()
	}
	return p.Target() + " · " + full, name
}

// feedTime is the least time between two pictures of a pane, below that between
// two frames.
const feedTime = time.Second / 120

// watchersTime is the least time between two questions who else is at a pane,
// which go to tmux.
const watchersTime = time.Second

// feed takes pictures of a pane while it changes. The console takes the latest
// and never waits for the pane itself, which a program that writes without a
// pause keeps busy: the echo of a key would come later for it.
type feed struct {
	target   *targets.Target
	pane     *pane.Pane
	latest   atomic.Pointer[paneState]
	watchers atomic.Int64
}

// paneState is a pane at one moment.
type paneState struct {
	screen *vt.Snapshot
	state  console.PaneState
}

func newFeed(s *targets.Target, p *pane.Pane) *feed {
	f := &feed{target: s, pane: p}
	f.take()
	return f
}

func (f *feed) now() paneState { return *f.latest.Load() }

func (f *feed) take() {
	p := f.pane
	state := console.PaneState{
		Target: p.Target(), Terminal: p.ID(),
		Watchers: int(f.watchers.Load()), Typed: p.OperatorTyped(),
	}
	if run := p.Busy(); run != nil {
		state.Running = run.Command
	}
	if err := p.Degraded(); err != nil {
		state.Fault = err.Error()
	}
	if _, wrong := f.target.Link(); wrong != "" {
		state.Fault, state.Stale = wrong, true
	}
	f.latest.Store(&paneState{p.Screen(), state})
}

// follow takes a picture after each change, and calls changed, until it is
// cancelled.
func (f *feed) follow(changed func()) (cancel func()) {
	changes, unsubscribe := f.pane.Subscribe()
	ctx, stop := context.WithCancel(context.Background()) //nolint:gosec // cancel below is what ends it
	var running sync.WaitGroup
	company := make(chan struct{}, 1) // holds one: there may be others at the pane
	found := make(chan struct{}, 1)   // and it is known how many
	running.Go(func() { f.count(ctx, company, found) })
	running.Go(func() {
		for wait := time.After(0); ; {
			select {
			case <-wait:
			case <-ctx.Done():
				return
			}
			linked := f.target.LinkChanged() // before it is looked at
			f.take()
			changed()
			wait = time.After(feedTime) // from now on: what changes after a pause is seen at once
			post(company)
			select {
			case <-changes:
			case <-found:
			case <-linked:
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		unsubscribe()
		stop()
		running.Wait()
	}
}

// count asks how many others are at the pane, after each change but not too
// often, until ctx ends.
func (f *feed) count(ctx context.Context, company <-chan struct{}, found chan<- struct{}) {
	for {
		select {
		case <-company:
		case <-ctx.Done():
			return
		}
		// Where nobody can be asked now, what was known last stays.
		if all, err := f.pane.Watchers(ctx); err == nil && f.watchers.Swap(int64(len(all))) != int64(len(all)) {
			post(found)
		}
		select {
		case <-time.After(watchersTime):
		case <-ctx.Done():
			return
		}
	}
}

// post leaves word in a channel that holds one.
func post(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
