package pane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/tmux"
	"github.com/nod-console/nod/backends/vt"
)

// DefaultSession and SharedPane name the pane that is always there.
const (
	DefaultSession = "main"
	SharedPane     = "shared"
)

// Errors of a Keeper and of panes that are gone.
var (
	ErrClosed    = errors.New("pane: the keeper is closed")
	ErrEnded     = errors.New("pane: the pane has ended")
	ErrNotFound  = errors.New("pane: not found")
	ErrExists    = errors.New("pane: already there")
	ErrProtected = errors.New("pane: the default session and its shared pane stay")
	ErrTooMany   = errors.New("pane: no more are allowed")
)

// Options say what a keeper keeps. The zero value is good for most.
type Options struct {
	Agent  string // part of the session's name; "default" if empty
	Socket string // the tmux server, see [tmux.Options]; nod's own if empty
	Config string // see [tmux.Options]

	Size       backends.Size // of panes nobody looks at; 120×40 if zero
	Scrollback int           // lines above the screen; [vt.DefaultScrollback] if 0
	Shell      []string      // what runs in the panes; see Open

	// Pane is a pane that the operator already has ("%3"), on a server that he
	// already has: it takes the place of the default session's shared pane, and
	// is left to him as it was on Close.
	Pane string

	// Keep leaves the sessions behind on Close, where there is a tmux.
	Keep bool

	// Unattended says that nobody is there to act: a run ends as unknown where the way
	// to the target is given up. Else it waits for the operator, and ends so only where
	// another host may be at the other end.
	Unattended bool

	// WithoutTmux has nod hold the terminals of the panes itself, also where
	// there is a tmux.
	WithoutTmux bool

	// Tap, if not nil, is called for each new pane, of which nothing is known
	// yet, and gives what records it, or nil.
	Tap func(p *Pane) Tap

	MaxSessions, MaxPanes int // of sessions, and of panes in one; 8 if 0
}

// Keeper has the sessions and panes of one target. It is safe for concurrent
// use.
type Keeper struct {
	target backends.Target
	opt    Options
	ground ground
	bare   error // why there is no tmux behind the panes, or nil

	life    context.Context // ends with Close
	cancel  context.CancelCauseFunc
	running sync.WaitGroup
	roll    roll

	making   sync.Mutex // held while sessions or panes are made or ended
	mu       sync.Mutex
	sessions map[string]session
	closed   bool
	fallen   error // why the shared pane is gone, if nod has not ended it
}

// Open checks the target's tmux and takes over what an earlier process of the
// same agent left behind: its default session, and others in which something
// still runs; idle ones are ended. Without Options.Shell panes run the user's
// own shell where its commands can be tracked, else bash, else sh.
//
// Where the target has no tmux, or one that is too old, nod holds the panes'
// terminals itself: see [Keeper.WithoutTmux].
func Open(ctx context.Context, target backends.Target, opt Options) (*Keeper, error) {
	if opt.Agent == "" {
		opt.Agent = "default"
	}
	var err error
	if opt.Agent, err = canonical("agent", opt.Agent); err != nil {
		return nil, err
	}
	if opt.Size == (backends.Size{}) {
		opt.Size = backends.Size{Cols: 120, Rows: 40}
	}
	if opt.Scrollback == 0 {
		opt.Scrollback = vt.DefaultScrollback
	}
	if opt.MaxSessions == 0 {
		opt.MaxSessions = 8
	}
	if opt.MaxPanes == 0 {
		opt.MaxPanes = 8
	}
	k := &Keeper{target: target, opt: opt, sessions: map[string]session{}}
	if err := k.openGround(ctx); err != nil {
		return nil, err
	}
	if len(k.opt.Shell) == 0 {
		if k.opt.Shell, err = findShell(ctx, target); err != nil {
			return nil, err
		}
	}
	k.life, k.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	if k.opt.Pane != "" {
		if err := k.visit(ctx); err != nil {
			_ = k.Close() // the first error counts
			return nil, err
		}
	}
	adopted, err := k.ground.adopt(ctx)
	for _, s := range adopted {
		k.keep(s)
		for _, p := range s.panes() {
			p.inherit()
		}
	}
	if err != nil {
		_ = k.Close() // the first error counts
		return nil, err
	}
	return k, nil
}

