package pane

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/tmux"
	"github.com/nod-console/nod/backends/vt"
)

// tmuxSession is a tmux session, the connection to it and its panes.
type tmuxSession struct {
	keeper *Keeper
	server *tmux.Server
	label  string // as the keeper's callers know it

	again  func(context.Context) error // connects anew
	wireOf func(*Pane, tmux.Pane) wire // of a pane that becomes known

	placing sync.Mutex  // held while panes come, go or get another id
	pruning atomic.Bool // it is about to be looked which panes there are

	mu       sync.RWMutex
	id       string // "$3"; the name may change
	tmuxName string
	emulate  vt.Options // of its panes
	client   *tmux.Client
	degraded error // why there is no control mode
	byID     map[string]*Pane
}

var (
	_ session      = (*tmuxSession)(nil)
	_ tmux.Handler = (*tmuxSession)(nil)
)

// newTmuxSession is a session of nod's that is not connected yet.
func newTmuxSession(k *Keeper, server *tmux.Server, label, id, tmuxName string) *tmuxSession {
	s := &tmuxSession{keeper: k, server: server, label: label, id: id, tmuxName: tmuxName, byID: map[string]*Pane{}}
	s.again = s.resume
	s.wireOf = func(p *Pane, at tmux.Pane) wire { return &tmuxWire{s: s, p: p, at: at} }
	return s
}

// name implements [session].
func (s *tmuxSession) name() string { return s.label }

// Output implements [tmux.Handler].
func (s *tmuxSession) Output(id string, data []byte) {
	if p := s.pane(id); p != nil {
		p.output(data)
	}
}

// Notify implements [tmux.Handler].
func (s *tmuxSession) Notify(name, args string) {
	switch name {
	case "layout-change":
		// tmux has wrapped the text anew; only it knows how. A pane may have
		// gone from its window, too.
		for _, p := range s.panes() {
			p.resized()
		}
		s.pruneSoon()
	case "window-close", "unlinked-window-close":
		s.pruneSoon()
	case "pane-died":
		if p := s.pane(args); p != nil {
			p.nudge()
		}
	case "session-renamed":
		s.askName()
	case "client-session-changed", "client-detached":
		s.alert() // the watchers may be others now
	case "screen-changed": // in place of output, see [tmux.Server.Poll]
		if p := s.pane(args); p != nil {
			p.mu.Lock()
			p.away = true // without marks, the hook's account tells
			p.mu.Unlock()
			p.wire.reseed(false)
			p.nudge()
		}
	case "pause":
		if p := s.pane(args); p != nil {
			s.connection().Continue(args)
			p.missed("part of the output was lost: the connection was too slow for it")
			p.wire.reseed(true)
			p.nudge()
		}
	}
}

func (s *tmuxSession) connection() *tmux.Client {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.client
}

// ref is what tmux knows the session by.
func (s *tmuxSession) ref() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.id
}

func (s *tmuxSession) pane(id string) *Pane {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byID[id]
}

// panes implements [session].
func (s *tmuxSession) panes() []*Pane {
	s.mu.RLock()
	defer s.mu.RUnlock()
	panes := make([]*Pane, 0, len(s.byID))
	for _, p := range s.byID {
		panes = append(panes, p)
	}
	return panes
}

// alert tells the subscribers of all panes to look again.
func (s *tmuxSession) alert() {
	for _, p := range s.panes() {
		p.mu.Lock()
		p.changed()
		p.mu.Unlock()
	}
}

// askName learns the session's name after somebody has changed it. The
// notification for it has other words in each tmux.
func (s *tmuxSession) askName() {
	c := s.connection()
	if c == nil {
		return // the connection that is being made asks itself
	}
	c.Queue(func(replies [][]string, err error) {
		if err != nil || len(replies[0]) != 1 {
			return
		}
		s.mu.Lock()
		s.tmuxName = replies[0][0]
		s.mu.Unlock()
		s.alert()
	}, []string{"display-message", "-p", "-t", s.ref() + ":", "#{session_name}"})
}

