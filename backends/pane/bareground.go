package pane

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
)

// bareGround makes panes without tmux: each is a terminal of the target's that
// nod holds itself. They end with nod and with the link to the target.
type bareGround struct {
	keeper *Keeper
	lastID atomic.Int64
}

var _ ground = (*bareGround)(nil)

// newID is the name of a pane's terminal, in the form of tmux's.
func (g *bareGround) newID() string { return "%" + strconv.FormatInt(g.lastID.Add(1), 10) }

// adopt implements [ground]: nothing outlives the process.
func (g *bareGround) adopt(context.Context) ([]session, error) { return nil, nil }

// create implements [ground].
func (g *bareGround) create(ctx context.Context, name string) (session, error) {
	s := &bareSession{ground: g, label: name, over: make(chan struct{})}
	if _, err := s.add(ctx, SharedPane); err != nil {
		return nil, err
	}
	return s, nil
}

// bareSession is a group of panes without tmux.
type bareSession struct {
	ground *bareGround
	label  string

	mu    sync.Mutex
	wires []*bareWire // of all panes that were made, also of those that are gone
	known []*Pane
	over  chan struct{} // closed with the last pane
}

var _ session = (*bareSession)(nil)

// name implements [session].
func (s *bareSession) name() string { return s.label }

// panes implements [session].
func (s *bareSession) panes() []*Pane {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.known)
}

// add implements [session].
func (s *bareSession) add(ctx context.Context, name string) (*Pane, error) {
	k := s.ground.keeper
	w, err := newBareWire(ctx, s.ground, s.label, name)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.known = append(s.known, w.p)
	s.wires = append(s.wires, w)
	s.mu.Unlock()
	k.roll.changed()
	k.running.Go(func() { w.p.watch(k.life) })
	return w.p, nil
}

// rename implements [session].
func (*bareSession) rename(_ context.Context, p *Pane, name string) error {
	p.title.Store(&name)
	return nil
}

// remove implements [session].
func (s *bareSession) remove(ctx context.Context, p *Pane) error {
	s.drop(p, fmt.Errorf("%w: pane %s has been killed", ErrEnded, p.ID()))
	return s.end(ctx, func(w *bareWire) bool { return w.p == p })
}

// drop takes a pane out of use, and with the last one the session.
func (s *bareSession) drop(p *Pane, why error) {
	s.mu.Lock()
	i := slices.Index(s.known, p)
	if i >= 0 {
		s.known = slices.Delete(s.known, i, i+1)
		if len(s.known) == 0 {
			close(s.over)
		}
	}
	s.mu.Unlock()
	if i >= 0 {
		s.ground.keeper.roll.changed()
		p.abandon(why)
	}
}

// end ends the shells of some panes, and waits for that until ctx ends.
func (s *bareSession) end(ctx context.Context, which func(*bareWire) bool) error {
	s.mu.Lock()
	var ending, rest []*bareWire
	for _, w := range s.wires {
		if which(w) {
			w.hangUp()
			ending = append(ending, w)
		} else {
			rest = append(rest, w)
		}
	}
	s.wires = rest
	s.mu.Unlock()
	var errs []error
	for _, w := range ending {
		errs = append(errs, w.hasEnded(ctx))
	}
	return errors.Join(errs...)
}

// tend implements [session].
func (s *bareSession) tend(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-s.over:
		return errKilled
	}
}

// abandon implements [session].
func (s *bareSession) abandon(why error) {
	for _, p := range s.panes() {
		s.drop(p, why)
	}
}

// kill implements [session].
func (s *bareSession) kill(ctx context.Context) error {
	return s.end(ctx, func(*bareWire) bool { return true })
}

// close implements [session]. Nobody could find these panes again, so that none
// are left behind, whatever Options.Keep says.
func (s *bareSession) close() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ground.keeper.life), closeWait)
	defer cancel()
	_ = s.kill(ctx) // where it matters, kill was called before
}