// openGround finds out what sessions can stand on.
func (k *Keeper) openGround(ctx context.Context) error {
	if k.opt.WithoutTmux {
		k.ground, k.bare = &bareGround{keeper: k}, errUnwanted
		return nil
	}
	server, err := openTmux(ctx, k)
	var old *tmux.TooOldError
	switch {
	case err == nil:
		k.ground = server
	case errors.Is(err, tmux.ErrNoTmux), errors.As(err, &old):
		k.ground, k.bare = &bareGround{keeper: k}, err
	default:
		return err
	}
	return nil
}

// errUnwanted is why there is no tmux where Options say so.
var errUnwanted = errors.New("tmux is not wanted")

// WithoutTmux is nil where tmux holds the panes' terminals. Otherwise nod does,
// and the error says why: [tmux.ErrNoTmux], [*tmux.TooOldError], or
// Options.WithoutTmux. Such panes do everything that others do, but they and
// what runs in them end with the keeper and with the link to the target, and
// nobody can attach to them by hand.
func (k *Keeper) WithoutTmux() error { return k.bare }

// keep has a session among the keeper's until it ends.
func (k *Keeper) keep(s session) {
	k.mu.Lock()
	k.sessions[s.name()] = s
	k.mu.Unlock()
	k.roll.changed()
	k.running.Go(func() {
		if err := s.tend(k.life); err != nil {
			why := fmt.Errorf("%w: %w", ErrEnded, err)
			k.fell(named(s, SharedPane), why)
			k.lost(s, why)
		}
	})
}

// visit takes the operator's own pane for the shared one.
func (k *Keeper) visit(ctx context.Context) error {
	g, ok := k.ground.(*tmuxGround)
	if !ok {
		return fmt.Errorf("pane: %s cannot be used without tmux: %w", k.opt.Pane, k.bare)
	}
	v, err := g.visit(ctx)
	if err == nil {
		k.keep(v)
	}
	return err
}

// findShell asks the target for the user's shell, if it is one that can be
// tracked.
func findShell(ctx context.Context, target backends.Target) ([]string, error) {
	// A busybox whose applets are built in names them without a path.
	const ask = `try() {
	found=$(command -v "$1") || return 0
	case $found in /*) ;; *) found=; IFS=:; for dir in $PATH; do [ ! -x "$dir/$1" ] || { found=$dir/$1; break; }; done ;; esac
	[ -z "$found" ] || { printf '%s\n' "$found"; exit; }
}
case "${SHELL##*/}" in bash|dash|sh|ksh|mksh|ash|zsh|fish) try "$SHELL" ;; esac
try bash
try sh`
	var out bytes.Buffer
	p, err := target.Exec(ctx, backends.Command{Argv: []string{"sh", "-c", ask}, Stdout: &out})
	if err != nil {
		return nil, fmt.Errorf("pane: find a shell: %w", err)
	}
	if _, err := p.Wait(); err != nil {
		return nil, fmt.Errorf("pane: find a shell: %w", err)
	}
	if path := strings.TrimSpace(out.String()); strings.HasPrefix(path, "/") {
		return []string{path}, nil
	}
	return nil, fmt.Errorf("pane: %s has neither bash nor sh", target.Name())
}

// Shared returns the shared pane of the default session, and makes it if it is
// not there. The pane is ready for its first command unless its shell is busy
// or does not answer, which its Run then tells.
func (k *Keeper) Shared(ctx context.Context) (*Pane, error) {
	k.making.Lock()
	defer k.making.Unlock()
	if err := k.open(); err != nil {
		return nil, err
	}
	s := k.session(DefaultSession)
	if v, ok := s.(*guestSession); ok {
		if p := v.pane(v.paneID); p != nil {
			v.greet(ctx, p)
			return p, nil
		}
	}
	if k.opt.Pane != "" {
		return nil, fmt.Errorf("%w: %s, which is not nod's to make anew; start nod with another pane, or without one", ErrEnded, k.opt.Pane)
	}
	if s == nil {
		var err error
		if s, err = k.create(ctx, DefaultSession); err != nil {
			return nil, err
		}
	}
	p := named(s, SharedPane)
	if p == nil {
		var err error
		if p, err = s.add(ctx, SharedPane); err != nil {
			return nil, err
		}
	}
	p.Warm(ctx)
	k.mu.Lock()
	why := k.fallen
	k.fallen = nil
	k.mu.Unlock()
	if why != nil {
		p.tellNext(fmt.Sprintf("%s; this is a fresh pane with a fresh shell, without its directory, variables and jobs", withoutPackage(why)))
	}
	return p, nil
}

