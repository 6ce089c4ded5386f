package pane

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane/shells"
	"github.com/nod-console/nod/backends/tmux"
)

// A guest session is the one pane that the operator already had
// (Options.Pane), in a session of his: nod is the guest there. It is a session
// of nod's own only in name. The pane is watched, typed at and given commands;
// it is not made, renamed, resized or ended, and what the hook has changed in
// its shell is taken back.
type guestSession struct {
	*tmuxSession
	paneID    string
	following atomic.Bool // it is about to be looked where the pane is
	path      string      // the terminal's path before nod wrote to it
	socket    string      // of the server; the pane's shell may not know it (sudo -i, env -i)
}

var (
	_ session      = (*guestSession)(nil)
	_ tmux.Handler = (*guestSession)(nil)
)

// Errors of a pane that is the operator's.
var (
	// ErrNotOurs says that something is not done to a pane that the operator
	// already had, or beside it.
	ErrNotOurs = errors.New("pane: the pane is not nod's")
	// ErrMarksStay says that the shell of such a pane keeps nod's marks.
	ErrMarksStay = errors.New("pane: nod's marks stay in the shell of the pane; they do not show, and go with: exec \"$SHELL\"")
)

// visit connects to the operator's pane.
func (g *tmuxGround) visit(ctx context.Context) (session, error) {
	v := &guestSession{
		tmuxSession: newTmuxSession(g.keeper, g.server, DefaultSession, "", ""),
		paneID:      g.keeper.opt.Pane,
	}
	v.again = v.resume
	v.emulate = g.emulation(ctx)
	v.wireOf = func(p *Pane, at tmux.Pane) wire { return &guestWire{tmuxWire{s: v.tmuxSession, p: p, at: at}, v} }
	if _, err := g.server.FindPane(ctx, v.paneID); err != nil {
		return nil, err
	}
	out, err := g.server.Run(ctx, "list-panes", "-t", v.paneID, "-F", "#{pane_id}|#{n:socket_path}|#{socket_path}|#{pane_path}")
	if err != nil {
		return nil, fmt.Errorf("pane: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		if rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), v.paneID+"|"); ok {
			length, rest, _ := strings.Cut(rest, "|")
			if n, err := strconv.Atoi(length); err == nil && n >= 0 && n < len(rest) {
				v.socket, v.path = rest[:n], rest[n+1:]
			}
		}
	}
	if err := v.join(ctx); err != nil {
		return nil, fmt.Errorf("pane: %w", err)
	}
	return v, nil
}

// resume connects to the session again.
func (v *guestSession) resume(ctx context.Context) error {
	if err := v.server.EndVisits(ctx, v.ref()); err != nil && !errors.Is(err, tmux.ErrNoSession) { // the pane may be elsewhere now
		return err
	}
	return v.join(ctx)
}

// join connects to the session where the pane is now.
func (v *guestSession) join(ctx context.Context) error {
	at, err := v.server.FindPane(ctx, v.paneID)
	if errors.Is(err, tmux.ErrNoPane) {
		return fmt.Errorf("%w (%w)", err, tmux.ErrNoSession) // for good
	}
	if err != nil {
		return err
	}
	c, err := v.server.Visit(ctx, at.Session, v)
	v.mu.Lock()
	v.id = at.Session
	v.tmuxName, _, _ = strings.Cut(at.Where, ":")
	v.mu.Unlock()
	if err := v.connected(c, err, v); err != nil {
		return err
	}
	if p := v.pane(v.paneID); p != nil {
		p.wire.reseed(true)
		p.nudge()
		return nil
	}
	at.Name = SharedPane
	v.know(at)
	return nil
}

// Notify implements [tmux.Handler].
func (v *guestSession) Notify(name, args string) {
	switch name {
	case "layout-change", "window-close", "unlinked-window-close", "session-changed", "window-add", "unlinked-window-add":
		if v.following.CompareAndSwap(false, true) {
			v.keeper.running.Go(func() { v.follow(v.keeper.life) })
		}
		if name != "layout-change" {
			return
		}
		for _, p := range v.panes() {
			p.resized()
		}
	default:
		v.tmuxSession.Notify(name, args)
	}
}

