package pane

import (
	"context"
	"fmt"
)

// CreateSession makes a session with a pane of its own. ErrExists and
// ErrTooMany say why not.
func (k *Keeper) CreateSession(ctx context.Context, name string) (*Pane, error) {
	name, err := canonical("session", name)
	if err != nil {
		return nil, err
	}
	k.making.Lock()
	defer k.making.Unlock()
	if err := k.open(); err != nil {
		return nil, err
	}
	k.mu.Lock()
	_, taken := k.sessions[name]
	count := len(k.sessions)
	k.mu.Unlock()
	switch {
	case taken:
		return nil, fmt.Errorf("%w: session %q", ErrExists, name)
	case count >= k.opt.MaxSessions:
		return nil, fmt.Errorf("%w: there are %d sessions", ErrTooMany, count)
	}
	s, err := k.create(ctx, name)
	if err != nil {
		return nil, err
	}
	p := named(s, SharedPane)
	if p == nil {
		return nil, fmt.Errorf("%w: the new session %q ended at once", ErrEnded, name)
	}
	p.Warm(ctx)
	return p, nil
}

// CreatePane makes a pane in a session (the default one if empty). ErrNotFound,
// ErrExists and ErrTooMany say why not.
func (k *Keeper) CreatePane(ctx context.Context, session, name string) (*Pane, error) {
	name, err := PaneName(name)
	if err != nil {
		return nil, err
	}
	if session == "" {
		session = DefaultSession
	}
	k.making.Lock()
	defer k.making.Unlock()
	s := k.session(session)
	if s == nil {
		return nil, fmt.Errorf("%w: session %q", ErrNotFound, session)
	}
	switch count := len(s.panes()); {
	case named(s, name) != nil:
		return nil, fmt.Errorf("%w: pane %q", ErrExists, name)
	case count >= k.opt.MaxPanes:
		return nil, fmt.Errorf("%w: there are %d panes in session %q", ErrTooMany, count, session)
	}
	p, err := s.add(ctx, name)
	if err != nil {
		return nil, err
	}
	p.Warm(ctx)
	return p, nil
}

// RenamePane gives a pane another name. The shared one of the default session is
// ErrProtected: it is asked for by its name. ErrNotFound and ErrExists say why not.
func (k *Keeper) RenamePane(ctx context.Context, session, name, to string) error {
	to, err := PaneName(to)
	if err != nil {
		return err
	}
	if session == "" {
		session = DefaultSession
	}
	if session == DefaultSession && name == SharedPane {
		return ErrProtected
	}
	k.making.Lock()
	defer k.making.Unlock()
	p, err := k.Get(session, name)
	if err != nil {
		return err
	}
	s := k.session(session)
	switch {
	case s == nil:
		return fmt.Errorf("%w: session %q", ErrNotFound, session)
	case p.Name() == to:
		return nil
	case named(s, to) != nil:
		return fmt.Errorf("%w: pane %q", ErrExists, to)
	}
	if err := s.rename(ctx, p, to); err != nil {
		return err
	}
	k.roll.changed()
	return nil
}

// KillSession ends a session and what runs in it. The default one is
// ErrProtected.
func (k *Keeper) KillSession(ctx context.Context, name string) error {
	if name == DefaultSession {
		return ErrProtected
	}
	k.making.Lock()
	defer k.making.Unlock()
	s := k.session(name)
	if s == nil {
		return fmt.Errorf("%w: session %q", ErrNotFound, name)
	}
	err := s.kill(ctx)
	if err == nil {
		k.lost(s, fmt.Errorf("%w: %w", ErrEnded, errKilled))
	}
	return err
}

// KillPane ends a pane and what runs in it. The shared one of the default
// session is ErrProtected; the last one of a session ends the session.
func (k *Keeper) KillPane(ctx context.Context, session, name string) error {
	if session == "" {
		session = DefaultSession
	}
	if session == DefaultSession && name == SharedPane {
		return ErrProtected
	}
	k.making.Lock()
	defer k.making.Unlock()
	p, err := k.Get(session, name)
	if err != nil {
		return err
	}
	s := k.session(session)
	if s == nil {
		return fmt.Errorf("%w: session %q", ErrNotFound, session)
	}
	return s.remove(ctx, p)
}