// fell notes that a pane has ended without nod's doing. p may be nil.
func (k *Keeper) fell(p *Pane, why error) {
	if p == nil || p.session != DefaultSession || p.Name() != SharedPane {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fallen = why
}

// withoutPackage is an error of this package in words for a notice.
func withoutPackage(err error) string { return strings.TrimPrefix(err.Error(), "pane: ") }

// Warm hooks the shell of a pane that nobody uses yet, such as one that an
// earlier process has left: then it is known where it stands before a command
// for it is decided on. What goes wrong, the first Run finds again and reports.
// It does nothing where the pane is in use, or its shell is known.
func (p *Pane) Warm(ctx context.Context) {
	if p.Degraded() != nil {
		return
	}
	l := p.at()
	select {
	case <-l.turn:
	default:
		return
	}
	if p.Shell() == NoShell {
		if notices, err := p.ready(ctx); err == nil && len(notices) > 0 {
			p.mu.Lock()
			p.reborn = strings.Join(notices, "; ")
			p.mu.Unlock()
		}
	}
	l.turn <- struct{}{}
}

func (k *Keeper) open() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return ErrClosed
	}
	return nil
}

func (k *Keeper) session(name string) session {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sessions[name]
}

// create makes a session and keeps it.
func (k *Keeper) create(ctx context.Context, name string) (session, error) {
	s, err := k.ground.create(ctx, name)
	if err != nil {
		return nil, err
	}
	k.keep(s)
	return s, nil
}

// Get returns a pane by its session and its name. Empty ones mean the default.
func (k *Keeper) Get(session, pane string) (*Pane, error) {
	if session == "" {
		session = DefaultSession
	}
	if pane == "" {
		pane = SharedPane
	}
	if s := k.session(strings.ToLower(session)); s != nil {
		if p := named(s, strings.ToLower(pane)); p != nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%w: pane %q of session %q", ErrNotFound, pane, session)
}

// List returns all panes, by session and name.
func (k *Keeper) List() []*Pane {
	k.mu.Lock()
	var all []*Pane
	for _, s := range k.sessions {
		all = append(all, s.panes()...)
	}
	k.mu.Unlock()
	slices.SortFunc(all, func(a, b *Pane) int {
		return strings.Compare(a.session+"\x00"+a.Name()+"\x00"+a.ID(), b.session+"\x00"+b.Name()+"\x00"+b.ID())
	})
	return all
}

// lost takes a session out of use that has ended by itself.
func (k *Keeper) lost(s session, why error) {
	k.mu.Lock()
	if k.sessions[s.name()] == s {
		delete(k.sessions, s.name())
	}
	k.mu.Unlock()
	k.roll.changed()
	s.abandon(why)
}

// closeWait bounds how long Close waits for the target.
const closeWait = 10 * time.Second

// Close ends the sessions (unless Options.Keep), and the runs in them with an
// unknown outcome. It waits for no target that cannot be reached: what stays
// there then is in a [*LeftBehindError]. It may be called more than once.
func (k *Keeper) Close() error {
	k.making.Lock()
	defer k.making.Unlock()
	k.mu.Lock()
	k.closed = true
	sessions := k.sessions
	k.sessions = map[string]session{}
	k.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(k.life), closeWait)
	defer cancel()
	var errs []error
	for _, s := range sessions {
		if v, ok := s.(*guestSession); ok {
			errs = append(errs, v.part(ctx))
		}
	}
	k.cancel(ErrClosed)
	var left LeftBehindError
	for _, name := range slices.Sorted(maps.Keys(sessions)) {
		s := sessions[name]
		s.abandon(ErrClosed)
		if !k.opt.Keep {
			if err := s.kill(ctx); !left.takes(s, err) {
				errs = append(errs, err)
			}
		}
		s.close()
	}
	k.running.Wait()
	if left.Wrapped != nil {
		left.Target = k.target.Name()
		errs = append(errs, &left)
	}
	return errors.Join(errs...)
}
