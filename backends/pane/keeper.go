package pane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

	// Keep leaves the sessions behind on Close.
	Keep bool

	MaxSessions, MaxPanes int // of sessions, and of panes in one; 8 if 0
}

// Keeper has the sessions and panes of one target. It is safe for concurrent
// use.
type Keeper struct {
	target backends.Target
	server *tmux.Server
	opt    Options
	owner  string

	life    context.Context // ends with Close
	cancel  context.CancelCauseFunc
	running sync.WaitGroup

	making   sync.Mutex // held while sessions or panes are made or ended
	mu       sync.Mutex
	sessions map[string]*session
	closed   bool
}

// Open checks the target's tmux and takes over what an earlier process of the
// same agent left behind: its default session, and others in which something
// still runs; idle ones are ended. Without Options.Shell panes run the user's
// own shell where its commands can be tracked, else bash, else sh.
//
// Errors: [tmux.ErrNoTmux], [*tmux.TooOldError].
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
	server, err := tmux.Open(ctx, target, tmux.Options{Socket: opt.Socket, Config: opt.Config})
	if err != nil {
		return nil, err
	}
	if len(opt.Shell) == 0 {
		if opt.Shell, err = findShell(ctx, target); err != nil {
			return nil, err
		}
	}
	k := &Keeper{target: target, server: server, opt: opt, owner: tmux.Owner(), sessions: map[string]*session{}}
	k.life, k.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	if err := k.adopt(ctx); err != nil {
		_ = k.Close() // the first error counts
		return nil, err
	}
	return k, nil
}

// findShell asks the target for the user's shell, if it is one that can be
// tracked.
func findShell(ctx context.Context, target backends.Target) ([]string, error) {
	const ask = `case "${SHELL##*/}" in bash|dash|sh|ksh|mksh|ash|zsh|fish) command -v "$SHELL" && exit;; esac; command -v bash || command -v sh`
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

// adopt takes over or ends the sessions of dead processes of the same agent.
func (k *Keeper) adopt(ctx context.Context) error {
	sessions, err := k.server.Sessions(ctx)
	if err != nil {
		return err
	}
	for _, t := range sessions {
		name, ours := strings.CutPrefix(t.Name, tmuxName(k.opt.Agent, ""))
		if !ours || !tmux.OwnerGone(t.Owner) {
			continue
		}
		if err := k.adoptOne(ctx, name, t); err != nil && !errors.Is(err, tmux.ErrNoSession) {
			return err
		}
	}
	return nil
}

func (k *Keeper) adoptOne(ctx context.Context, name string, t tmux.Session) error {
	panes, err := k.server.Panes(ctx, t.Name)
	if err != nil {
		return err
	}
	if mine, err := k.server.Adopt(ctx, t.Name, t.Owner, k.owner); err != nil || !mine {
		return err
	}
	if err := k.server.EndClient(ctx, t.Name); err != nil {
		return err
	}
	if name != DefaultSession && isIdle(panes) {
		return k.server.Kill(ctx, t.Name)
	}
	_, err = k.join(ctx, name, t.Name)
	return err
}

// join connects to a session that is ours and keeps it.
func (k *Keeper) join(ctx context.Context, name, tmuxName string) (*session, error) {
	s := &session{keeper: k, name: name, tmuxName: tmuxName, panes: map[string]*Pane{}}
	if err := s.join(ctx); err != nil {
		return nil, err
	}
	k.mu.Lock()
	k.sessions[name] = s
	k.mu.Unlock()
	k.running.Go(func() { s.tend(k.life) })
	return s, nil
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
	if s == nil {
		var err error
		if s, err = k.create(ctx, DefaultSession); err != nil {
			return nil, err
		}
	}
	p := s.named(SharedPane)
	if p == nil {
		var err error
		if p, err = s.newPane(ctx, SharedPane); err != nil {
			return nil, err
		}
	}
	p.warm(ctx)
	return p, nil
}

// warm hooks the shell of a pane that nobody uses yet. What goes wrong, the
// first Run finds again and reports.
func (p *Pane) warm(ctx context.Context) {
	select {
	case <-p.turn:
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
	p.turn <- struct{}{}
}

func (k *Keeper) open() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return ErrClosed
	}
	return nil
}

func (k *Keeper) session(name string) *session {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sessions[name]
}

// sameName bounds how many processes may use one agent's name at a time.
const sameName = 100

// createWait bounds the making of a session.
const createWait = 10 * time.Second

// create makes a session. Where a living process of the same agent has one of
// that name, a number is added to it on the server. It does not stop half way
// when ctx ends: the server may have made the session by then, and nobody would
// know that it is ours to end.
func (k *Keeper) create(ctx context.Context, name string) (*session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), createWait)
	defer cancel()
	for n := 1; ; n++ {
		full := tmuxName(k.opt.Agent, name)
		if n > 1 {
			full = fmt.Sprintf("%s-%d", full, n)
		}
		err := k.server.Create(ctx, tmux.NewSession{
			Name: full, Window: SharedPane, Owner: k.owner,
			Size: k.opt.Size, Scrollback: k.opt.Scrollback, Shell: k.opt.Shell,
		})
		var refused *tmux.CommandError
		if errors.As(err, &refused) && strings.Contains(refused.Message, "duplicate session") && n < sameName {
			continue
		}
		if err != nil {
			return nil, err
		}
		s, err := k.join(ctx, name, full)
		if err != nil {
			return nil, errors.Join(err, k.server.Kill(context.WithoutCancel(ctx), full))
		}
		return s, nil
	}
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
		if p := s.named(strings.ToLower(pane)); p != nil {
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
		all = append(all, s.all()...)
	}
	k.mu.Unlock()
	slices.SortFunc(all, func(a, b *Pane) int {
		return strings.Compare(a.session+"\x00"+a.name+"\x00"+a.ID(), b.session+"\x00"+b.name+"\x00"+b.ID())
	})
	return all
}

// lost takes a session out of use that has ended by itself.
func (k *Keeper) lost(s *session, why error) {
	k.mu.Lock()
	if k.sessions[s.name] == s {
		delete(k.sessions, s.name)
	}
	k.mu.Unlock()
	s.end(why)
}

// closeWait bounds how long Close waits for the target.
const closeWait = 5 * time.Second

// Close ends the sessions (unless Options.Keep), and the runs in them with an
// unknown outcome. It may be called more than once.
func (k *Keeper) Close() error {
	k.making.Lock()
	defer k.making.Unlock()
	k.mu.Lock()
	k.closed = true
	sessions := k.sessions
	k.sessions = map[string]*session{}
	k.mu.Unlock()
	k.cancel(ErrClosed)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(k.life), closeWait)
	defer cancel()
	var errs []error
	for _, s := range sessions {
		s.end(ErrClosed)
		if !k.opt.Keep {
			errs = append(errs, k.server.Kill(ctx, s.tmuxName))
		}
		s.connection().Close()
	}
	k.running.Wait()
	return errors.Join(errs...)
}
