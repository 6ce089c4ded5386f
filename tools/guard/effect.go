package guard

import (
	"context"
	"time"

	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/tools"
)

const (
	// effectFirst is how long an effect of what was typed may take to begin.
	effectFirst = 500 * time.Millisecond
	// effectQuiet is how long a pane must not have changed for an effect to count
	// as complete: a program that was given a line shows the line at once, and its
	// answer a moment later.
	effectQuiet = 200 * time.Millisecond
	// effectMost bounds the wait for a pane that goes on changing.
	effectMost = 1500 * time.Millisecond
)

// watched is a pane that tells when it may have changed, and what it shows.
type watched interface {
	Subscribe() (changed <-chan struct{}, cancel func())
	Screen() *vt.Snapshot
}

var _ watched = keptPane{}

// TypeAndSee is Type, and then a wait until the effect is on the screen: the pane
// has changed, and does not change any more, or has had 1.5 seconds. changed is
// false if nothing changed within 500 ms. The end of ctx ends the wait, not the
// typing, and is no error. A pane that cannot tell is not waited for.
func (g *Guard) TypeAndSee(ctx context.Context, a tools.Action, grant tools.Grant) (changed bool, err error) {
	p, err := g.admit(tools.Type, a, grant)
	if err != nil {
		return false, err
	}
	at, err := find(ctx, p, "", a.Pane)
	if err != nil {
		return false, err
	}
	w, ok := at.(watched)
	if !ok {
		return true, g.Type(ctx, a, grant)
	}
	told, cancel := w.Subscribe()
	defer cancel()
	before := w.Screen().Generation
	if err := g.Type(ctx, a, grant); err != nil {
		return false, err
	}
	return effect(ctx, told, before, func() uint64 { return w.Screen().Generation }), nil
}

// effect waits until a screen has changed, and does not change any more: now is its
// generation, which was another one before, and told says when to look.
func effect(ctx context.Context, told <-chan struct{}, before uint64, now func() uint64) (changed bool) {
	most := time.NewTimer(effectMost)
	defer most.Stop()
	quiet := time.NewTimer(effectFirst)
	defer quiet.Stop()
	for {
		select {
		case <-told:
			if seen := now(); seen != before {
				before, changed = seen, true
				quiet.Reset(effectQuiet)
			}
		case <-quiet.C:
			return changed
		case <-most.C:
			return changed
		case <-ctx.Done():
			return changed
		}
	}
}
