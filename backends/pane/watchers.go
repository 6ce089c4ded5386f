package pane

import (
	"context"
	"fmt"
	"time"

	"github.com/nod-console/nod/backends/tmux"
)

// Watcher is a terminal of the operator's that is attached to the session of a
// pane.
type Watcher = tmux.Watcher

// Watchers lists the terminals that are attached to the pane's session, or show
// its window from another one: how many people look, how large their screens
// are and when each pressed a key last. tmux is asked each time; subscribers are
// told when somebody comes or goes (from tmux 3.3 on; before, when he comes).
// Without tmux nobody can attach.
func (p *Pane) Watchers(ctx context.Context) ([]Watcher, error) {
	w, ok := p.wire.(interface {
		watchers(ctx context.Context) ([]Watcher, error)
	})
	if !ok {
		return nil, nil
	}
	return w.watchers(ctx)
}

func (w *tmuxWire) watchers(ctx context.Context) ([]Watcher, error) {
	all, err := w.s.connection().Watchers(ctx, w.id())
	if err != nil {
		return nil, fmt.Errorf("pane %s: %w", w.id(), err)
	}
	return all, nil
}

// hands tell what is typed through nod at a prompt from what is not.
type hands struct {
	ours bool      // nod has typed on this prompt's line, or typed it away
	last time.Time // when somebody else surely typed
}

// OperatorTyped is when somebody last typed at the pane other than through this
// process: a command began that nod had not typed, or something stands on the
// prompt's line. It is zero if nobody has. What is typed into a program shows in
// [Watcher].Active only. A background job that writes behind the prompt is
// taken for typing.
func (p *Pane) OperatorTyped() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.hands.ours && p.lastly.After(p.hands.last) && p.pendingLine() != "" {
		p.hands.last = p.lastly
	}
	return p.hands.last
}

// touch notes that something is typed through nod.
func (p *Pane) touch() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hands.ours = true
}

// entered notes that a line was entered at the prompt. p.mu is held.
func (p *Pane) entered(run bool) {
	if !run && !p.hands.ours {
		p.hands.last = time.Now()
	}
	p.hands.ours = false
}

// Degraded is nil where everything about the pane is known at once. Otherwise
// the pane can be looked at, ten times a second at most, and typed at; but
// commands cannot be tracked, and Run refuses them with this error, which says
// why. It ends by itself when the reason has gone.
func (p *Pane) Degraded() error {
	w, ok := p.wire.(interface{ degraded() error })
	if !ok {
		return nil
	}
	return w.degraded()
}

func (w *tmuxWire) degraded() error {
	w.s.mu.RLock()
	why := w.s.degraded
	w.s.mu.RUnlock()
	if why == nil {
		return nil
	}
	return fmt.Errorf("pane %s: its commands cannot be tracked now: %w; look and type there, or run the command without a pane", w.id(), why)
}