// follow goes where the pane has gone: it may have been closed, or moved to
// another session, whose output another connection gets.
func (v *guestSession) follow(ctx context.Context) {
	v.placing.Lock()
	defer v.placing.Unlock()
	v.following.Store(false)
	there, err := v.server.Panes(ctx, v.ref())
	for _, t := range there {
		if t.ID == v.paneID {
			return
		}
	}
	if err != nil && !errors.Is(err, tmux.ErrNoSession) {
		return // the connection tells
	}
	p := v.pane(v.paneID)
	if p == nil {
		return
	}
	at, err := v.server.FindPane(ctx, v.paneID)
	switch {
	case errors.Is(err, tmux.ErrNoPane):
		v.drop(p, fmt.Errorf("%w: pane %s has been closed", ErrEnded, v.paneID))
	case err == nil && at.Session != v.ref():
		v.connection().Close() // tend makes another one, where the pane is now
	}
}

// add implements [session]: there is no place for panes of nod's here.
func (v *guestSession) add(context.Context, string) (*Pane, error) {
	return nil, fmt.Errorf("%w: session %q is the operator's pane %s alone; make a session for more panes", ErrNotOurs, v.label, v.paneID)
}

// rename implements [session].
func (v *guestSession) rename(context.Context, *Pane, string) error {
	return fmt.Errorf("%w: %s is the operator's, and keeps its name", ErrNotOurs, v.paneID)
}

// remove implements [session].
func (v *guestSession) remove(context.Context, *Pane) error {
	return fmt.Errorf("%w: %s is the operator's, and stays", ErrNotOurs, v.paneID)
}

// kill implements [session]: nothing of it is nod's to end.
func (v *guestSession) kill(context.Context) error { return nil }

// guestWire is the wire of the operator's own pane.
type guestWire struct {
	tmuxWire
	v *guestSession
}

var _ wire = (*guestWire)(nil)

// resize implements [wire]: the size is the operator's.
func (w *guestWire) resize(backends.Size) {}

// renew implements [wire].
func (w *guestWire) renew(context.Context) error {
	return fmt.Errorf("%w, but the operator's, and its program has ended; start a shell in it with: tmux respawn-pane -t %s", ErrNotOurs, w.id())
}

// stash implements [wire]. Before a shell is hooked, it is made sure that it
// stands at its prompt, and what the hook will change is written down in it.
func (w *guestWire) stash(ctx context.Context, name, text string) error {
	if shell := w.p.Shell(); shell == NoShell {
		var err error
		if text, err = w.prepare(ctx, text); err != nil {
			return err
		}
	}
	return w.tmuxWire.stash(ctx, name, text)
}

// fetch implements [wire].
func (w *guestWire) fetch(name, command string) string {
	if q := quotedPath(w.v.socket); q != "" {
		return shells.Program("tmux", command) + " -S " + q + " show-buffer -b " + name
	}
	return w.tmuxWire.fetch(name, command)
}

// quotedPath is a path as a word for any of the shells. It is empty for one that
// has no such word.
func quotedPath(path string) string {
	if path == "" || strings.ContainsAny(path, "'\\") {
		return ""
	}
	return "'" + path + "'"
}

// partFor bounds how long the shell may take to forget nod.
const partFor = 3 * time.Second

// part leaves the pane to the operator as it was.
func (v *guestSession) part(ctx context.Context) error {
	p := v.pane(v.paneID)
	if p == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, partFor)
	defer cancel()
	var err error
	if p.Shell() != NoShell {
		err = p.unhook(ctx, v.path)
	}
	// The answer comes when everything before is done.
	_, gone := v.connection().Do(ctx, "set-option", "-p", "-u", "-t", v.paneID, enteredOption)
	return errors.Join(err, gone)
}
