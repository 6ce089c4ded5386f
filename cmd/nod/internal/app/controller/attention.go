package controller

import (
	"context"
	"sync"
	"time"

	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	picker "github.com/nod-console/nod/ui/targets"
)

const (
	// attendEvery is the time between two looks at what goes on on hosts, besides those
	// when something begins or comes into view.
	attendEvery = 5 * time.Second
	// restAfter is how long nothing goes on on a host before its connection rests.
	restAfter = 30 * time.Second
)

// attention is which hosts somebody looks at or something runs on: there, a link that is
// lost is to be noticed soon. The others rest.
type attention struct {
	wake chan struct{} // holds one

	mu    sync.Mutex
	shown map[*targets.Target]int // panes that are in view
	tiles int                     // overviews that are shown

	// Of attend alone.
	last    map[*targets.Target]time.Time // when something went on
	latency map[*targets.Target]string    // as it is shown
}

func newAttention() *attention {
	return &attention{
		wake: make(chan struct{}, 1), shown: map[*targets.Target]int{},
		last: map[*targets.Target]time.Time{}, latency: map[*targets.Target]string{},
	}
}

// show takes note that a pane of a target comes into view or leaves it.
func (a *attention) show(s *targets.Target, shown bool) {
	a.mu.Lock()
	if shown {
		a.shown[s]++
	} else if a.shown[s]--; a.shown[s] == 0 {
		delete(a.shown, s)
	}
	a.mu.Unlock()
	post(a.wake)
}

// tile takes note that an overview of all targets opens or closes.
func (a *attention) tile(by int) {
	a.mu.Lock()
	a.tiles += by
	a.mu.Unlock()
	post(a.wake)
}

// inView reports whether a pane of a target is in view, and whether an overview is.
func (a *attention) inView(s *targets.Target) (shown, glanced bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.shown[s] > 0, a.tiles > 0
}

// useOf is what a connection is used for on which nothing has gone on for a while.
func useOf(quiet time.Duration, glanced bool) ssh.Use {
	switch {
	case quiet < restAfter:
		return ssh.InUse
	case glanced:
		return ssh.Glanced
	}
	return ssh.AtRest
}

// attend has hosts rest on which nothing goes on, and shows when their latency changes,
// until ctx ends. Without hosts it sleeps.
func (d *Controller) attend(ctx context.Context, h *app.Core) {
	timer := time.NewTimer(attendEvery)
	defer timer.Stop()
	for {
		hosts, news := d.attention.look(h, time.Now())
		if news {
			d.targetsChanged()
		}
		var due <-chan time.Time
		if hosts > 0 {
			now := time.Now() // at the moments at which connections are looked at, too
			timer.Reset(now.Truncate(attendEvery).Add(attendEvery).Sub(now))
			due = timer.C
		}
		select {
		case <-due:
		case <-d.attention.wake:
		case <-ctx.Done():
			return
		}
	}
}

// look looks at all hosts once. It returns how many there are, and whether the latency of
// any is shown in other words now.
func (a *attention) look(h *app.Core, now time.Time) (hosts int, news bool) {
	open, _ := h.Targets.List()
	current, running := h.Targets.Current(), h.Runs.Underway()
	there := make(map[*targets.Target]bool, len(open))
	for _, s := range open {
		if !s.HasLink() {
			continue
		}
		there[s] = true
		shown, glanced := a.inView(s)
		if _, known := a.last[s]; !known || shown || s.Name() == current || running[s.Name()] || goesOn(s.List()) {
			a.last[s] = now
		}
		s.SetUse(useOf(now.Sub(a.last[s]), glanced))
		latency, _ := s.Link()
		if words := picker.Latency(latency); words != a.latency[s] {
			a.latency[s], news = words, true
		}
	}
	for s := range a.last {
		if !there[s] {
			delete(a.last, s)
			delete(a.latency, s)
		}
	}
	return len(there), news
}

// goesOn reports whether something runs in any of the panes.
func goesOn(panes []*pane.Pane) bool {
	for _, p := range panes {
		if p.Busy() != nil {
			return true
		}
		if _, ok := p.ByHand(); ok {
			return true
		}
	}
	return false
}