// join connects to the session and takes in its panes. The connection is not
// used before all that may fail is done: what is typed into one would be lost
// with it.
func (s *tmuxSession) join(ctx context.Context) error {
	s.placing.Lock()
	defer s.placing.Unlock()
	c, err := s.server.Attach(ctx, s.ref(), s)
	if err != nil && !errors.Is(err, tmux.ErrNoControl) {
		return err
	}
	there, unlisted := s.server.Panes(ctx, s.ref())
	if unlisted != nil {
		if err == nil {
			c.Close()
		}
		return unlisted
	}
	before := s.connection()
	if err = s.connected(c, err, s); err != nil {
		return err
	}
	size := s.keeper.opt.Size
	if before != nil { // what was asked of a lost connection holds for the next one
		size = before.Size()
	}
	s.connection().Resize(size)
	s.refresh(there)
	return nil
}

// connected takes a connection into use, or in place of one that control mode
// did not give, one that does without it.
func (s *tmuxSession) connected(c *tmux.Client, err error, to tmux.Handler) error {
	if err != nil && !errors.Is(err, tmux.ErrNoControl) {
		return err
	}
	if err != nil {
		c = s.server.Poll(s.keeper.life, s.ref(), to)
		s.keeper.running.Go(func() { s.mend(c) })
	}
	s.mu.Lock()
	s.client, s.degraded = c, err
	s.mu.Unlock()
	return nil
}

const (
	mendFirst = 2 * time.Second
	// mendMost bounds the pause between two attempts, and so for how long runs are
	// refused for no reason any more. An attempt is a few processes on the target.
	mendMost = 10 * time.Second
	mendFor  = 10 * time.Second // one attempt on a target under load
)

// mend tries whether control mode works again, and then ends the connection
// that does without it, for which tend makes another one.
func (s *tmuxSession) mend(c *tmux.Client) {
	for pause := mendFirst; ; pause = min(2*pause, mendMost) {
		select {
		case <-c.Done():
			return
		case <-time.After(pause):
		}
		if s.controls() {
			c.Close()
			return
		}
	}
}

// controls reports whether control mode works.
func (s *tmuxSession) controls() bool {
	ctx, cancel := context.WithTimeout(s.keeper.life, mendFor)
	defer cancel()
	c, err := s.server.Visit(ctx, s.ref(), deaf{})
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// deaf does not listen to what happens in a session.
type deaf struct{}

func (deaf) Output(string, []byte) {}
func (deaf) Notify(string, string) {}

// refresh makes the panes known that nod made, and forgets those that are gone.
// What the operator makes beside them is left alone.
func (s *tmuxSession) refresh(there []tmux.Pane) {
	for _, t := range there {
		switch p := s.pane(t.ID); {
		case p != nil:
			p.wire.reseed(true)
			p.nudge()
		case t.Managed:
			s.know(t)
		}
	}
	s.retain(there)
}

// pruneSoon prunes once for all that is happening now.
func (s *tmuxSession) pruneSoon() {
	if s.pruning.CompareAndSwap(false, true) {
		s.keeper.running.Go(func() { s.prune(s.keeper.life) })
	}
}

// prune forgets the panes that somebody has closed, or moved elsewhere.
func (s *tmuxSession) prune(ctx context.Context) {
	s.placing.Lock()
	defer s.placing.Unlock()
	s.pruning.Store(false)
	there, err := s.server.Panes(ctx, s.ref())
	if err == nil { // else the whole session ends, which tend sees
		s.retain(there)
	}
}

func (s *tmuxSession) retain(there []tmux.Pane) {
	alive := map[string]bool{}
	for _, t := range there {
		alive[t.ID] = true
	}
	for _, p := range s.panes() {
		if !alive[p.ID()] {
			why := fmt.Errorf("%w: pane %s has been closed, or moved to another session", ErrEnded, p.ID())
			s.keeper.fell(p, why)
			s.drop(p, why)
		}
	}
}

// know makes a pane known.
func (s *tmuxSession) know(t tmux.Pane) {
	p := newPane(s.keeper, s.label, t.Name, s.emulate)
	p.wire = s.wireOf(p, t)
	s.mu.Lock()
	s.byID[t.ID] = p
	s.mu.Unlock()
	s.keeper.roll.changed()
	s.keeper.running.Go(func() { p.watch(s.keeper.life) })
	p.wire.reseed(true)
	p.nudge()
}

func (s *tmuxSession) drop(p *Pane, why error) {
	s.mu.Lock()
	delete(s.byID, p.ID())
	s.mu.Unlock()
	s.keeper.roll.changed()
	p.abandon(why)
}

// move makes a pane known under another id.
func (s *tmuxSession) move(p *Pane, from, to string) {
	s.mu.Lock()
	delete(s.byID, from)
	s.byID[to] = p
	s.mu.Unlock()
	s.keeper.roll.changed()
}

const (
	rejoinFirst = 10 * time.Millisecond
	rejoinMost  = 500 * time.Millisecond // of which somebody who waits notices little
	// rejoinOnceFor is how long one attempt may take. It is longer than what tmux
	// needs to be found to be without control mode, on the slowest target.
	rejoinOnceFor = 6 * time.Second
	// rejoinFor is how long a lost connection is tried again where the target
	// can be reached.
	rejoinFor = time.Minute
)

// tend implements [session]: it makes a lost connection again.
func (s *tmuxSession) tend(ctx context.Context) error {
	for {
		c := s.connection()
		select {
		case <-ctx.Done():
			return nil
		case <-c.Done():
		}
		// Before the new connection, which may bring the end of a run at once.
		for _, p := range s.panes() {
			p.missed("part of the output may have been lost: the connection to tmux was interrupted")
		}
		switch err := s.rejoin(ctx); {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
	}
}

// rejoin connects again. The error says that the session is gone for good.
func (s *tmuxSession) rejoin(ctx context.Context) error {
	deadline := time.Now().Add(rejoinFor)
	for pause := rejoinFirst; ; pause = min(2*pause, rejoinMost) {
		var changed <-chan struct{} // nil for a target that does not tell
		if t, ok := s.keeper.target.(telling); ok {
			changed = t.Changed()
		}
		err := s.rejoinOnce(ctx)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, backends.ErrUnreachable): // what runs there goes on
			deadline = time.Now().Add(rejoinFor)
			if errors.Is(err, backends.ErrOtherKey) || s.keeper.opt.Unattended && errors.Is(err, backends.ErrGivenUp) {
				for _, p := range s.panes() {
					p.giveUp(err)
				}
			}
		case errors.Is(err, tmux.ErrNoSession) || errors.Is(err, backends.ErrEnded) || time.Now().After(deadline):
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed: // it may be back
		case <-time.After(pause):
		}
	}
}

