package pane

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/backends/tmux"
)

// session is one tmux session, the connection to it and its panes.
type session struct {
	keeper   *Keeper
	name     string // as the keeper's callers know it
	tmuxName string

	placing sync.Mutex // held while panes come, go or get another id

	mu     sync.RWMutex
	client *tmux.Client
	panes  map[string]*Pane // by id
}

var _ tmux.Handler = (*session)(nil)

// Output implements [tmux.Handler].
func (s *session) Output(id string, data []byte) {
	if p := s.pane(id); p != nil {
		p.output(data)
	}
}

// Notify implements [tmux.Handler].
func (s *session) Notify(name, args string) {
	switch name {
	case "layout-change":
		// tmux has wrapped the text anew; only it knows how.
		for _, p := range s.all() {
			p.resized()
		}
	case "window-close", "unlinked-window-close":
		s.keeper.running.Go(func() { s.prune(s.keeper.life) })
	case "pause":
		if p := s.pane(args); p != nil {
			s.connection().Continue(args)
			p.missed("part of the output was lost: the connection was too slow for it")
			p.wire.reseed(true)
			p.nudge()
		}
	}
}

func (s *session) connection() *tmux.Client {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.client
}

func (s *session) pane(id string) *Pane {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.panes[id]
}

func (s *session) all() []*Pane {
	s.mu.RLock()
	defer s.mu.RUnlock()
	panes := make([]*Pane, 0, len(s.panes))
	for _, p := range s.panes {
		panes = append(panes, p)
	}
	return panes
}

func (s *session) named(name string) *Pane {
	for _, p := range s.all() {
		if p.name == name {
			return p
		}
	}
	return nil
}

// join connects to the session and takes in its panes.
func (s *session) join(ctx context.Context) error {
	c, err := s.keeper.server.Attach(ctx, s.tmuxName, s)
	if err != nil {
		return err
	}
	c.Resize(s.keeper.opt.Size)
	s.mu.Lock()
	s.client = c
	s.mu.Unlock()
	if err := s.refresh(ctx); err != nil {
		c.Close()
		return err
	}
	return nil
}

// refresh makes the panes known that tmux has, and forgets those that it has
// not.
func (s *session) refresh(ctx context.Context) error {
	s.placing.Lock()
	defer s.placing.Unlock()
	there, err := s.keeper.server.Panes(ctx, s.tmuxName)
	if err != nil {
		return err
	}
	for _, t := range there {
		if p := s.pane(t.ID); p != nil {
			p.wire.reseed(true)
			p.nudge()
		} else {
			s.add(t)
		}
	}
	s.retain(there)
	return nil
}

// prune forgets the panes that somebody has closed.
func (s *session) prune(ctx context.Context) {
	s.placing.Lock()
	defer s.placing.Unlock()
	there, err := s.keeper.server.Panes(ctx, s.tmuxName)
	if err == nil { // else the whole session ends, which tend sees
		s.retain(there)
	}
}

func (s *session) retain(there []tmux.Pane) {
	alive := map[string]bool{}
	for _, t := range there {
		alive[t.ID] = true
	}
	for _, p := range s.all() {
		if !alive[p.ID()] {
			s.drop(p, fmt.Errorf("%w: pane %s has been closed", ErrEnded, p.ID()))
		}
	}
}

// add makes a pane known.
func (s *session) add(t tmux.Pane) {
	p := s.paneOf(t)
	s.mu.Lock()
	s.panes[t.ID] = p
	s.mu.Unlock()
	s.keeper.running.Go(func() { p.watch(s.keeper.life) })
	p.wire.reseed(true)
	p.nudge()
}

func (s *session) drop(p *Pane, why error) {
	s.mu.Lock()
	delete(s.panes, p.ID())
	s.mu.Unlock()
	p.abandon(why)
}

// move makes a pane known under another id.
func (s *session) move(p *Pane, from, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.panes, from)
	s.panes[to] = p
}

const (
	rejoinFirst = 10 * time.Millisecond
	rejoinMost  = 2 * time.Second
	// rejoinOnceFor is how long one attempt may take.
	rejoinOnceFor = 3 * time.Second
	// rejoinFor is how long a lost connection is tried again.
	rejoinFor = time.Minute
)

// tend keeps the session connected until it, or the keeper, ends.
func (s *session) tend(ctx context.Context) {
	for {
		c := s.connection()
		select {
		case <-ctx.Done():
			return
		case <-c.Done():
		}
		// Before the new connection, which may bring the end of a run at once.
		for _, p := range s.all() {
			p.missed("part of the output may have been lost: the connection to tmux was interrupted")
		}
		if err := s.rejoin(ctx); err != nil {
			if ctx.Err() == nil {
				s.keeper.lost(s, fmt.Errorf("%w (%w)", ErrEnded, err))
			}
			return
		}
	}
}

// rejoin connects again. The error says that the session is gone for good.
func (s *session) rejoin(ctx context.Context) error {
	deadline := time.Now().Add(rejoinFor)
	for pause := rejoinFirst; ; pause = min(2*pause, rejoinMost) {
		err := s.rejoinOnce(ctx)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, tmux.ErrNoSession) || time.Now().After(deadline):
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// rejoinOnce is one attempt. One that hangs is given up.
func (s *session) rejoinOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, rejoinOnceFor)
	defer cancel()
	if err := s.keeper.server.EndClient(ctx, s.tmuxName); err != nil {
		return err
	}
	return s.join(ctx)
}

// end takes the session's panes out of use.
func (s *session) end(why error) {
	for _, p := range s.all() {
		s.drop(p, why)
	}
}

// isIdle reports whether nothing but shells runs in the panes of a session.
func isIdle(panes []tmux.Pane) bool {
	for _, p := range panes {
		if !p.Dead && !isShell(p.Command) {
			return false
		}
	}
	return true
}

// tmuxName is the name of a session on the server.
func tmuxName(agent, name string) string { return tmux.Prefix + agent + "-" + name }

// canonical checks the name of a session, pane or agent.
func canonical(what, name string) (string, error) {
	const most = 32
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "" || len(name) > most || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || name[0] == '-' {
		return "", fmt.Errorf("pane: %s %q: want 1 to %d letters, digits, \"-\" and \"_\"", what, name, most)
	}
	return name, nil
}