// telling is a target that tells of changes in how it can be reached.
type telling interface{ Changed() <-chan struct{} }

// rejoinOnce is one attempt. One that hangs is given up.
func (s *tmuxSession) rejoinOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, rejoinOnceFor)
	defer cancel()
	return s.again(ctx)
}

// resume connects to the session again.
func (s *tmuxSession) resume(ctx context.Context) error {
	if err := s.server.EndClients(ctx, s.ref()); err != nil {
		return err
	}
	return s.join(ctx)
}

// add implements [session].
func (s *tmuxSession) add(ctx context.Context, name string) (*Pane, error) {
	s.placing.Lock()
	defer s.placing.Unlock()
	t, err := s.server.NewPane(ctx, s.ref(), name, s.keeper.opt.Shell)
	if err != nil {
		return nil, err
	}
	s.know(t)
	return s.pane(t.ID), nil
}

// rename implements [session].
func (s *tmuxSession) rename(ctx context.Context, p *Pane, name string) error {
	s.placing.Lock()
	defer s.placing.Unlock()
	if err := s.server.RenamePane(ctx, p.ID(), name); err != nil {
		return err
	}
	if w, ok := p.wire.(*tmuxWire); ok {
		w.named(name)
	}
	p.title.Store(&name)
	return nil
}

// remove implements [session].
func (s *tmuxSession) remove(ctx context.Context, p *Pane) error {
	if err := s.server.KillPane(ctx, p.ID()); err != nil {
		return err
	}
	s.drop(p, fmt.Errorf("%w: pane %s has been killed", ErrEnded, p.ID()))
	return nil
}

// abandon implements [session].
func (s *tmuxSession) abandon(why error) {
	for _, p := range s.panes() {
		s.drop(p, why)
	}
}

// kill implements [session].
func (s *tmuxSession) kill(ctx context.Context) error { return s.server.Kill(ctx, s.ref()) }

// endByHand implements [outliving].
func (s *tmuxSession) endByHand() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.server.KillCommand(s.tmuxName)
}

// close implements [session].
func (s *tmuxSession) close() { s.connection().Close() }
